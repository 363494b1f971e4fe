"""The page of two sentences, run without a browser."""

import json
import re
from base64 import b64decode
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.sections.pairs.judges import HeldOut, held_out
from app.sections.pairs.objectives import LABELS, OBJECTIVES
from app.sections.pairs.sentences import ELSEWHERE, EXAMPLES, OPENING, elsewhere
from app.settings import Settings
from app.theme import probability
from core.checkpoints import load_checkpoint
from core.tasks import input_terms, judge_pair
from tests.app.conftest import SHELL

STORE, MILK = "The man went to the store.", "He bought a gallon of milk."


@pytest.fixture
def open_pairs():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/pairs.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def cards(page):
    """Every card's rows of text, without its bars."""
    found = []
    for html in page.get("html"):
        body = html.proto.body
        if 'class="pair-card"' in body:
            rows = re.findall(r"<tr.*?>(.*?)</tr>", body)
            texts = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]
            clean = [[unescape(re.sub("<.*?>", "", text)) for text in row] for row in texts]
            said = [unescape(one) for one in re.findall(r'<p class="[\w-]+">(.*?)</p>', body)]
            found.append((clean, said))
    return found


def test_the_page_opens_with_a_pair(open_pairs):
    page = open_pairs()
    assert_answered(page)
    assert page.text_input(key="text").value == Settings.text
    assert page.text_input(key="pair").value == OPENING
    assert len(cards(page)) == 3


@pytest.mark.parametrize("at", range(3))
def test_each_objective_judges_the_pair_the_swapped_one_and_a_third(open_pairs, at):
    page = open_pairs(text=STORE, pair=MILK)
    assert_answered(page)
    name = OBJECTIVES[at].system
    model = load_checkpoint(name, device="cpu")
    pairs = ((STORE, MILK), (MILK, STORE), (STORE, elsewhere(STORE, MILK)))
    found = [judge_pair(model, *pair) for pair in pairs]
    rows, said = cards(page)[at]
    assert rows[0][-3:] == ["A, B", "B, A", "A, C"]
    for row, label in enumerate(found[0].labels, start=1):
        numbers = [probability(one.probabilities[row - 1]) for one in found]
        assert rows[row] == [LABELS[label], *numbers]
    losses = [f"{-np.log(one.probabilities[0]):.3f}" for one in found]
    assert rows[-1][1:] == losses
    moved = abs(found[1].probabilities[0] - found[0].probabilities[0])
    assert f"moves by {probability(moved)} when they are swapped" in said[1]


def test_the_third_sentence_is_the_readers_where_there_is_one(open_pairs):
    third = "He paid at the counter."
    page = open_pairs(text=STORE, pair=MILK)
    field = page.text_input(key="third")
    assert (field.value, field.placeholder) == ("", elsewhere(STORE, MILK))
    before = cards(page)
    field.input(third).run()
    assert_answered(page)
    after = cards(page)
    for at, objective in enumerate(OBJECTIVES):
        model = load_checkpoint(objective.system, device="cpu")
        shares = judge_pair(model, STORE, third).probabilities
        rows = after[at][0]
        assert [row[3] for row in rows[1:-1]] == [probability(one) for one in shares]
        assert [row[:3] for row in rows] == [row[:3] for row in before[at][0]]
    assert cards(open_pairs(text=STORE, pair=MILK, third=third)) == after
    page.button(key="example-0").click().run()
    assert page.text_input(key="third").value == ""
    assert cards(page) == before


def test_a_model_at_chance_is_called_so(open_pairs):
    found = held_out("albert", "sentence_order")
    assert found is not None
    _next, order, three = cards(open_pairs(text=STORE, pair=MILK))
    weak = "So it has not learnt the task"
    assert any(weak in one for one in order[1]) == found.is_chance(1 / 2)
    assert not any(weak in one for one in three[1])


@pytest.mark.parametrize(
    ("share", "chance", "verdict"),
    [(0.512, 0.5, True), (0.47, 0.5, True), (0.55, 0.5, False), (0.35, 1 / 3, True)],
)
def test_chance_is_within_two_standard_errors(share, chance, verdict):
    assert HeldOut(share, 1_000).is_chance(chance) is verdict


def test_a_model_without_figures_has_none(tmp_path):
    assert held_out(str(tmp_path), "sentence_order") is None


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_pairs, number):
    page = open_pairs()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="pair").value == EXAMPLES[number].pair
    assert len(cards(page)) == 3


def test_sentences_are_swapped(open_pairs):
    page = open_pairs(text=STORE, pair=MILK)
    before = cards(page)
    page.button(key="swap").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == MILK
    assert page.text_input(key="pair").value == STORE
    after = cards(page)
    for (old, _), (new, _) in zip(before, after, strict=True):
        assert [row[1:3] for row in old[1:]] == [row[2:0:-1] for row in new[1:]]


def test_the_third_sentence_is_neither_of_the_two():
    assert elsewhere(*ELSEWHERE[:2]) == ELSEWHERE[2]
    assert elsewhere(STORE, ELSEWHERE[0]) == ELSEWHERE[1]


@pytest.mark.parametrize("name", ["bert", "albert", "structbert"])
def test_terms_are_those_of_the_model(open_pairs, name):
    page = open_pairs(text=STORE, pair=MILK, model=name)
    assert_answered(page)
    found = input_terms(load_checkpoint(name, device="cpu"), STORE, MILK)
    maps = [one for one in drawn_terms(page) if one["type"] == "heatmap"]
    expected = (found.tokens, found.segments, found.positions, found.total, found.output)
    drawn = [values(one["z"]) for one in maps]
    for vectors, term in zip(drawn, expected, strict=True):
        assert term is not None
        np.testing.assert_allclose(vectors, term, atol=1e-5)
    np.testing.assert_allclose(sum(drawn[:3]), drawn[3], atol=1e-5)
    first, *_more, last = maps[0]["y"]
    assert first == "“[CLS]”, position 0, sentence A"
    assert last == f"“[SEP]”, position {len(found.encoding) - 1}, sentence B"


def test_long_pairs_are_drawn_in_part_and_said_so(open_pairs):
    page = open_pairs(text="cat " * 60, pair="dog " * 60)
    assert_answered(page)
    assert {len(one["y"]) for one in drawn_terms(page)} == {64}
    assert any("59 more are not drawn" in html.proto.body for html in page.get("html"))


def drawn_terms(page):
    (chart,) = page.get("plotly_chart")
    return json.loads(chart.proto.spec)["data"]


def values(packed):
    flat = np.frombuffer(b64decode(packed["bdata"]), packed["dtype"])
    return flat.reshape([int(one) for one in packed["shape"].split(",")])


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"text": STORE, "pair": ""}, "there is only one"),
        ({"text": "", "pair": MILK}, "There is no text yet"),
        ({"text": "cat " * 600, "pair": MILK}, "this model reads at most 512"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_words(open_pairs, query, said):
    page = open_pairs(**query)
    assert not page.exception
    assert said in page.error[0].value


def test_texts_are_escaped(open_pairs):
    page = open_pairs(text="<b>bold</b>", pair="<script>alert(1)</script>")
    assert_answered(page)
    assert not any("<script>" in html.proto.body for html in page.get("html"))


def test_another_model_is_named(open_pairs):
    page = open_pairs(text=STORE, pair=MILK, model="roberta")
    (said,) = [one.value for one in page.info]
    assert "was asked nothing about pairs in training" in said.replace("\\", "")
