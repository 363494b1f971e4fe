"""The page that compares, in a real Chromium."""

from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from app.scenes import scenes_of
from core.checkpoints import load_checkpoint
from core.tasks.compare_attention import compare_attention
from core.tasks.read_side import read_side
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import press_clicker

pytestmark = pytest.mark.browser

DRAWN = '.compared[data-drawn="true"]'
TEXT = "The doctor said that he would come."
OTHER = "The nurse said that he would come."


@pytest.fixture
def open_compare(app_url, new_page):
    def open_at(options=None, url=app_url, **settings) -> Page:
        page = new_page(**(options or {}))
        page.goto(f"{url}/compare?{urlencode(settings)}")
        expect(page.locator(DRAWN)).to_be_visible()
        return page

    return open_at


@pytest.fixture(scope="module")
def expected():
    model = load_checkpoint("bert")
    sides = [read_side(model, text, mask_words=[4]) for text in (TEXT, OTHER)]
    return compare_attention(sides[0].attention, sides[1].attention)


def numbers_of(page):
    cells = page.locator(".cell td").all_text_contents()
    return [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in cells]


def expect_numbers(page, maps, head, row, column):
    left, right = float(maps.left[head][row, column]), float(maps.right[head][row, column])
    difference = float(maps.difference(head, head)[row, column])
    np.testing.assert_allclose(numbers_of(page), [left, right, difference], atol=5.1e-5)


