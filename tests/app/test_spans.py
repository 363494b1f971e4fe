"""The page that fills blanks, run without a browser."""

import re
from dataclasses import replace
from html import unescape
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.scenes import KEY as SCENE_KEYS
from app.sections.spans import sentence, span_view
from app.sections.spans.objectives import NAMES
from app.sections.spans.span_view import OWN, fits, span_payload
from app.settings import Settings
from app.state import link_query, read_query, write_value
from core.checkpoints import catalogue, load_checkpoint
from core.decoding import Sampling
from core.decoding.blanks import MOST_FREE
from core.objectives.denoising import Denoising
from core.tasks.denoise_text import denoise_text
from core.tasks.step_spans import attend_written, step_spans
from tests.app.conftest import SHELL
from tests.tiny_checkpoints import write_all
from tests.wire import unpack

FOUR = "The ___ sat on the ___2___ and looked at the ___ for ___ hours."

STAMPS = count(1)


@pytest.fixture(scope="module")
def t5():
    return load_checkpoint("t5", device="cpu")


@pytest.fixture
def open_spans():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=120)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/spans.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def view(page, shown):
    return shown(page, "span_view")


def finished(picture):
    parts, texts = picture["parts"], picture["texts"]
    return ["".join(p + f for p, f in zip(parts, [*one, ""], strict=True)) for one in texts]


def html_with(page, mark):
    (found,) = [one.proto.body for one in page.get("html") if mark in one.proto.body]
    return found


def test_the_page_opens_with_the_seasons(open_spans, shown, t5):
    page = open_spans()
    assert_answered(page)
    assert page.title[0].value == "Fill the blanks"
    assert page.text_input(key="blanks").value == "In summer it is hot, and in ___ it is cold."
    picture = view(page, shown)
    sampling = Sampling(Settings.warmth / 100)
    found = step_spans(
        t5, Settings.blanks, samples=Settings.samples, sampling=sampling, seed=Settings.seed
    )
    assert picture["texts"] == [list(one.fillings) for one in found.texts]
    assert len(picture["texts"]) == 3
    assert picture["strings"]["finishedHint"] == "3 to choose from, 1 of 1 word each"
    marked = [one["piece"] for one in picture["source"] if one["blank"] == 0]
    assert marked == ["<extra_id_0>", "<size_1>"]
    assert "T5" in html_with(page, 'class="fact"')
    assert "6 + 6 layers × 8 heads" in html_with(page, 'class="fact"')


def test_what_its_card_says_of_the_model_stands_on_the_page(open_spans):
    said = unescape(html_with(open_spans(), "A small model"))
    assert "Its card: It fills a blank with something that is English" in said


def test_the_model_knows_the_season_that_the_opening_asks_for(t5):
    for seed in range(5):
        found = step_spans(
            t5, Settings.blanks, samples=3, sampling=Sampling(Settings.warmth / 100), seed=seed
        )
        assert "winter" in [one.fillings[0] for one in found.texts], f"seed {seed}"
    (likeliest,) = step_spans(t5, Settings.blanks).texts
    assert likeliest.fillings == ("winter",)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("He took off his ___ and bowed to the lady.", "hat"),
        ("The train arrived at the ___ at noon.", "station"),
        ("They sat down at the ___ and ate their dinner.", "table"),
    ],
)
def test_the_likeliest_word_is_the_one_that_is_meant(t5, text, word):
    (likeliest,) = step_spans(t5, text).texts
    assert likeliest.fillings == (word,)


def test_many_blanks_are_numbered_alike_in_every_view(open_spans, shown):
    page = open_spans(blanks=FOUR, samples="2", seed="7")
    assert_answered(page)
    picture = view(page, shown)
    assert picture["sizes"] == [1, 2, 1, 1]
    assert [[len(one.split()) for one in text] for text in picture["texts"]] == [[1, 2, 1, 1]] * 2
    named = [(one["piece"], one["blank"]) for one in picture["source"] if "extra" in one["piece"]]
    assert named == [(f"<extra_id_{blank}>", blank) for blank in range(4)]
    opened_by = [(one["piece"], one["blank"]) for one in picture["steps"] if one["mark"]]
    assert opened_by == [(f"<extra_id_{blank}>", blank) for blank in range(5)]
    strip = shown(page, "blank_strip")
    sizes = [one["words"] for one in strip["parts"] if one["kind"] == "blank"]
    assert sizes == picture["sizes"]


