"""The first page in a real Chromium."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from app.settings import FIELDS, Settings
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import copied_link, expect_idle, expect_query

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'

# Of every script its address and size; "" for those that stand in the page.
SCRIPT_SIZES = """() => {
    const inline = [...document.querySelectorAll("script")].map(one => one.text.length);
    const all = performance.getEntriesByType("resource").filter(({ name }) => /\\.js/.test(name));
    return { "": inline.reduce((sum, one) => sum + one, 0),
        ...Object.fromEntries(all.map(one => [one.name, one.decodedBodySize])) };
}"""


@pytest.fixture
def open_start(app_url, new_page):
    """Open the page and wait for the picture and the guesses: `open_start(text="...", hide=0)`."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/?{urlencode(settings)}")
        expect_answer(page)
        return page

    return open_at


def expect_answer(page):
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.locator(".guess .candidates").first).to_be_visible()


def expect_state(page, **data):
    for name, value in data.items():
        expect(page.locator(".attention-canvas")).to_have_attribute(f"data-{name}", str(value))


def sentence(page):
    return page.get_by_label("Sentence")


def type_sentence(page, text):
    sentence(page).fill(text)
    sentence(page).press("Enter")


def guess_line(page):
    return page.locator(".guess .sentence")


def candidates(page):
    return page.locator(".guess .candidates .token").all_inner_texts()


def places(page):
    cards = ".st-key-sentence, .st-key-text, .st-key-facts, .strip, .card, .guess, .st-key-foot"
    return [box.bounding_box() for box in page.locator(cards).all()]


def test_the_page_is_drawn_clean_and_accessible(open_start, assert_clean, axe_violations):
    page = open_start()
    assert_own_style(page, "")
    expect_state(page, theme="light")
    expect(page).to_have_title("Headlight")
    expect(page.get_by_text("Hide a word")).to_be_visible()
    foot = page.locator(".st-key-foot").bounding_box()
    assert foot["y"] + foot["height"] <= 800, "everything essential stands above the fold"
    assert axe_violations(page) == []
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("Each small picture is one head.")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    expect_state(page, theme="dark")
    sizes = page.evaluate(SCRIPT_SIZES)
    assert not [name for name in sizes if "Plotly" in name or "embed." in name]
    ours = sum(size for name, size in sizes.items() if name == "" or "/app/static/v-" in name)
    assert 10_000 < ours < 200_000, "our share of the script is small"
    assert_clean(page)


def test_the_facts_are_those_of_the_picture(open_start):
    page = open_start(text="i have a funny story about dinosours")
    facts = page.locator(".fact")
    expect(facts.first).to_have_text("BERT · 6 layers × 12 heads")
    said = re.fullmatch(r"(\d+) tokens · (\d+\sms|\d\.\d\ss) on CPU", facts.last.inner_text())
    assert said is not None
    assert int(said[1]) == page.locator(".strip .chip").count()


