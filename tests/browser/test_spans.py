"""The page that fills blanks in a real Chromium."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.scenes import scenes_of
from core.checkpoints import load_checkpoint
from core.tasks.step_spans import step_spans
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

DRAWN = '.span-view[data-drawn="true"]'
LIKELIEST = {"warmth": 0}
FOUR = "The ___ sat on the ___2___ and looked at the ___ for ___ hours."


@pytest.fixture(scope="module")
def t5():
    return load_checkpoint("t5", device="cpu")


@pytest.fixture
def open_spans(app_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/spans?{urlencode(query)}")
        expect(page.locator(DRAWN)).to_be_visible()
        expect(page.locator(".objectives tbody tr")).to_have_count(7)
        return page

    return open_at


def expect_one_colour(page):
    """A blank has one colour wherever it is seen."""
    colours = page.locator('[data-blank="0"]').evaluate_all(
        "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(colours) >= 7
    assert len(set(colours)) == 1


def written(page):
    return page.locator(".span-view .both button bdi").all_inner_texts()


def test_the_first_picture_tells_it_all(open_spans, assert_clean, axe_violations):
    page = open_spans()
    assert_own_style(page, "spans")
    expect(page.locator(".samples button")).to_have_count(3)
    expect_one_colour(page)
    assert axe_violations(page, both_schemes=True) == []
    expect_one_colour(page)
    # Essential things stand above the fold, and nothing is cut off at the side.
    for width, height in SIZES:
        resize(page, width, height)
        step = page.locator(".span-view .step").bounding_box()
        assert step["y"] + step["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("Everything is text.")).to_be_visible()
    assert_clean(page)


def test_steps_are_walked_without_the_server_and_come_back_with_the_link(
    open_spans, t5, assert_clean
):
    page = open_spans(blanks=FOUR, **LIKELIEST)
    (text,) = step_spans(t5, FOUR).texts
    assert written(page) == [one.piece for one in text.pieces]
    expect_idle(page)
    before = sent_by(page)
    view = page.locator(DRAWN)
    expect(view).to_have_attribute("data-step", "1")
    page.locator(".both button").nth(4).click()
    expect(view).to_have_attribute("data-step", "4")
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "5")
    read, piece = (one.piece for one in text.pieces[4:6])
    said = f"Step 6 of {len(text.pieces)} · reads {read}, writes {piece}"
    expect(page.locator(".says")).to_contain_text(said)
    pieces = page.locator(".option .token").evaluate_all("all => all.map(one => one.title)")
    assert pieces == [one.piece for one in text.pieces[5].options]
    page.get_by_label("Layer").select_option("1")
    page.locator(".cross canvas").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".readout")).to_contain_text("head 4 puts")
    page.keyboard.press("Enter")
    expect(view).to_have_attribute("data-head", "4")
    expect_address(page, step="5", layer="1", head="4")
    # Nothing of all this has gone to the server.
    assert sent_by(page) == before
    page.reload()
    expect(view).to_have_attribute("data-step", "5")
    expect(view).to_have_attribute("data-head", "4")
    expect(page.get_by_label("Layer")).to_have_value("1")
    assert_clean(page)


def test_words_become_blanks_of_any_size_and_words_again(open_spans, assert_clean):
    page = open_spans(blanks="The dog sleeps in the ___.", **LIKELIEST)
    field = page.get_by_label("Text with blanks")
    page.locator(".words").get_by_role("button", name="dog", exact=True).click()
    expect(field).to_have_value("The ___ sleeps in the ___.")
    page.get_by_label("words in blank 2").select_option("4")
    expect(field).to_have_value("The ___ sleeps in the ___4___.")
    expect_idle(page)  # until then the list of sizes may be drawn anew, and its choice is lost
    page.get_by_label("words in blank 1").select_option("other")
    number = page.get_by_role("spinbutton", name="words in blank 1")
    number.fill("3")
    number.press("Enter")
    expect(field).to_have_value("The ___3___ sleeps in the ___4___.")
    expect(page.locator(".finished .hint")).to_have_text(" · 7 of 7 words")
    fillings = page.locator(".samples b").all_inner_texts()
    assert [len(one.split()) for one in fillings] == [3, 4]
    expect_address(page, blanks="The ___3___ sleeps in the ___4___.")
    page.get_by_role("button", name="Take blank 1 away").click()
    expect(field).to_have_value("The dog sleeps in the ___4___.")
    field.fill("Nothing is missing.")
    field.press("Enter")
    expect(page.get_by_text("There is no blank yet.")).to_be_visible()
    assert_clean(page)


def test_a_blank_is_made_free_and_its_end_is_a_step_among_others(open_spans, t5, assert_clean):
    page = open_spans(blanks="The dog sleeps in the ___, near ___2___.", **LIKELIEST)
    menu = page.get_by_label("words in blank 1")
    offered = menu.locator("option").all_inner_texts()
    sizes = ["1 word", *(f"{count} words" for count in (2, 4, 8, 16, 32, 64, 512))]
    assert offered == [*sizes, "free", "other…"]
    menu.select_option("free")
    text = "The dog sleeps in the ___*___, near ___2___."
    expect(page.get_by_label("Text with blanks")).to_have_value(text)
    expect_address(page, blanks=text)
    expect(page.locator(".finished .hint")).to_have_text(" · 2 of 2 words + 1 free blank")
    (found,) = step_spans(t5, text).texts
    expect(page.locator(".samples b")).to_have_text(list(found.fillings))
    assert written(page) == [one.piece for one in found.pieces]
    read = page.locator(".both ol .of-blank bdi").all_inner_texts()
    assert read == ["<extra_id_0>", "<extra_id_1>", "<size_2>"]
    page.reload()
    expect(page.get_by_label("words in blank 1")).to_have_value("free")
    expect(page.locator(".objectives tbody tr")).to_have_count(7)
    page.wait_for_load_state("networkidle")
    # Where the free blank ends, its last word could have gone on.
    end = [one.piece for one in found.pieces].index("<extra_id_1>")
    page.locator(".both button").nth(end).click()
    expect(page.locator(DRAWN)).to_have_attribute("data-step", str(end))
    expect(page.locator(".option").nth(1)).to_be_visible()
    expect(page.locator('.option[data-chosen="true"] .token')).to_contain_text("<extra_id_1>")
    expect_address(page, step=str(end))
    assert_clean(page)


def test_another_sample_is_chosen_and_kept(open_spans):
    page = open_spans(seed=1)
    other = page.locator(".samples button").nth(2)
    word = other.locator("b").inner_text()
    other.click()
    expect(page.locator(DRAWN)).to_have_attribute("data-sample", "2")
    expect(other).to_have_attribute("aria-checked", "true")
    assert "".join(written(page)[1:-1]).replace("␣", " ").strip() == word
    expect_address(page, sample="2")
    page.reload()
    expect(page.locator(DRAWN)).to_have_attribute("data-sample", "2")


def test_scenes_are_gone_through_with_a_clickers_keys(open_spans, assert_clean):
    scenes = scenes_of("spans")
    page = open_spans(present="true")
    for number in (1, 2, 3):
        press_clicker(page)
        expect(page.locator(".scenes")).to_contain_text(scenes[number - 1].title)
        text = scenes[number - 1].settings["blanks"]
        expect(page.get_by_label("Text with blanks")).to_have_value(text)
    expect(page.locator('.samples [data-blank="3"]').first).to_be_visible()
    press_clicker(page, "PageUp")
    expect(page.locator(".samples button")).to_have_count(1)
    assert_clean(page)