def test_free_and_sized_blanks_are_filled_together(open_spans, shown, t5):
    text = "The ___*___ sat on the ___2___ and looked at the ___*___."
    page = open_spans(blanks=text, samples="2")
    assert_answered(page)
    picture = view(page, shown)
    sampling = Sampling(Settings.warmth / 100)
    found = step_spans(t5, text, samples=2, sampling=sampling, seed=Settings.seed)
    assert picture["texts"] == [list(one.fillings) for one in found.texts]
    assert picture["sizes"] == [None, 2, None]
    said = "2 to choose from, 2 of 2 words + 2 free blanks each"
    assert picture["strings"]["finishedHint"] == said
    marked = [one["piece"] for one in picture["source"] if one["blank"] is not None]
    assert marked == ["<extra_id_0>", "<extra_id_1>", "<size_2>", "<extra_id_2>"]
    assert len(picture["steps"]) == len(found.texts[0].pieces)
    strip = shown(page, "blank_strip")
    assert [one["words"] for one in strip["parts"] if one["kind"] == "blank"] == [None, 2, None]


def test_a_free_blank_that_was_ended_at_its_bound_is_named(t5):
    found = step_spans(t5, "a ___*___ b ___*___", samples=1)
    short, long = "so", " ".join(["so"] * MOST_FREE)

    def notes(*fillings):
        texts = [replace(found.texts[0], fillings=one) for one in fillings]
        return unpack(span_payload(replace(found, texts=tuple(texts)), 0, None))["notes"]

    ended = f"after {MOST_FREE} words"
    none, one, both = notes((short, short), (short, long), (long, long))
    assert none == ""
    assert one.startswith(f"<extra_id_1> was ended here {ended},")
    assert both.startswith(f"<extra_id_0>, <extra_id_1> were ended here {ended} each,")


def test_without_sampling_there_is_one_text_and_no_seed(open_spans, shown):
    page = open_spans(warmth="0", samples="5", seed="3")
    assert_answered(page)
    assert len(view(page, shown)["texts"]) == 1
    assert page.number_input(key="samples").disabled
    assert page.number_input(key="seed").disabled
    first = finished(view(page, shown))
    assert finished(view(open_spans(warmth="0"), shown)) == first


def test_the_seed_decides_and_another_sample_is_stepped_through(open_spans, shown, t5):
    page = open_spans(seed="2", sample="1", warmth="100")
    picture = view(page, shown)
    found = step_spans(t5, Settings.blanks, samples=3, sampling=Sampling(1.0), seed=2)
    assert picture["sample"] == 1
    assert [one["piece"] for one in picture["steps"]] == [
        one.piece for one in found.texts[1].pieces
    ]
    page.button(key="spans-again").click().run()
    assert page.number_input(key="seed").value == 3
    assert view(page, shown)["texts"] != picture["texts"]


def test_maps_and_probabilities_are_those_of_core(t5):
    found = step_spans(t5, FOUR)
    result = attend_written(t5, FOUR, found.texts[0].ids)
    picture = unpack(span_payload(found, 0, result, (4, {"step": 2, "top": 3})))
    for name in ("decoder", "cross"):
        one, patterns = picture["attention"][name], result[name].patterns
        assert patterns.shape[:2] == (6, 8)
        drawn = one["levels"] * one["scales"][..., None] / 255
        np.testing.assert_allclose(drawn, patterns, atol=1 / 500)
    for written, piece in zip(picture["steps"], found.texts[0].pieces, strict=True):
        assert written["options"][written["chosen"]][0] == piece.piece
        assert written["options"][0][1] == piece.options[0].probability
    assert picture["choice"] == [4, {"step": 2}]
    assert set(picture["defaults"]) == set(OWN)


