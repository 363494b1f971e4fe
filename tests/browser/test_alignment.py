"""The page "Alignment" in a real Chromium."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.first_style import assert_own_style
from tests.browser.waiting import SIZES, expect_address, press_clicker, resize

pytestmark = pytest.mark.browser

DRAWN = '.translation[data-drawn="true"]'
BOOK = "The old man is reading a book."


@pytest.fixture
def open_alignment(app_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/alignment?{urlencode({'text': BOOK, **query})}")
        expect(page.locator(DRAWN)).to_be_visible()
        expect(page.locator(".scores")).to_be_visible()
        return page

    return open_at


def test_the_matrix_stands_above_the_fold(open_alignment, assert_clean, axe_violations):
    page = open_alignment({"color_scheme": "dark"}, step=3)
    assert_own_style(page, "alignment")
    expect(page.locator(".map .readout")).to_have_text("For “␣liest” most at “␣reading”: 80 %.")
    weights = [float(one) for one in page.locator(".look td:last-child").all_inner_texts()]
    assert sum(weights) == pytest.approx(1, abs=0.005)
    expect(page.locator(".look [aria-current]")).to_contain_text("␣reading")
    expect(page.locator(".picker")).to_be_hidden()
    assert axe_violations(page, both_schemes=True) == []
    for width, height in SIZES:
        resize(page, width, height)
        legend = page.locator(".legend").bounding_box()
        assert legend["y"] + legend["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert_clean(page)


def test_the_heaviest_row_is_in_sight_in_a_long_sentence(open_alignment):
    page = open_alignment(
        {"width": 1280, "height": 800},
        text="The animal didn't cross the street because it was too tired.",
    )
    room = page.locator(".look .scroll").bounding_box()
    for key in ("End", "Home"):
        page.keyboard.press(key)
        row = page.locator(".look [aria-current]")
        expect(row).to_contain_text("</s>" if key == "End" else "␣The")
        box = row.bounding_box()
        assert room["y"] <= box["y"] + 1
        assert box["y"] + box["height"] <= room["y"] + room["height"] + 1


def test_the_decoder_steps_and_the_link_remembers(open_alignment, assert_clean):
    page = open_alignment()
    expect(page.locator(DRAWN)).to_have_attribute("data-step", "7")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".so-far")).to_have_text("Der alte")
    expect(page.locator(".look [aria-current]")).to_contain_text("␣old")
    expect_address(page, step="1")
    page.reload()
    expect(page.locator(".so-far")).to_have_text("Der alte")
    assert_clean(page)


def test_the_numbers_of_the_six_scores_can_be_changed(open_alignment, assert_clean):
    page = open_alignment(first="scores")
    dot = page.locator('[data-kind="dot"] b')
    expect(dot).to_have_text(["3", "1", "−1"])
    field = page.get_by_label("State s", exact=True)
    field.fill("0 1")
    field.press("Enter")
    expect(dot).to_have_text(["4", "0", "2"])
    expect_address(page, state="0 1")
    # A key within a field is the field's.
    field.press("Home")
    expect(page.locator(DRAWN)).to_have_attribute("data-step", "7")
    page.reload()
    expect(dot).to_have_text(["4", "0", "2"])
    assert_clean(page)


def test_scenes_lead_to_the_scores(open_alignment, assert_clean):
    page = open_alignment(scene=5)
    press_clicker(page)
    expect(page.locator(".scenes [role=status]")).to_contain_text("Six scores, the same vectors")
    expect(page.get_by_role("radio", name="Six scores by hand")).to_be_checked()
    press_clicker(page)
    expect(page.locator('[data-kind="dot"] b')).to_have_text(["6", "1", "−1"])
    press_clicker(page, "PageUp")
    expect(page.locator('[data-kind="dot"] b')).to_have_text(["3", "1", "−1"])
    card, picture = page.locator(".scores").bounding_box(), page.locator(DRAWN).bounding_box()
    assert card["y"] < picture["y"]
    assert_clean(page)
