"""The page with every attention head in a real Chromium."""

from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from app.settings import FIELDS
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import copied_link

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'


@pytest.fixture
def open_attention(app_url, new_page):
    """Open the page and wait for the picture: `open_attention(text="...", layer=0)`."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/attention?{urlencode(settings)}")
        expect(page.locator(DRAWN)).to_be_visible()
        return page

    return open_at


def expect_state(page, **data):
    for name, value in data.items():
        expect(page.locator(".attention-canvas")).to_have_attribute(f"data-{name}", str(value))


def chips(page):
    return page.locator(".strip .chip")


def type_into(page, label, text):
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")


def test_the_page_is_drawn_clean_and_accessible(open_attention, assert_clean, axe_violations):
    page = open_attention()
    assert_own_style(page, "attention")
    expect_state(page, theme="light", layer=4, head=3, token=10)
    expect(page.locator(".st-key-attention-facts")).to_contain_text("16 tokens")
    cards = [box.bounding_box() for box in page.locator(".card:visible").all()]
    assert len(cards) >= 3
    # The last one, how a weight came about, grows when a cell is pinned.
    assert all(card["y"] + card["height"] <= 800 for card in cards[:3]), "above the fold"
    main = page.get_by_test_id("stMain")
    assert main.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert axe_violations(page) == []
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("A row looks, a column is looked at.")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    expect_state(page, theme="dark")
    assert_clean(page)


def test_a_second_sentence_comes_with_an_example_and_leaves(open_attention, assert_clean):
    page = open_attention()
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("button", name="my dog is cute / he likes playing").click()
    expect(chips(page)).to_have_count(11)
    page.wait_for_url("**pair=he+likes+playing*")
    type_into(page, "Second sentence", "")
    expect(chips(page)).to_have_count(7)
    type_into(page, "Sentence", "word " * 600)
    expect(page.get_by_text("The text has 602 tokens, but this model")).to_be_visible()
    type_into(page, "Sentence", "The cat sat.")
    expect(chips(page)).to_have_count(6)
    assert_clean(page)


def test_start_leads_here_and_on_with_everything(app_url, new_page, assert_clean):
    page = new_page()
    page.goto(f"{app_url}/?{urlencode({'text': 'The dog chased the cat.', 'layer': 1})}")
    expect(page.locator(DRAWN)).to_be_visible()
    page.get_by_role("application").press("End")
    chips(page).nth(2).click()
    expect_state(page, layer=1, head=11, token=2)
    page.get_by_role("link", name="Explore this head").click()

    expect(page.get_by_role("heading", name="Attention heads")).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("The dog chased the cat.")
    expect(page.locator(".attention-canvas.explorer")).to_be_visible()
    expect_state(page, layer=1, head=11, token=2, drawn="true")
    page.wait_for_url("**/attention?*head=11*")
    type_into(page, "Second sentence", "It ran.")
    expect(page.locator(".st-key-attention-facts")).to_contain_text("13 tokens")

    page.get_by_role("link", name="Fill in the mask").click()
    expect(page.get_by_role("heading", name="Fill in the mask")).to_be_visible()
    page.wait_for_url("**/fill-mask?*text=The*")
    page.get_by_role("link", name="Attention heads").click()
    expect(page.get_by_role("heading", name="Attention heads")).to_be_visible()
    expect(page.get_by_label("Second sentence")).to_have_value("It ran.")
    expect_state(page, layer=1, head=11, token=2, drawn="true")

    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", name="See a transformer think")).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("The dog chased the cat.")
    expect_state(page, layer=1, head=11, token=2, drawn="true")
    assert_clean(page)


def test_a_copied_link_brings_everything_back(open_attention, new_page, assert_clean):
    page = open_attention(
        {"permissions": ["clipboard-read", "clipboard-write"]},
        text="my dog is cute", pair="he likes playing", layer=2, head=4, token=7, key=2,
    )  # fmt: skip
    page.get_by_label("Lines", exact=True).check()
    page.get_by_label("hide specials").check()
    page.wait_for_url("**specials=false*")
    link = copied_link(page)
    assert set(parse_qs(urlsplit(link).query, keep_blank_values=True)) == {"v", *FIELDS}

    other = new_page()
    other.goto(link)
    expect(other.locator(DRAWN)).to_be_visible()
    expect_state(other, layer=2, head=4, token=7)
    expect(other.get_by_label("Lines", exact=True)).to_be_checked()
    expect(other.get_by_label("hide specials")).to_be_checked()
    expect(other.get_by_label("Second sentence")).to_have_value("he likes playing")
    assert_clean(other)


@pytest.mark.parametrize("present", [0, 1])
@pytest.mark.parametrize("model", ["transformer", "t5"])
def test_the_controls_of_all_kinds_stand_in_one_line(open_attention, model, present):
    page = open_attention({"width": 1920, "height": 800}, model=model, present=present)
    expect(page.get_by_label("Cross", exact=True)).to_be_attached()
    for width in (1920, 1440, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        # Once the font is there.
        page.wait_for_function(
            """tools => {
              const boxes = [...tools.children].filter(one => !one.hidden)
                .map(one => one.getBoundingClientRect());
              const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2);
              const apart = boxes.every(({ left }, at) => at === 0 || left >= boxes[at - 1].right);
              return Math.max(...middles) - Math.min(...middles) < 4 && apart;
            }""",
            arg=page.locator(".tools").first.element_handle(),
        )


def test_every_kind_of_attention_is_drawn_and_can_be_shared(
    open_attention, new_page, assert_clean, axe_violations
):
    page = open_attention(
        {"permissions": ["clipboard-read", "clipboard-write"]},
        model="transformer", text="I am a boy", to="de",
    )  # fmt: skip
    expect(page.get_by_text("The model wrote, each time the likeliest piece:")).to_be_visible()
    expect(chips(page).nth(1)).to_have_text("␣I")
    page.get_by_label("Cross", exact=True).check()
    expect(chips(page).nth(1)).to_have_text("␣Ich")
    chips(page).nth(2).click()
    expect_state(page, token=2)
    expect(page.locator(".card.pinned")).to_contain_text("exact, float32")
    assert axe_violations(page) == []
    page.wait_for_url("**set=cross*")
    link = copied_link(page)

    other = new_page()
    other.goto(link)
    expect(other.locator(DRAWN)).to_be_visible()
    expect(other.get_by_label("Cross", exact=True)).to_be_checked()
    expect_state(other, token=2)
    type_into(other, "Target", "Ich bin hier")
    expect(chips(other).filter(has_text="␣hier")).to_have_count(1)
    expect(other.get_by_text("The decoder read the target that was given:")).to_be_visible()
    assert_clean(page)
    assert_clean(other)


def test_the_numbers_come_as_a_file(open_attention):
    # So long that the pass for the file takes more than the wait that is not spoken of.
    page = open_attention(text="The cat sat. " * 45)
    with page.expect_download() as download:
        page.get_by_role("button", name="Numbers (.npz)").click()
    assert download.value.suggested_filename == "attention.npz"
    arrays = np.load(Path(download.value.path()))
    assert arrays["patterns"].shape == (6, 12, 182, 182)
    assert arrays["patterns"].sum(axis=-1) == pytest.approx(1, abs=1e-5)
    assert list(arrays["pieces"])[1:4] == ["the", "cat", "sat"]


@pytest.mark.slow  # by hand, on a quiet machine: on a busy one Streamlit's own entry comes between
def test_back_shows_the_first_page_as_it_was(app_url, new_page):
    page = new_page()
    page.goto(f"{app_url}/?{urlencode({'text': 'The cat sat.', 'hide': 1, 'layer': 1})}")
    expect(page.locator(".guess .sentence")).to_have_text("The [MASK] sat.")
    expect_state(page, layer=1, drawn="true")
    page.get_by_role("link", name="Explore this head").click()
    expect(page.locator(".attention-canvas.explorer")).to_be_visible()
    expect_state(page, layer=1, drawn="true")
    page.wait_for_url("**/attention?*layer=1*")
    page.go_back()
    expect(page.locator(".guess .sentence")).to_have_text("The [MASK] sat.")
    expect_state(page, layer=1, drawn="true")
    page.go_forward()
    expect(page.locator(".attention-canvas.explorer")).to_be_visible()
    expect_state(page, layer=1, drawn="true")