def test_maps_that_are_too_many_are_left_out(t5, monkeypatch):
    found = step_spans(t5, "One evening ___8___.")
    steps = len(found.texts[0].pieces)
    weights = found.layers[1] * found.heads * steps * (steps + len(found.source))
    monkeypatch.setattr(span_view, "MOST_WEIGHTS", weights)
    assert fits(found, 0)
    monkeypatch.setattr(span_view, "MOST_WEIGHTS", weights - 1)
    assert not fits(found, 0)
    picture = unpack(span_payload(found, 0, None))
    assert picture["attention"] is None
    assert len(picture["steps"]) == steps


@pytest.mark.parametrize(
    ("text", "part", "words", "expected"),
    [
        ("I love butter.", 2, 1, "I ___ butter."),
        ("I love butter.", 2, 8, "I ___8___ butter."),
        ("I ___ butter.", 2, 64, "I ___64___ butter."),
        ("I ___ butter.", 2, 9_999, "I ___512___ butter."),
        ("I ___ butter.", 2, None, "I ___*___ butter."),
        ("I ___*___ butter.", 2, 4, "I ___4___ butter."),
        ("I ___ butter.", 2, 0, "I butter."),
        ("I ___ butter.", 99, 1, "I ___ butter."),
    ],
)
def test_a_click_changes_the_text(monkeypatch, text, part, words, expected):
    session = {"blanks": text, "blank_strip": _said(text, part, words)}
    _click(monkeypatch, session)
    assert session["blanks"] == expected


def test_a_blank_that_was_a_word_becomes_it_again(monkeypatch):
    text = "I love peanut butter."
    session = {"blanks": text, "blank_strip": _said(text, 4, 1)}
    _click(monkeypatch, session)
    session["blank_strip"] = _said(session["blanks"], 2, 2)
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___2___ ___ butter."
    session["blank_strip"] = _said(session["blanks"], 4, 0)
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___2___ peanut butter."
    # What was clicked in a text that is another one by now changes nothing.
    session["blank_strip"] = _said(text, 4, 1)
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___2___ peanut butter."


def test_presses_on_a_text_that_has_changed_meanwhile_mean_its_parts(monkeypatch):
    text = "I love peanut butter."
    one, two = _said(text, 2, 1), _said(text, 4, 3)
    session = {"blanks": text, "blank_strip": one}
    _click(monkeypatch, session)
    session["blank_strip"] = {"change": one["change"] + two["change"]}  # the first is said again
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___ ___3___ butter."
    session["blank_strip"] = _said(text, 2, 8)
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___8___ ___3___ butter."
    session["blank_strip"] = _said(session["blanks"], 4, 0)
    _click(monkeypatch, session)
    assert session["blanks"] == "I ___8___ peanut butter."


def _said(text, part, words):
    message = {"text": text, "part": part, "words": words, "stamp": next(STAMPS)}
    return {"change": [message]}


def _click(monkeypatch, session):
    fake = SimpleNamespace(session_state=session)
    monkeypatch.setattr(sentence, "st", fake)
    monkeypatch.setattr("app.parts.said.st", fake)
    monkeypatch.setattr(sentence, "forget", lambda _name: None)
    monkeypatch.setattr(
        sentence, "current_settings", lambda: Settings(blanks=str(session["blanks"]))
    )
    sentence._change()


def test_a_text_without_blanks_says_what_to_do(open_spans, shown):
    page = open_spans(blanks="Nothing is missing.")
    assert_answered(page)
    assert page.info[0].value.startswith("There is no blank yet.")
    parts = shown(page, "blank_strip")["parts"]
    assert [one["text"] for one in parts] == ["Nothing", "is", "missing", "."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a ___513___ b", "513 words are asked for"),
        ("a ___0___ b", "0 words are asked for"),
        ("___512___ ___512___ ___", "1025 words are asked for"),
        ("___512___ ___500___ ___*___", "1044 words are asked for"),
        ("___ " * 101, "The text has 101 blanks"),
        ("___ " + "word " * 900, "this model reads at most 512"),
    ],
)
def test_what_cannot_be_filled_is_said_plainly(open_spans, text, said):
    page = open_spans(blanks=text)
    assert not page.exception
    assert said in page.error[0].value.replace("\\", "")


