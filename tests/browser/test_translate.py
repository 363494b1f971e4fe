"""The page "Translate, one word at a time" in a real Chromium."""

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

DRAWN = '.translation[data-drawn="true"]'
BOOK = "The old man is reading a book."


@pytest.fixture
def open_translate(app_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/translate?{urlencode({'text': BOOK, **query})}")
        expect(page.locator(DRAWN)).to_be_visible()
        return page

    return open_at


def expect_step(page, step):
    expect(page.locator(DRAWN)).to_have_attribute("data-step", str(step))


def colours(page, number):
    return (
        page.locator(".map canvas")
        .nth(number)
        .evaluate(
            "one => { const { width, height } = one;"
            " const data = one.getContext('2d').getImageData(0, 0, width, height).data;"
            " return new Set(new Uint32Array(data.buffer)).size; }"
        )
    )


def test_a_step_stands_above_the_fold(open_translate, assert_clean, axe_violations):
    page = open_translate(step=3)
    assert_own_style(page, "translate")
    expect_step(page, 3)
    assert page.locator(".map h2").all_inner_texts() == ["Encoder", "Decoder", "Cross"]
    expect(page.locator(".candidates li")).to_have_count(10)
    expect(page.locator(".candidates [aria-current]")).to_contain_text("␣liest")
    expect(page.locator(".so-far")).to_have_text("Der alte Mann liest")
    expect(page.locator(".map .readout").nth(2)).to_have_text(
        "After “␣Mann”, most at “␣reading”: 99 %."
    )
    # What comes later has its place, and is not there yet.
    assert page.locator(".strip .coming").count() == 4
    assert all(colours(page, number) > 10 for number in range(3))
    assert axe_violations(page, both_schemes=True) == []
    for width, height in SIZES:
        resize(page, width, height)
        legend = page.locator(".legend").bounding_box()
        assert legend["y"] + legend["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert all(colours(page, number) > 10 for number in range(3))
    assert_clean(page)


def test_steps_layers_and_heads_run_nothing_and_come_back(open_translate, assert_clean):
    page = open_translate()
    expect_step(page, 7)
    expect_idle(page)
    before = sent_by(page)
    place = page.locator(".maps").bounding_box()
    page.keyboard.press("Home")
    expect_step(page, 0)
    for step in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect_step(page, step)
        assert page.locator(".maps").bounding_box() == place
    page.keyboard.press("ArrowLeft")
    expect_step(page, 2)
    expect(page.locator(".stepper output")).to_have_text("Step 3 of 8 writes␣Mann")
    page.get_by_role("slider", name="Step").fill("5")
    expect_step(page, 5)
    page.locator(".strip .chips button").nth(3).click()
    expect_step(page, 3)
    page.locator(".tree g.path").nth(1).click()
    expect_step(page, 1)
    page.get_by_label("layer", exact=True).select_option("1")
    page.get_by_label("head", exact=True).select_option("0")
    expect(page.locator(DRAWN)).to_have_attribute("data-layer", "1")
    expect_address(page, step="1")
    expect_address(page, layer="1")
    expect_address(page, head="0")
    assert sent_by(page) == before
    page.reload()
    expect(page.locator(DRAWN)).to_have_attribute("data-layer", "1")
    expect(page.locator(DRAWN)).to_have_attribute("data-head", "0")
    expect_step(page, 1)
    assert_clean(page)


def test_typing_keeps_the_arrow_keys(open_translate):
    page = open_translate(step=3)
    page.get_by_label("Sentence", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Home")
    expect_step(page, 3)


def test_it_plays_by_itself_and_stops(open_translate):
    page = open_translate(step=5)
    buttons = page.locator(DRAWN)  # Streamlit has a "Stop" of its own above the page
    buttons.get_by_role("button", name="Play").click()
    expect(buttons.get_by_role("button", name="Stop")).to_be_visible()
    expect_step(page, 7)
    expect(buttons.get_by_role("button", name="Play")).to_be_visible()


def test_another_language_and_another_result(open_translate, assert_clean):
    page = open_translate()
    page.get_by_role("radio", name="French").click()
    expect(page.locator(".so-far")).to_have_text("Le vieil homme lit un livre.")
    expect(page.locator(".found li")).to_have_count(4)
    second = page.locator(".found .whole").nth(1).inner_text()
    page.locator(".found input").nth(1).check()
    expect(page.locator(".so-far")).to_have_text(second)
    expect_address(page, followed="1")
    page.reload()
    expect(page.locator(".so-far")).to_have_text(second)
    expect(page.locator(".found input").nth(1)).to_be_checked()
    assert_clean(page)


def test_scenes_go_through_with_the_keys(open_translate, assert_clean):
    page = open_translate()
    scene = page.locator(".scenes [role=status]")
    press_clicker(page)
    expect(scene).to_contain_text("One step, three kinds of attention")
    expect_step(page, 3)
    press_clicker(page)
    expect(scene).to_contain_text("The verb goes to the end")
    expect(page.locator(".so-far")).to_have_text("Gestern habe ich ein gutes Buch gelesen")
    press_clicker(page)
    expect(page.locator(".so-far")).to_have_text("Il m'a donné la voiture rouge")
    press_clicker(page, "PageUp")
    expect(page.locator(".so-far")).to_have_text("Gestern habe ich ein gutes Buch gelesen")
    expect_step(page, 6)
    assert_clean(page)


def test_weights_stand_in_a_table_and_markup_is_text(open_translate, assert_clean):
    page = open_translate(text="<b>I</b> am a boy", step=0)
    page.get_by_text("The weights of this step in numbers").click()
    tables = page.locator(".rows table")
    expect(tables).to_have_count(2)
    weights = [float(one) for one in tables.nth(1).locator("td").all_inner_texts()]
    assert sum(weights) == pytest.approx(1, abs=0.001)
    assert weights[-2:] == [0, 0]
    assert page.locator(".strips b").count() == 0
    assert_clean(page)
