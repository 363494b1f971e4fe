"""What people type and paste, and what stands in links: a plain message, and nothing is lost."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'
HOSTILE = "</script><img src=x onerror=window.hacked=1>"
EMPTY = "There is no text yet. Type a sentence."


@pytest.fixture
def open_start(app_url, new_page):
    def open_at(query=""):
        page = new_page()
        page.goto(f"{app_url}/?{query}")
        expect(page.get_by_label("Sentence")).to_be_visible()
        return page

    return open_at


def type_sentence(page, text):
    page.get_by_label("Sentence").fill(text)
    page.get_by_label("Sentence").press("Enter")


def expect_message(page, message):
    expect(page.get_by_test_id("stAlert")).to_contain_text(message)
    expect(page.locator(DRAWN)).to_have_count(0)


def expect_usable(page):
    """The next sentence is answered as if nothing had happened."""
    type_sentence(page, "The cat sat.")
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(page.locator(".guess .sentence")).to_have_text("The cat [MASK].")
    expect(page.locator(DRAWN)).to_be_visible()


def assert_harmless(page, assert_clean):
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0
    expect(page).to_have_title("Headlight")
    assert_clean(page)


def test_a_text_that_cannot_be_read_is_kept_and_survives_a_reload(open_start, assert_clean):
    page = open_start()
    expect(page.locator(DRAWN)).to_be_visible()
    for text, message in (
        ("", EMPTY),
        ("   ", EMPTY),
        ("word " * 600, "The text has 602 tokens, but this model reads at most 512."),
        ("word " * 20_000, "The text has 100000 characters, but at most 20000 are read."),
    ):
        type_sentence(page, text)
        expect_message(page, message)
        expect(page.get_by_label("Sentence")).to_have_value(text)
        page.wait_for_function("location.href.length < 8200")
        page.reload()
        expect(page.get_by_label("Sentence")).to_be_visible()
        expect_usable(page)
    assert_clean(page)


def test_strange_text_is_shown_as_it_is(open_start, assert_clean):
    page = open_start()
    sentences = (
        "[...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')].map(node =>"
    )
    sentences += " [...(node.shadowRoot?.querySelectorAll('.guess .sentence') ?? [])].map(line =>"
    sentences += (
        " [...line.childNodes].map(part => part.title || part.textContent).join(''))).flat()[0]"
    )
    for text in (
        HOSTILE,
        "I ❤️ cafe\u0301 👩‍👩‍👧‍👦 z̷a̸l̵g̶o 🇺🇦",
        "ein\u202erussischer\u2066 Text",
    ):
        type_sentence(page, text)
        expect(page.get_by_label("Sentence")).to_have_value(text)
        page.wait_for_function(f"wanted => {sentences} === wanted", arg=text)
        page.reload()
        page.wait_for_function(f"wanted => {sentences} === wanted", arg=text)
        assert_harmless(page, assert_clean)


def test_a_right_to_left_sentence_reads_from_the_right(open_start):
    page = open_start(urlencode({"text": "مرحبا بالعالم and שלום עולם [MASK]"}))
    words = page.locator(".guess .word")
    expect(words).to_have_count(6)
    left_edges = [words.nth(number).bounding_box()["x"] for number in (0, 1, 2, 3, 4, 5)]
    assert left_edges == sorted(left_edges, reverse=True)
    field = page.get_by_label("Sentence")
    assert field.evaluate("node => getComputedStyle(node).unicodeBidi") == "plaintext"


@pytest.mark.parametrize(
    "query",
    [
        "text=%00a%00b%01%1B%5B31m%7F&layer=999&head=999&token=9999&hide=9999",
        "text=%FF%FEa&layer=abc&head=&token=-7&hide=1e3&present=perhaps&lang=xx&palette=x"
        "&scale=y&set=z",
        "text=a&text=b",
        "layer=%00&v=999&unknown=1",
    ],
)
def test_a_strange_link_still_shows_a_picture(open_start, assert_clean, query):
    page = open_start(query)
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.locator(".guess .candidates").first).to_be_visible()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    count = page.locator(".strip .chip").count()
    expect(page.locator(".fact").last).to_contain_text(f"{count} tokens · ")
    assert_harmless(page, assert_clean)


def test_three_hundred_masks_are_all_filled(open_start, assert_clean, axe_violations):
    page = open_start(urlencode({"text": " ".join(["[MASK]"] * 300)}))
    expect(page.locator(DRAWN)).to_be_visible()
    expect(page.locator(".guess .candidates")).to_have_count(300)
    expect(page.locator(".guess .label").last).to_have_text("Mask 300 of 300")
    assert axe_violations(page) == []
    assert_clean(page)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope", "There is no model called “nope”. These come with Headlight: albert, bert"),
        ("../..", "“../..” may not be opened here."),
        (HOSTILE, f"“{HOSTILE}” may not be opened here."),
    ],
)
def test_a_model_that_does_not_exist_is_named(
    open_start, assert_clean, axe_violations, name, message
):
    page = open_start(urlencode({"model": name, "text": "The cat sat."}))
    expect_message(page, message)
    assert axe_violations(page) == []
    page.get_by_role("button", name="Open BERT instead").click()
    expect(page.locator(".guess .sentence")).to_have_text("The cat [MASK].")
    expect(page.get_by_label("Sentence")).to_have_value("The cat sat.")
    page.wait_for_function("!new URLSearchParams(location.search).has('model')")
    assert_harmless(page, assert_clean)
