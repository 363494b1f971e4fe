"""Back from the page of all heads, in a real Chromium: the page left is as it was left."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

APPLE = "She is eating a green apple."
CANVAS = '.attention-canvas[data-drawn="true"]'


def settings_of(page):
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


@pytest.mark.parametrize(
    ("path", "settings", "link"),
    [
        ("next-word", {"text": APPLE, "warmth": "120", "seed": "5"}, "All heads of this run"),
        ("pairs", {"text": APPLE, "pair": "It is sour."}, "All heads of"),
        ("positions", {"text": APPLE, "seed": "5"}, "Attention on the shuffled words"),
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
    sentence = field.input_value()
    left = settings_of(page)
    button.click()
    expect(page.locator(CANVAS)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(field).to_have_value(sentence)
    expect(button).to_be_visible()
    assert settings_of(page) == left
    assert_clean(page)


def test_back_and_forward_between_a_sentence_and_its_replaced_one(app_url, new_page, assert_clean):
    page = new_page()
    changed = {"text": APPLE, "replacer": "reader", "changed": "4:red", "threshold": "35"}
    page.goto(f"{app_url}/replaced?{urlencode(changed)}")
    counts = page.locator(".counts")
    expect(counts).to_contain_text("At 0.35")
    page.get_by_role("slider", name="Threshold").press("ArrowRight")
    expect(counts).to_contain_text("At 0.36")
    page.wait_for_url("**threshold=36*")
    words, left = counts.inner_text(), settings_of(page)
    sentence = page.get_by_label("Sentence", exact=True)
    page.get_by_role("button", name="Attention of this run").click()
    for _ in range(2):
        expect(page.locator(CANVAS)).to_be_visible()
        expect(sentence).to_have_value(APPLE.replace("green", "red"))
        page.go_back()
        expect(counts).to_have_text(words)
        expect(sentence).to_have_value(APPLE)
        expect(page.locator(".was", has_text="green")).to_be_visible()
        page.wait_for_url("**threshold=36*")
        assert settings_of(page) == left
        page.go_forward()
    assert_clean(page)