def test_heads_and_words_are_reached_with_the_keyboard(open_start):
    page = open_start()
    expect_state(page, layer=4, head=3, token=10)
    atlas = page.get_by_role("application")
    atlas.press("ArrowRight")
    atlas.press("ArrowUp")
    expect_state(page, layer=3, head=4)
    atlas.press("End")
    expect_state(page, layer=3, head=11)
    atlas.press("Home")
    expect_state(page, layer=3, head=0)
    expect_query(page, layer=3, head=0)

    words = page.locator(".guess .word")
    assert page.locator(".guess .word[tabindex='0']").count() == 1
    page.locator(".guess .hidden-word").focus()
    page.keyboard.press("Home")
    expect(words.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(guess_line(page)).to_have_text(Settings.text.replace("animal", "[MASK]"))
    expect(words.nth(1)).to_be_focused()
    expect(words.nth(1)).to_have_accessible_name("animal [MASK]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(guess_line(page)).to_have_text(Settings.text.replace("didn't", "[MASK] [MASK] [MASK]"))
    expect(page.locator(".guess .label")).to_have_count(3)


def test_a_link_with_zeros_shows_the_same_picture(open_start, assert_clean):
    page = open_start(text="The cat sat on the mat.", layer=0, head=0, token=0, hide=0)
    expect_state(page, layer=0, head=0, token=0)
    expect(guess_line(page)).to_have_text("[MASK] cat sat on the mat.")
    page.reload()
    expect_answer(page)
    expect_state(page, layer=0, head=0, token=0)
    expect(guess_line(page)).to_have_text("[MASK] cat sat on the mat.")
    assert_clean(page)


def test_a_copied_link_brings_everything_back(open_start, new_page, assert_clean):
    page = open_start({"permissions": ["clipboard-read", "clipboard-write"]})
    type_sentence(page, "The dog & the cat = friends?")
    expect(guess_line(page)).to_have_text("The dog & the cat = [MASK]?")
    page.locator(".guess .word").filter(has_text="dog").click()
    expect(guess_line(page)).to_have_text("The [MASK] & the cat = friends?")
    token = page.locator(".strip .chip").nth(2)
    expect(token).to_have_text("dog")  # the picture is drawn by itself
    token.click()
    page.get_by_role("application").press("Home")
    page.get_by_label("per row").check()
    expect_state(page, layer=4, head=0, token=2)
    expect_query(page, text="The dog & the cat = friends?", hide=1, head=0, token=2, scale="row")
    link = copied_link(page)
    query = parse_qs(urlsplit(link).query, keep_blank_values=True)
    assert set(query) == {"v", *FIELDS}
    assert query["v"] == ["1"]

    other = new_page()
    other.goto(link)
    expect_answer(other)
    expect_state(other, layer=4, head=0, token=2)
    expect(other.get_by_label("per row")).to_be_checked()
    expect(sentence(other)).to_have_value("The dog & the cat = friends?")
    expect(guess_line(other)).to_have_text("The [MASK] & the cat = friends?")
    assert candidates(other) == candidates(page)
    assert_clean(page)
    assert_clean(other)


def test_hiding_another_word_leaves_the_picture_alone(open_start, assert_clean):
    page = open_start()
    before = candidates(page)
    page.locator(DRAWN).evaluate("node => { node.marked = true; }")
    page.evaluate("performance.clearMeasures()")
    page.locator(".guess .word").filter(has_text="street").click()
    expect(guess_line(page)).to_have_text(Settings.text.replace("street", "[MASK]"))
    expect(page.locator(".guess .hidden-word")).to_have_attribute("title", "street")
    assert candidates(page) != before
    expect_query(page, hide=5)
    assert page.locator(DRAWN).evaluate("node => node.marked")
    assert page.evaluate("performance.getEntriesByName('headlight:draw').length") == 0
    page.go_back()
    expect(guess_line(page)).to_have_text(Settings.text.replace("tired", "[MASK]"))
    assert_clean(page)


def test_a_new_sentence_brings_new_tokens_and_guesses(open_start, assert_clean):
    page = open_start(hide=1)
    page.get_by_role("application").press("End")
    type_sentence(page, "The child didn't cross the street because it was too tired.")
    expect(page.locator(".strip .chip").nth(2)).to_have_text("child")
    expect(guess_line(page)).to_have_text(
        "The child didn't cross the street because it was too [MASK]."
    )
    # What was chosen in the picture stays, the number of a word in another text does not.
    expect_state(page, layer=4, head=11)
    expect_query(page, text="The child didn't cross the street because it was too tired.", head=11)
    assert_clean(page)


def test_examples_are_one_click_away(open_start):
    page = open_start()
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="the man went to the [MASK]").click()
    text = "the man went to the [MASK] to buy a [MASK] of milk"
    expect(guess_line(page)).to_have_text(text)
    expect(sentence(page)).to_have_value(text)
    expect(page.locator(".guess .label")).to_have_text(["Mask 1 of 2", "Mask 2 of 2"])
    expect_query(page, text=text)


def test_nothing_moves_when_a_result_arrives(open_start):
    page = open_start()
    expect_idle(page)
    before = places(page)
    page.evaluate(
        """() => {
            window.widths = new Set();
            const look = () => {
                window.widths.add(document.querySelector(".st-key-text").offsetWidth);
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    type_sentence(page, "The animal didn't cross the street because it was too weary.")
    expect(page.locator(".strip .chip").nth(13)).to_have_text("weary")
    expect_idle(page)
    assert places(page) == before
    assert len(page.evaluate("[...window.widths]")) == 1


def test_the_hidden_word_of_a_long_text_is_in_sight(open_start):
    page = open_start(text="The cat sat on the mat. " * 60)
    room = page.locator(".guess .sentence").bounding_box()
    word = page.locator(".guess .hidden-word").bounding_box()
    assert room["y"] <= word["y"]
    assert word["y"] + word["height"] <= room["y"] + room["height"] + 1
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_presenter_mode_shows_the_page_alone(open_start, assert_clean):
    page = open_start(present=1)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    small = float(page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)"))
    assert small == 20
    assert page.get_by_role("application").bounding_box()["width"] > 600
    assert_clean(page)


def test_the_theme_follows_the_menu(open_start, axe_violations):
    page = open_start()
    page.get_by_role("button", name="Main menu").click()
    page.get_by_test_id("stMainMenuPopover").get_by_text("Dark").click()
    page.keyboard.press("Escape")
    expect_state(page, theme="dark")
    ground = page.locator(".guess").evaluate("node => getComputedStyle(node).backgroundColor")
    assert ground == "rgb(23, 27, 35)"
    assert axe_violations(page) == []


def test_two_readers_do_not_mix(open_start):
    first, second = open_start(text="The cat sat."), open_start(text="The dog ran.")
    type_sentence(first, "One cat was sleeping.")
    type_sentence(second, "Two dogs were barking.")
    expect(guess_line(first)).to_have_text("One cat was [MASK].")
    expect(guess_line(second)).to_have_text("Two dogs were [MASK] [MASK].")
    first.locator(".guess .word").first.click()
    second.locator(".guess .word").nth(1).click()
    expect(guess_line(first)).to_have_text("[MASK] cat was sleeping.")
    expect(guess_line(second)).to_have_text("Two [MASK] were barking.")
    assert [chip.lower() for chip in first.locator(".chip").all_inner_texts()][1] == "one"
    assert [chip.lower() for chip in second.locator(".chip").all_inner_texts()][1] == "two"


def test_the_picture_can_be_checked_against_hugging_face(open_start, assert_clean):
    page = open_start()
    page.get_by_role("button", name="Check it against Hugging Face").click()
    line = page.get_by_text("Largest difference from Hugging Face")
    expect(line).to_be_visible(timeout=60_000)
    numbers = [float(number) for number in re.findall(r"\d\.\de-?\d+", line.inner_text())]
    assert len(numbers) == 2
    assert all(0 <= number < 1e-4 for number in numbers)
    assert_clean(page)
