"""The page of two sentences in a real Chromium."""

import re
from pathlib import Path
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
FIGURE = ".st-key-figure-input-terms"
MAPS = f"{FIGURE} .heatmaplayer image"
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
    expect(page.locator(MAPS)).to_have_count(5)
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


def test_the_terms_are_read_zoomed_and_saved(open_pairs, assert_clean, axe_violations):
    page = open_pairs({"color_scheme": "dark"}, text=STORE, pair=MILK)
    found = input_terms(load_checkpoint("bert", device="cpu"), STORE, MILK)
    assert found.segments is not None
    assert found.positions is not None
    figure = page.locator(FIGURE)
    figure.locator("summary").click()
    terms = [found.tokens, found.segments, found.positions, found.total, found.output]
    lengths = figure.locator("tbody tr").nth(1).locator("td").all_inner_texts()
    assert lengths[:3] == ["1", found.encoding.pieces[1], "A"]
    assert lengths[3:] == [f"{np.linalg.norm(term[1]):.4f}" for term in terms]
    assert axe_violations(page) == []

    # A cell of the sum is read with its terms, as they are.
    box = page.locator(MAPS).nth(3).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tooltip = page.locator(f"{FIGURE} .hoverlayer .hovertext")
    expect(tooltip).to_contain_text("= sum")
    place, *numbers = tooltip.locator("tspan.line").all_text_contents()
    row, column = map(int, re.findall(r"position (\d+), sentence ., feature (\d+)", place)[0])
    shown = [float(one.split()[-1].replace("\N{MINUS SIGN}", "-")) for one in numbers]
    assert shown == [round(float(term[row, column]), 5) for term in terms[:4]]

    # A drag in one map chooses features in all.
    ticks = [figure.locator(f".xaxislayer-above .x{at}tick").last for at in ("", 2, 5)]
    before = [one.text_content() or "" for one in ticks]
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 20, box["y"] + box["height"] / 2, steps=3)
    page.mouse.up()
    for tick, all_of_them in zip(ticks, before, strict=True):
        expect(tick).not_to_have_text(all_of_them)
    for kind, begins in (("CSV", b"\xef\xbb\xbfposition,token,"), ("SVG", b"<svg")):
        with page.expect_download() as saved:
            figure.get_by_role("button", name=kind, exact=True).click()
        assert Path(saved.value.path()).read_bytes().startswith(begins)
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
    expect(other.locator(".st-key-card-pair-terms h2")).to_contain_text("ALBERT")


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
