"""The page of the next word, run without a browser."""

import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.sections.next_word.board import Rule
from app.sections.next_word.contrast import gap_of
from app.sections.next_word.next_word_view import (
    NAMED,
    OWN,
    Distribution,
    distribution_payload,
)
from app.sections.next_word.reading import PositionReading
from app.sections.next_word.sentence import EXAMPLES
from app.settings import DEFAULTS, Settings
from core.checkpoints import load_checkpoint
from core.decoding import Sampling
from core.tasks import attend, continue_text, fill_mask
from core.tasks.next_word import decode_vocabulary, next_word
from tests.app.conftest import SHELL
from tests.wire import unpack

PARTY = "Thank you for inviting me to your party last"


@pytest.fixture(scope="module")
def gpt():
    return load_checkpoint("gpt", device="cpu")


@pytest.fixture
def open_next():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/next_word.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def read_position(gpt, text, position=None):
    return PositionReading(
        "gpt", attend(gpt, text), next_word(gpt, text, position), decode_vocabulary(gpt)
    )


def html_of(page, part):
    return next(html.proto.body for html in page.get("html") if part in html.proto.body)


def test_the_page_opens_with_its_own_model_and_says_nothing_of_another(open_next, shown, gpt):
    page = open_next(text=PARTY)
    assert_answered(page)
    assert not page.info
    card = shown(page, "next_distribution")
    found = next_word(gpt, PARTY)
    assert len(card["scores"]) == len(found.ids)
    np.testing.assert_allclose(card["scores"], found.scores, atol=1e-4)
    decoded = decode_vocabulary(gpt)
    assert card["names"] == [decoded.pieces[number] for number in found.ids[:NAMED]]
    assert card["rank"] is None
    strip = shown(page, "next_strip")
    assert strip["place"] == len(strip["tokens"]) == len(found.encoding)
    assert strip["tokens"][0]["bits"] is None
    bits = [one["bits"] for one in strip["tokens"][1:]]
    assert bits == pytest.approx((found.surprises[1:] / np.log(2)).tolist(), abs=1e-3)
    assert f"{sum(bits) / len(bits):.1f} a piece" in strip["note"]


def test_the_first_sentence_opens_at_its_last_word(open_next, shown):
    card = shown(open_next(), "next_distribution")
    assert card["there"] == "␣t"
    assert card["names"][card["rank"]] == "␣t"
    at_end = shown(open_next(place="14"), "next_distribution")
    assert at_end["rank"] is None


def test_a_model_that_does_not_write_on_is_replaced_with_a_word(open_next):
    page = open_next(model="structbert")
    assert_answered(page)
    (said,) = [one.value for one in page.info]
    assert said.startswith("StructBERT does not go on with a text word by word")


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_next, shown, number):
    page = open_next()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert shown(page, "next_distribution")["names"]


def test_the_same_position_is_read_by_bert_with_and_without_what_follows(open_next):
    page = open_next(text=PARTY)
    bert = load_checkpoint("bert", device="cpu")
    body = html_of(page, "The same place")
    columns = [
        re.findall(r"<td><bdi>(.*?)</bdi>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)
    ]
    first = [unescape(row[1]).split()[0] for row in columns if row]
    second = [unescape(row[2]).split()[0] for row in columns if row]
    for words, text in ((first, f"{PARTY} [MASK]"), (second, f"{PARTY} [MASK] .")):
        expected = fill_mask(bert, text, top=5).masks[0].predictions
        assert words == [one.token for one in expected]


def test_the_gap_is_a_whole_word_with_what_follows(gpt):
    reading = read_position(gpt, Settings.text, 12)  # "ired", the second piece of "tired"
    gap = gap_of(reading)
    before = "The animal didn't cross the street because it was too"
    assert (gap.bare, gap.filled, gap.typed) == (f"{before} [MASK]", f"{before} [MASK].", ".")
    assert gap_of(read_position(gpt, "It was ")).bare == "It was [MASK]"


def test_masks_are_those_of_the_models(open_next, shown):
    ours, theirs = shown(open_next(text=PARTY), "next_masks")["masks"]
    count = len(ours["rows"])
    assert ours["rows"] == ["1" * (row + 1) + "0" * (count - row - 1) for row in range(count)]
    assert ours["marked"] == count - 1
    assert set("".join(theirs["rows"])) == {"1"}
    assert theirs["tokens"][theirs["marked"]] == "[MASK]"


def test_pieces_go_on_with_the_text_and_are_taken_back(gpt):
    reading = read_position(gpt, PARTY)
    assert reading.prompt + reading.added(0) == continue_text(gpt, PARTY, most=1).texts[0]
    assert reading.added(len(reading.found.ids)) == reading.added(-1) == ""
    inner = read_position(gpt, PARTY, 4)
    assert inner.prompt == "Thank you for"
    assert inner.text_up_to(3) == "Thank you"
    assert reading.identity != inner.identity


def test_what_the_model_writes_is_a_link(open_next, gpt):
    page = open_next(text=PARTY, written="80.5.900", seed="3")
    assert_answered(page)
    sampling = Sampling(0.8, 5, 0.9)
    wanted = continue_text(gpt, PARTY, most=24, samples=3, sampling=sampling, seed=3).texts
    written = html_of(page, 'class="written"')
    found = re.findall(r"<b>(.*?)</b>", written, flags=re.DOTALL)
    assert [PARTY + unescape(one) for one in found] == list(wanted)
    page.button(key="take-2").click().run()
    assert page.text_input(key="text").value == wanted[1]


def test_texts_are_escaped(open_next):
    page = open_next(text="<b>bold</b> & more", written="0.0.1000")
    assert_answered(page)
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in html_of(page, 'class="written"')


@pytest.mark.parametrize("written", ["", "80", "80.5", "80.5.0", "401.0.1000", "a.b.c", "1.2.3.4"])
def test_what_names_no_rule_writes_nothing(open_next, written):
    assert Rule.read(written) is None
    page = open_next(text=PARTY, written=written)
    assert_answered(page)
    assert not any('class="written"' in html.proto.body for html in page.get("html"))


def test_a_rule_is_written_as_it_is_read():
    assert Rule.read(Rule(80, 0, 900).write()) == Rule(80, 0, 900)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "There is no text yet"), ("cat " * 600, "this model reads at most 512")],
)
def test_texts_that_cannot_be_read_are_refused_in_words(open_next, text, said):
    page = open_next(text=text)
    assert not page.exception
    assert said in page.error[0].value


def test_a_space_at_the_end_is_spoken_of(open_next, shown):
    assert "ends with a space" in shown(open_next(text="It was "), "next_strip")["note"]


def test_a_scene_reaches_the_card_with_its_own_settings_only(open_next, gpt, shown):
    card = shown(open_next(), "next_distribution")
    assert card["defaults"] == {name: DEFAULTS[name] for name in OWN}
    drawn = Distribution("a", "", ["x"], [True], np.ones(1, np.float32), None, "", False)
    sent = unpack(distribution_payload(drawn, (5, {"top_k": 3, "layer": 2})))
    assert sent["choice"] == [5, {"top_k": 3}]