def test_three_maps_show_the_numbers_of_one_cell(
    open_compare, expected, assert_clean, axe_violations
):
    page = open_compare(text=TEXT, other_text=OTHER, hide="4", layer=4, head=4)
    assert_own_style(page, "compare")
    expect(page.locator(".compared article")).to_have_count(3)
    expect(page.locator(".where")).to_contain_text("Largest difference")
    difference = expected.difference((4, 4), (4, 4))
    row, column = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    expect_numbers(page, expected, (4, 4), row, column)

    # With the keys into the cell that differs most, and on to its neighbour.
    page.locator(".both canvas").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => new URLSearchParams(location.search).has('key')")
    expect_numbers(page, expected, (4, 4), row, column)
    page.keyboard.press("ArrowUp")
    expect_numbers(page, expected, (4, 4), row - 1, column)

    # The same cell is outlined in all three under the pointer.
    before = [canvas.screenshot() for canvas in page.locator(".room canvas").all()]
    box = page.locator(".left canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".where")).not_to_contain_text("Largest")
    after = [canvas.screenshot() for canvas in page.locator(".room canvas").all()]
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    expect(page.locator(".where")).to_contain_text("Largest difference")

    # Choosing heads asks the server nothing.
    page.get_by_label("layer").first.select_option("2")
    expect(page.locator(DRAWN)).to_have_attribute("data-right", "2-4")
    page.get_by_label("same head").uncheck()
    page.locator(".right").get_by_label("head", exact=True).select_option("7")
    expect(page.locator(DRAWN)).to_have_attribute("data-right", "2-7")
    expect(page.locator(DRAWN)).to_have_attribute("data-left", "2-4")
    page.wait_for_url("**other_head=7*")
    assert axe_violations(page) == []
    page.reload()
    expect(page.locator(DRAWN)).to_have_attribute("data-right", "2-7")
    assert_clean(page)


def test_a_difference_is_drawn_in_two_colours_on_a_scale_of_its_own(open_compare, expected):
    page = open_compare(text=TEXT, other_text=OTHER, hide="4", layer=4, head=4)
    full = max(expected.left[4, 4].max(), expected.right[4, 4].max())
    largest = np.abs(expected.difference((4, 4), (4, 4))).max()
    assert largest < full / 2
    expect(page.locator(".ramp.weights")).to_contain_text(f"{full:.4f}")
    expect(page.locator(".ramp.differences")).to_contain_text(f"+{largest:.4f}")
    expect(page.locator(".ramp.differences")).to_contain_text(f"\N{MINUS SIGN}{largest:.4f}")
    own = page.get_by_label("own scale")
    own.uncheck()
    expect(page.locator(".ramp.differences")).to_contain_text(f"+{full:.4f}")
    own.check()
    expect(page.locator(".ramp.differences")).to_contain_text(f"+{largest:.4f}")
    # More on the right is blue, more on the left is not.
    hues = page.locator(".both canvas").evaluate(
        """canvas => {
          const { width, height } = canvas;
          const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
          let [blue, orange] = [0, 0];
          for (let at = 0; at < data.length; at += 4) {
            if (data[at + 2] - data[at] > 40) blue += 1;
            if (data[at] - data[at + 2] > 40) orange += 1;
          }
          return [blue, orange];
        }"""
    )
    assert min(hues) > 100
    page.get_by_text("0 to 1", exact=True).click()
    expect(page.locator(".ramp.weights")).to_contain_text("1.0000")


def test_the_difference_as_a_chart_follows_the_heads(
    open_compare, expected, assert_clean, axe_violations
):
    page = open_compare(text=TEXT, other_text=OTHER, hide="4", layer=4, head=4)
    page.get_by_text("Difference as a chart").click()
    card = page.locator(".st-key-card-compare-difference")
    expect(card.get_by_role("heading")).to_have_text("Right − left · layer 4, head 4")
    expect(card.locator(".heatmaplayer image")).to_be_visible()
    page.get_by_label("layer").first.select_option("2")
    expect(card.get_by_role("heading")).to_have_text("Right − left · layer 2, head 4")
    card.get_by_text("Values", exact=True).click()
    difference = expected.difference((2, 4), (2, 4))
    rows = card.locator("tbody tr")
    expect(rows).to_have_count(difference.size)
    shown = [float(row.locator("td").last.inner_text()) for row in rows.all()[:4]]
    np.testing.assert_allclose(shown, difference.ravel()[:4], rtol=1e-3)
    limit = np.abs(difference).max()
    expect(card.locator(".cbaxis")).to_contain_text(f"+{limit:.4f}")
    # A pair of their own, on both sides.
    page.get_by_label("same head").uncheck()
    page.locator(".right").get_by_label("head", exact=True).select_option("7")
    expect(card.get_by_role("heading")).to_contain_text("layer 2, head 4 and layer 2, head 7")
    assert axe_violations(page) == []
    assert_clean(page)


def test_a_clicker_goes_through_the_scenes(open_compare, assert_clean, axe_violations):
    page = open_compare({"color_scheme": "dark"})
    scenes = scenes_of("compare")
    for number, scene in enumerate(scenes, start=1):
        press_clicker(page)
        expect(page.locator(".scenes [role=status]")).to_contain_text(f"Scene {number} of")
        head = f"{scene.settings['layer']}-{scene.settings['head']}"
        expect(page.locator(DRAWN)).to_have_attribute("data-left", head)
        expect(page.get_by_label("Sentence", exact=True)).to_have_value(scene.settings["text"])
    assert axe_violations(page) == []
    expect(page.locator(".compared .right h2")).to_have_text("Without 12 heads")
    page.get_by_role("button", name="12 heads off").click()
    page.get_by_role("button", name="all on").click()
    expect(page.get_by_text("No head is off yet")).to_be_visible()
    assert_clean(page)


def test_hiding_a_word_moves_the_prediction_and_all_heads_are_one_click_away(
    open_compare, assert_clean
):
    page = open_compare(text=TEXT, other_text=OTHER, layer=1, head=2)
    page.get_by_role("button", name="he", exact=True).click()
    expect(page.locator(".mask-card")).to_contain_text("in the place of “he”")
    expect(page.locator(".mask-card")).to_contain_text("she")
    # The chart beside the table has its words, a point a side.
    words = page.locator(".mask-card tbody td:first-child").all_inner_texts()
    figure = page.locator(".st-key-figure-dumbbells")
    expect(figure.locator("svg.marks .role-axis-label text")).to_contain_text(words)
    expect(figure.locator("svg.marks .mark-symbol.role-mark path")).to_have_count(2 * len(words))
    figure.get_by_text("Values", exact=True).click()
    expect(figure.locator("tbody td:first-child")).to_have_text(words)
    page.wait_for_url("**hide=*4*")
    page.get_by_role("button", name="Right in all views").click()
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_have_attribute(
        "data-layer", "1"
    )
    assert "[MASK]" in page.get_by_label("Sentence", exact=True).input_value()
    assert "nurse" in page.get_by_label("Sentence", exact=True).input_value()
    assert_clean(page)


def test_a_translator_and_all_its_heads_are_one_click_apart(open_compare, assert_clean):
    page = open_compare(
        model="transformer", to="fr", set="cross", layer=0, head=3,
        text="He gave me the red car.", other_text="He gave me the blue car.",
    )  # fmt: skip
    expect(page.get_by_role("combobox", name="Kind of attention")).to_be_visible()
    page.get_by_role("button", name="Right in all views").click()
    expect(page.get_by_text("The model wrote, each time the likeliest piece:")).to_be_visible()
    expect(page.get_by_role("radio", name="French")).to_be_checked()
    expect(page.locator(".attention-target b")).to_have_text("Il me donna la voiture bleue.")
    canvas = page.locator('.attention-canvas[data-drawn="true"]')
    for name, value in {"set": "cross", "layer": "0", "head": "3"}.items():
        expect(canvas).to_have_attribute(f"data-{name}", value)
    assert_clean(page)


def test_of_two_translators_each_leads_to_its_own_page(open_compare, assert_clean):
    page = open_compare(
        contrast="models", model="transformer", other_model="seq2seq",
        text="He gave me the red car.",
    )  # fmt: skip
    head = page.locator(DRAWN).get_attribute("data-left")
    assert head
    page.get_by_role("button", name="Left in all views").click()
    canvas = page.locator('.attention-canvas[data-drawn="true"]')
    # Its layers are fewer than the address asks for.
    expect(canvas).to_have_attribute("data-layer", head.split("-")[0])
    expect(canvas).to_have_attribute("data-set", "cross")
    page.go_back()
    expect(page.locator(DRAWN)).to_be_visible()
    page.get_by_role("button", name="Right, step by step").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Alignment")
    expect(page.get_by_role("combobox", name="Search")).to_have_value("argmax")
    expect(page.locator(".translation")).to_contain_text("Auto")
    assert_clean(page)


@pytest.mark.parametrize(("present", "widths"), [(0, [1280]), (1, [1280, 1920])])
def test_long_names_push_nothing_out_of_its_place(open_compare, present, widths):
    whole = "field => field.scrollWidth <= field.clientWidth"  # once the font is there
    page = open_compare(
        contrast="models", model="transformer", other_model="seq2seq", present=present,
        text="He gave me the red car.",
    )  # fmt: skip
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        for card in page.locator(".compared article").all():
            page.wait_for_function(whole, arg=card.element_handle())
            page.wait_for_function(whole, arg=card.locator("h2").element_handle())
    page = open_compare(
        model="transformer", to="fr", set="cross", present=present,
        text="He gave me the red car.", other_text="He gave me the blue car.",
    )  # fmt: skip
    kinds = page.get_by_role("combobox", name="Kind of attention")
    expect(kinds).to_have_value("from translation to text")
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(whole, arg=kinds.element_handle())
        scenes, box = page.locator(".scenes").bounding_box(), kinds.bounding_box()
        assert scenes, width
        assert box, width
        assert box["y"] < scenes["y"] + scenes["height"] / 2 < box["y"] + box["height"], width


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_hidden_word_of_a_long_text_is_in_sight(open_compare, width):
    text = "The boats that came up from the sea carried salt and wool, " * 5
    page = open_compare({"width": width, "height": 1080}, text=text, other_text=text, hide="58")
    page.wait_for_function(
        """mask => {
          const room = mask.parentElement.getBoundingClientRect();
          const place = mask.getBoundingClientRect();
          const scrolls = mask.parentElement.scrollHeight > mask.parentElement.clientHeight;
          return scrolls && place.top >= room.top && place.bottom <= room.bottom + 1;
        }""",
        arg=page.locator(".chips .masked").element_handle(),
    )


def test_models_of_other_pieces_and_long_texts(tiny_url, open_compare, assert_clean):
    page = open_compare(
        url=tiny_url, contrast="models", other_model="electra-generator", text="The dog sleeps."
    )
    # Fewer heads on the right, so the pair is the reader's choice.
    expect(page.get_by_label("same head")).to_be_hidden()
    expect(page.locator(".right .heads button")).to_have_count(4)
    page.locator(".right .heads button").last.click()
    expect(page.locator(DRAWN)).to_have_attribute("data-right", "1-1")
    page.locator(".left .heads button").first.click()
    expect(page.locator(DRAWN)).to_have_attribute("data-left", "0-0")
    expect(page.locator(DRAWN)).to_have_attribute("data-right", "1-1")

    # Of a long text one pair comes at a time, when it is asked for.
    text = "the dog sleeps in the garden " * 80
    page = open_compare(
        url=tiny_url, contrast="models", other_model="distilbert", text=text, layer=1
    )
    expect(page.get_by_text("482 tokens on both sides")).to_be_visible()
    square = page.locator(".left .heads button").first
    expect(square).to_have_attribute("aria-label", "Layer 0, head 0")  # how far is not known
    page.locator(".left").get_by_label("head", exact=True).select_option("0")
    expect(page.locator('.compared[data-drawn="true"][data-left="1-0"]')).to_be_visible()
    expect(page.locator(".compared.fetching")).to_have_count(0)
    assert_clean(page)