def test_text_is_never_markup(open_spans, shown):
    text = "<script>alert(1)</script> ___ **b** </bdi>"
    page = open_spans(blanks=text)
    assert_answered(page)
    assert view(page, shown)["parts"][0].startswith("<script>")
    assert "<script>" not in html_with(page, 'class="objectives"')


def test_the_sentence_of_the_other_pages_is_an_example(open_spans, shown):
    page = open_spans(text="My *dog* is hairy")
    last = page.button(key=f"example-{len(sentence.EXAMPLES)}")
    assert last.label == r"My \*dog\* is hairy"
    last.click().run()
    assert_answered(page)
    assert page.text_input(key="blanks").value == "My *dog* is hairy"


@pytest.mark.parametrize("number", range(len(sentence.EXAMPLES) - 1))
def test_every_example_is_answered(open_spans, shown, number):
    page = open_spans(warmth="0")
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    text = finished(view(page, shown))[0]
    assert "___" not in text


def test_the_page_of_models_leads_here(open_page):
    page = open_page({"model": "t5"}).switch_page("../pages/model.py").run()
    links = [one.label for one in page.main.get("page_link")]
    assert ":primary[Fill blanks with it]" in links


def test_the_objectives_are_those_of_the_finished_text(open_spans, shown, t5):
    page = open_spans(draw="5", sample="2")
    body = html_with(page, 'class="objectives"')
    rows = re.findall(r'<tr data-kind="(.*?)">(.*?)</tr>', body)
    assert [kind for kind, _ in rows] == [kind.value for kind in Denoising]
    assert set(NAMES) == set(Denoising)
    found = denoise_text(t5, finished(view(page, shown))[2], seed=5)
    for (_, html), row in zip(rows, found.rows, strict=True):
        cells = [re.findall(r"<bdi[^>]*>(.*?)</bdi>", one) for one in html.split("<td>")[1:]]
        wanted = [[one.text for one in side] for side in (row.inputs, row.targets)]
        assert [[unescape(one) for one in cell] for cell in cells] == wanted
    page.button(key="objectives-again").click().run()
    assert page.query_params["draw"] == "6"


def test_a_link_shows_the_same(open_spans, shown):
    settings = Settings(blanks=FOUR, samples=2, warmth=100, seed=9, sample=1, step=4, head=0)
    query = link_query(settings)
    assert read_query(query) == settings
    page = open_spans(**query)
    assert_answered(page)
    picture = view(page, shown)
    assert (len(picture["texts"]), picture["sample"]) == (2, 1)


@pytest.mark.parametrize("number", range(len(scenes_of("spans"))))
def test_every_scene_is_answered(open_spans, shown, number):
    scene = scenes_of("spans")[number]
    query = {name: write_value(value) for name, value in scene.settings.items()}
    page = open_spans(**query, scene=str(number + 1))
    assert_answered(page)
    picture = view(page, shown)
    assert scene.settings["step"] < len(picture["steps"])
    assert shown(page, SCENE_KEYS)["current"] == number + 1


def test_another_t5_is_filled_with(open_spans, shown, tmp_path, monkeypatch):
    write_all(tmp_path)
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_spans()
    assert_answered(page)
    assert view(page, shown)["attention"]["layers"] == 2


def test_a_model_that_fills_no_blanks_is_not_shown(open_spans, shown):
    page = open_spans(model="structbert")
    assert_answered(page)
    assert "was not trained to fill blanks" in page.info[0].value.replace("\\", "")
    assert view(page, shown)["texts"]
