"""The page of two sentences in a real Chromium."""

from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from app.scenes import scenes_of
from app.settings import FIELDS
from core.checkpoints import load_checkpoint
from core.tasks import input_terms
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import copied_link, expect_address, expect_idle, press_clicker

pytestmark = pytest.mark.browser

STORE, MILK = "The man went to the store.", "He bought a gallon of milk."
CARDS = "[class*='st-key-card-pair'], .st-key-foot"


@pytest.fixture
def open_pairs(app_url, new_page):
    """Open the page and wait for all of it: `open_pairs(text="...", pair="...")`."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/pairs?{urlencode(settings)}")
        expect_answer(page)
        return page

    return open_at


def expect_answer(page):
    expect(page.locator(".pair-card")).to_have_count(3)
    expect(page.locator(".input-terms[data-drawn='true']")).to_be_visible()
    expect(page.locator(".st-key-foot button").first).to_be_visible()
    expect_idle(page)


def numbers(page):
    return [card.locator("td").all_inner_texts() for card in page.locator(".pair-card").all()]


def places(page):
    return [box.bounding_box() for box in page.locator(CARDS).all()]


def test_the_page_is_drawn_clean_and_accessible(open_pairs, assert_clean, axe_violations):
    page = open_pairs(text=STORE, pair=MILK)
    assert_own_style(page, "pairs")
    assert axe_violations(page) == []
    for card in page.locator(".pair-card").all():
        box = card.bounding_box()
        assert box["y"] + box["height"] <= 800
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("A, B is the pair as typed")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    assert_clean(page)


def test_a_cell_of_the_terms_is_read_by_key_and_adds_up(open_pairs, assert_clean):
    page = open_pairs(text=STORE, pair=MILK)
    found = input_terms(load_checkpoint("bert", device="cpu"), STORE, MILK)
    canvas = page.locator(".input-terms canvas")
    canvas.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        canvas.press(key)
    assert found.segments is not None
    assert found.positions is not None
    said = page.locator(".input-terms .readout").inner_text().replace("\N{MINUS SIGN}", "-")
    assert said.startswith(f"“{found.encoding.pieces[1]}”, sentence A, number 2:")
    terms = [found.tokens, found.segments, found.positions, found.total, found.output]
    for term in terms:
        assert f"{term[1, 2]:.3f}" in said
    canvas.hover(position={"x": 300, "y": 60})
    expect(page.locator(".input-terms .readout")).not_to_contain_text("number 2:")
    page.get_by_text("Lengths in numbers").click()
    lengths = page.locator(".input-terms tbody tr").first.locator("td").all_inner_texts()
    assert lengths == [f"{np.linalg.norm(term[0]):.2f}" for term in terms]
    assert_clean(page)


def test_other_sentences_change_their_columns_and_move_nothing(open_pairs, assert_clean):
    page = open_pairs(text=STORE, pair=MILK)
    before, where = numbers(page), places(page)
    page.get_by_role("button", name="⇄").click()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(MILK)
    for card, old in zip(page.locator(".pair-card").all(), before, strict=True):
        expect(card.locator("td").nth(1)).to_have_text(old[2])
    assert places(page) == where

    # The third one; what is read with it is as with the second, when it is the same.
    expect_idle(page)
    before = numbers(page)
    field = page.get_by_label("C, from elsewhere")
    expect(field).to_have_attribute("placeholder", "Penguins are flightless.")
    field.fill(STORE)
    field.press("Enter")
    for card, old in zip(page.locator(".pair-card").all(), before, strict=True):
        expect(card.locator("td").nth(3)).to_have_text(old[1])
    expect_address(page, third=STORE)
    assert [box["x"] for box in places(page)] == [box["x"] for box in where]
    assert [box["y"] for box in places(page)] == [box["y"] for box in where]
    assert_clean(page)


def test_a_copied_link_brings_everything_back(open_pairs, new_page):
    page = open_pairs(
        {"permissions": ["clipboard-read", "clipboard-write"]},
        text=STORE,
        pair=MILK,
        third="He paid for it.",
        model="albert",
    )
    link = copied_link(page)
    query = parse_qs(urlsplit(link).query, keep_blank_values=True)
    assert set(query) == {"v", *FIELDS}
    other = new_page()
    other.goto(link)
    expect_answer(other)
    assert numbers(other) == numbers(page)
    expect(other.get_by_label("C, from elsewhere")).to_have_value("He paid for it.")
    expect(other.locator(".input-terms .hint")).to_contain_text("ALBERT")


def test_scenes_set_both_sentences(open_pairs, assert_clean):
    page = open_pairs()
    for number, scene in enumerate(scenes_of("pairs")[:3], start=1):
        press_clicker(page)
        expect(page.get_by_role("status").first).to_contain_text(f"Scene {number} of")
        for name, label in (("text", "Sentence"), ("pair", "Second sentence")):
            field = page.get_by_label(label, exact=True)
            expect(field).to_have_value(scene.settings[name])
    assert_clean(page)


def test_all_heads_of_the_pair_are_one_click_away(open_pairs, assert_clean):
    page = open_pairs(text=STORE, pair=MILK, present="1")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.get_by_role("button", name="All heads of BERT on this pair").click()
    expect(page.get_by_role("heading", name="Attention heads")).to_be_visible()
    expect(page.get_by_label("Second sentence", exact=True)).to_have_value(MILK)
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_be_visible()
    assert_clean(page)
