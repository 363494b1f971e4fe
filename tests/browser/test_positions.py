"""The page about positions in a real Chromium."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.first_style import assert_own_style
from tests.browser.waiting import (
    SIZES,
    expect_address,
    expect_idle,
    press_clicker,
    resize,
    sent_by,
)

pytestmark = pytest.mark.browser

DRAWN = '.positions[data-drawn="true"]'
MATRIX = ".card:nth-child(1) .heat canvas"
NEARNESS = ".card:nth-child(2) .heat canvas"


@pytest.fixture
def open_positions(app_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/positions?{urlencode(query)}")
        expect(page.locator(DRAWN)).to_be_visible()
        expect(page.locator(".shuffle-strip .slot").first).to_be_visible()
        return page

    return open_at


def properties(page):
    return page.locator(".properties li").evaluate_all(
        "all => all.map(one => [one.querySelector('b').textContent, one.dataset.holds])"
    )


def pixels(page, canvas):
    return page.locator(canvas).evaluate(
        "one => { const { width, height } = one;"
        " const data = one.getContext('2d').getImageData(0, 0, width, height).data;"
        " const seen = new Set(new Uint32Array(data.buffer)); return seen.size; }"
    )


def slide(page, name, value):
    page.get_by_role("slider", name=name).evaluate(
        "(one, value) => { one.value = value;"
        " one.dispatchEvent(new Event('input', { bubbles: true })); }",
        str(value),
    )


def test_the_first_picture_tells_it_all(open_positions, assert_clean, axe_violations):
    page = open_positions()
    assert_own_style(page, "positions")
    assert pixels(page, MATRIX) > 50
    assert pixels(page, NEARNESS) > 50
    assert properties(page) == [
        ["Monotonicity", "false"],
        ["Translation invariance", "true"],
        ["Symmetry", "true"],
    ]
    expect(page.locator(".properties .words").first).to_contain_text("42.34 at distance 11")
    expect(page.locator("svg .mark")).to_have_text("first rise, after 11")
    assert axe_violations(page, both_schemes=True) == []
    # The essential stands above the fold, and nothing is cut off at the side.
    for width, height in SIZES:
        resize(page, width, height)
        last = page.locator(".properties li").last.bounding_box()
        assert last["y"] + last["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert pixels(page, MATRIX) > 50
        assert pixels(page, NEARNESS) > 50
    assert_clean(page)


def test_zoom_and_waves_run_nothing_and_come_back_with_the_link(open_positions, assert_clean):
    page = open_positions()
    expect_idle(page)
    before = sent_by(page)
    slide(page, "positions shown", 12)
    expect(page.locator(DRAWN)).to_have_attribute("data-shown", "12")
    slide(page, "dimension", 30)
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "4.5.20.30")
    expect(page.locator(".chips li").last).to_contain_text("30, sine, wavelength 54.4")
    page.get_by_role("button", name="Take away 5, cosine").click()
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "4.20.30")
    box = page.locator(MATRIX).bounding_box()
    page.locator(MATRIX).click(position={"x": box["width"] - 8, "y": 40})
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "4.20.30.127")
    expect_address(page, waves="4.20.30.127")
    expect_address(page, shown="12")
    # Nothing of all this has gone to the server.
    assert sent_by(page) == before
    page.reload()
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "4.20.30.127")
    expect(page.locator(DRAWN)).to_have_attribute("data-shown", "12")
    assert_clean(page)


def test_numbers_are_read_by_keys_and_stand_in_a_table(open_positions):
    page = open_positions(dimensions=4)
    readout = page.locator(".readout").first
    page.locator(MATRIX).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(readout).to_have_text("position 1, 1, cosine, wavelength 6.3: 0.5403")
    page.keyboard.press("Enter")
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "0.1")
    page.keyboard.press("Escape")
    expect(readout).to_contain_text("Amber is negative")
    page.locator(NEARNESS).focus()
    for key in ("ArrowDown", "End"):
        page.keyboard.press(key)
    expect(page.locator(".readout").nth(1)).to_contain_text("positions 0 and 49, 49 apart")
    page.get_by_text("Nearness by distance, in numbers").click()
    expect(page.locator(".rows tbody tr")).to_have_count(50)
    expect(page.locator(".rows tbody tr").first).to_have_text(re.compile(r"^02\.0000"))


def test_positions_are_curves_in_space_with_their_values_or_these_alone(
    open_positions, assert_clean, axe_violations
):
    page = open_positions(positions=20, space="true")
    for name in ("made", "learned"):
        figure = page.locator(f".st-key-figure-curve-{name}")
        expect(figure.locator(".gl-container canvas").first).to_be_visible()
        figure.get_by_text("Values", exact=True).click()
        expect(figure.locator("tbody tr")).to_have_count(20)
    expect(page.locator(".no-space").first).to_be_hidden()
    expect(page.get_by_role("heading", name="Learned, BERT")).to_contain_text("of the variance")
    assert axe_violations(page) == []
    # The wheel scrolls the page, also over a curve.
    curve = page.locator(".st-key-figure-curve-made .gl-container").first
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.mouse.wheel(0, 200)
    page.wait_for_function(
        "([node, top]) => node.getBoundingClientRect().top < top",
        arg=[curve.element_handle(), box["y"]],
    )

    # As a browser without WebGL answers; the next figure finds out.
    page.evaluate(
        """() => {
            const real = HTMLCanvasElement.prototype.getContext;
            HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
                return kind.includes("webgl") ? null : real.call(this, kind, ...more);
            };
        }"""
    )
    page.get_by_role("radio", name="Rotary").click()
    expect(page.locator(".gl-container")).to_have_count(0)
    page.get_by_role("radio", name="Sinusoidal").click()
    expect(page.get_by_text("This browser has no WebGL").first).to_be_visible()
    expect(page.get_by_text("get.webgl.org").first).to_be_hidden()
    figure = page.locator(".st-key-figure-curve-made")
    figure.get_by_text("Values", exact=True).click()
    expect(figure.locator("tbody tr")).to_have_count(20)
    assert_clean(page)


def test_scenes_go_through_codes_and_words(open_positions, assert_clean):
    page = open_positions()
    scene = page.locator(".scenes [role=status]")
    press_clicker(page)
    expect(scene).to_contain_text("Scene 1 of")
    press_clicker(page)
    expect(scene).to_contain_text("Where monotonicity fails")
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "0.1.20")
    expect(page.locator(DRAWN)).to_have_attribute("data-shown", "30")
    press_clicker(page)
    expect(scene).to_contain_text("All sines first")
    expect(page.locator(DRAWN)).to_have_attribute("data-waves", "2.66.10.74")
    expect(page.locator(DRAWN)).to_have_attribute("data-shown", "50")
    press_clicker(page, "PageUp")
    expect(page.locator(DRAWN)).to_have_attribute("data-shown", "30")
    assert_clean(page)


def test_without_positions_a_shuffled_sentence_is_the_same(open_positions, assert_clean):
    page = open_positions(text="She is eating a green apple.", seed=3)
    words = page.locator(".shuffle-strip bdi")
    expect(words.first).to_have_text("[CLS]")
    before = words.all_inner_texts()
    spans = page.locator(".shuffle-strip .slot")
    turned = [one.split("\n")[-2:] for one in spans.all_inner_texts()]
    assert {without for _with, without in turned} == {"0"}
    assert all(float(with_them) > 0 for with_them, _without in turned)
    guesses = page.locator(".mask-card", has_text="What could stand").locator("tbody tr")
    expect(guesses.nth(1)).to_be_visible()
    cells = [row.locator("td").all_inner_texts() for row in guesses.all()]
    assert cells[1][1] == cells[1][2]
    assert cells[0][1] != cells[0][2]
    page.get_by_role("button", name="Shuffle again").click()
    expect_address(page, seed="4")
    expect(words).not_to_have_text(before)
    page.get_by_role("button", name="Attention on the shuffled words").click()
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_be_visible()
    text = page.get_by_label("Sentence", exact=True).input_value()
    assert sorted(text.split()) == sorted("She is eating a green apple .".split())
    assert_clean(page)


def test_a_table_ends_and_a_formula_does_not(open_positions, axe_violations, assert_clean):
    page = open_positions({"width": 800, "height": 900}, code="learned", positions=20)
    expect(page.locator(".position-source")).to_contain_text("512 rows in all")
    start = page.get_by_label("First position", exact=True)
    start.fill("700")
    start.press("Enter")
    expect(page.get_by_text("For position 719 there is none")).to_be_visible()
    page.get_by_role("radio", name="Sinusoidal").click()
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.locator(".properties .words").nth(1)).to_contain_text("rounding")
    expect(page.get_by_text("a text that ends at position 719")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 800
    assert axe_violations(page) == []
    assert_clean(page)
