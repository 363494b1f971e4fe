"""Back from a page that a link has opened, in a real Chromium: the page left is as it was."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.waiting import expect_idle, expect_query

pytestmark = pytest.mark.browser

APPLE = "She is eating a green apple."
CANVAS = '.attention-canvas[data-drawn="true"]'


def settings_of(page):
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def expect_alone(page):
    """The heads are those of a text that was read alone, without the pair of another page."""
    expect(page.get_by_label("Second sentence")).to_have_value("")
    # The address of a page that opens comes a moment after the page.
    page.wait_for_function("!new URLSearchParams(location.search).has('pair')")


def go_back(page):
    """As a reader does, who has seen the page: not while it still says what it wants to know."""
    canvas = page.locator(CANVAS)
    if canvas.count() and canvas.get_attribute("data-token"):
        expect(canvas).to_contain_text("row sum")  # what it asked for a token has come
    expect_idle(page)
    page.go_back()


@pytest.mark.parametrize(
    ("path", "settings", "link"),
    [
        (
            "next-word",
            {"text": APPLE, "pair": "It is sour.", "warmth": "120", "seed": "5"},
            "All heads of this run",
        ),
        ("pairs", {"text": APPLE, "pair": "It is sour."}, "All heads of"),
        (
            "positions",
            {"text": APPLE, "pair": "It is sour.", "seed": "5"},
            "Attention on the shuffled words",
        ),
        ("positions", {}, "Attention on the shuffled words"),
        ("translate", {"text": APPLE, "beams": "2"}, "All heads of this run"),
        ("spans", {"warmth": "70", "seed": "5"}, "All heads of this run"),
    ],
)
def test_back_shows_the_page_as_it_was_left(app_url, new_page, assert_clean, path, settings, link):
    page = new_page()
    page.goto(f"{app_url}/{path}?{urlencode(settings)}")
    button = page.get_by_role("button", name=link)
    expect(button).to_be_visible()
    title = page.get_by_role("heading", level=1).inner_text()
    field = page.get_by_label(re.compile("^(Sentence|Text with blanks)$"))
    expect(field).not_to_have_value("")  # it is empty for a moment
    sentence = field.input_value()
    left = settings_of(page)
    button.click()
    expect(page.locator(CANVAS)).to_be_visible()
    if path in {"next-word", "positions"}:
        expect_alone(page)
    go_back(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(field).to_have_value(sentence)
    expect(button).to_be_visible()
    expect_query(page, **left)
    assert_clean(page)


def see_numbers(page, shown):
    expect(page.locator(shown).first).to_be_visible()
    expect_idle(page)
    return page.locator(shown).first.inner_text()


@pytest.mark.parametrize(
    ("path", "settings", "link", "opened", "shown"),
    [
        (
            "fill-mask",
            {
                "text": APPLE,
                "pair": "It is sour.",
                "hide": "3.4",
                "mask": "1",
                "off": "4-3",
                "edit": "He eats.",
            },
            "look at it",
            "Attention heads",
            ".candidate",
        ),
        (
            "family",
            {"text": APPLE, "hide": "4", "depth": "0", "draw": "3"},
            "with all heads",
            "Attention heads",
            '.family-card[data-drawn="true"]',
        ),
        (
            "compare",
            {"text": APPLE, "other_text": "He is eating a red apple.", "hide": "5", "layer": "2"},
            "Right in all views",
            "Attention heads",
            '.compared[data-drawn="true"] .cell',
        ),
        (
            "compare",
            {"model": "transformer", "other_model": "seq2seq", "contrast": "models", "text": APPLE},
            "Right, step by step",
            "Alignment",
            '.compared[data-drawn="true"] .cell',
        ),
        (
            "findings",
            {"finding": "learning-rate"},
            "Run a smaller one now",
            "Warm-up lab",
            ".finding-ends tbody",
        ),
    ],
)
def test_back_shows_what_was_chosen_and_found(
    app_url, new_page, assert_clean, path, settings, link, opened, shown
):
    page = new_page()
    page.goto(f"{app_url}/{path}?{urlencode(settings)}")
    words = see_numbers(page, shown)
    heading = page.get_by_role("heading", level=1)
    title = heading.inner_text()
    left = settings_of(page)
    assert settings.items() <= left.items()
    page.get_by_role("button", name=link).first.click()
    expect(heading).to_have_text(opened)
    if path == "fill-mask":
        expect(page.locator(CANVAS)).to_be_visible()
        expect_alone(page)
    go_back(page)
    expect(heading).to_have_text(title)
    expect(page.locator(shown).first).to_have_text(words, use_inner_text=True)
    assert see_numbers(page, shown) == words
    expect_query(page, **left)
    assert_clean(page)


def test_back_and_forward_between_a_sentence_and_its_replaced_one(app_url, new_page, assert_clean):
    page = new_page()
    changed = {
        "text": APPLE, "pair": "It is sour.", "replacer": "reader", "changed": "4:red",
        "threshold": "35",
    }  # fmt: skip
    page.goto(f"{app_url}/replaced?{urlencode(changed)}")
    counts = page.locator(".counts")
    expect(counts).to_contain_text("At 0.35")
    page.get_by_role("slider", name="Threshold").press("ArrowRight")
    expect(counts).to_contain_text("At 0.36")
    page.wait_for_url("**threshold=36*")
    words, left = counts.inner_text(), settings_of(page)
    sentence = page.get_by_label("Sentence", exact=True)
    expect_idle(page)
    page.get_by_role("button", name="Attention of this run").click()
    for _ in range(2):
        expect(page.locator(CANVAS)).to_be_visible()
        expect(sentence).to_have_value(APPLE.replace("green", "red"))
        expect_alone(page)
        go_back(page)
        expect(counts).to_have_text(words)
        expect(sentence).to_have_value(APPLE)
        expect(page.locator(".was", has_text="green")).to_be_visible()
        expect_query(page, **left)
        expect_idle(page)  # what the server still writes into the address would end the way forward
        page.go_forward()
    assert_clean(page)
