"""The attention canvas in a real Chromium: what a reader does with one picture."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, Position, expect

from tests.browser.apps.canvas_cases import CASES, HOSTILE, SENTENCE
from tests.browser.apps.canvas_page import (
    COUNT_COLOURS,
    DRAWN,
    OpenCanvas,
    atlas,
    box,
    expect_chosen,
    expect_parameters,
    lines,
    root,
)
from tests.browser.conftest import AxeViolations
from tests.browser.waiting import expect_address, expect_idle, sent_by

pytestmark = pytest.mark.browser


def test_draws_without_an_error_a_foreign_request_or_an_axe_finding(
    open_fresh: OpenCanvas,
    assert_clean: Callable[[Page], None],
    axe_violations: AxeViolations,
) -> None:
    page = open_fresh()
    expect(root(page)).to_have_attribute("data-theme", "light")
    assert atlas(page).evaluate(COUNT_COLOURS) > 50
    assert lines(page).evaluate(COUNT_COLOURS) > 50
    light = atlas(page).evaluate("canvas => canvas.toDataURL()")
    root(page).get_by_text("Weights as a table").click()
    assert axe_violations(page, both_schemes=True) == []
    expect(root(page)).to_have_attribute("data-theme", "dark")
    assert atlas(page).evaluate(COUNT_COLOURS) > 50
    assert atlas(page).evaluate("canvas => canvas.toDataURL()") != light
    assert_clean(page)


def test_keys_move_between_heads_and_the_heading_says_so(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    expect_chosen(page, layer=2, head=1)
    title = root(page).get_by_role("heading", name="All heads")
    expect(title.get_by_text("layers down")).to_be_visible()
    expect(title.get_by_text("keys: arrows, Home, End")).to_be_hidden()
    atlas(page).focus()
    expect(title.get_by_text("layers down")).to_be_hidden()
    expect(title.get_by_text("keys: arrows, Home, End")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect_chosen(page, layer=3, head=2)
    page.keyboard.press("End")
    expect_chosen(page, layer=3, head=11)
    page.keyboard.press("ArrowRight")
    expect_chosen(page, layer=3, head=11)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    expect_chosen(page, layer=2, head=0)
    expect(root(page).locator("[aria-live]")).to_contain_text("Layer 2, head 0: “it” attends")


def test_a_click_chooses_a_head_and_hovering_names_it(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    size = box(atlas(page))
    last_head: Position = {"x": size["width"] - 30, "y": size["height"] - 20}
    atlas(page).hover(position=last_head)
    weights = CASES["sentence"]()[0].patterns[5, 11]
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    note = f"strongest: “{SENTENCE[query]}” to “{SENTENCE[key]}” {weights.max():.2f}"
    expect(root(page).locator(".hover-note")).to_have_text(f"Layer 5, head 11 · {note}")
    expect_chosen(page, layer=2, head=1)
    atlas(page).click(position=last_head)
    expect_chosen(page, layer=5, head=11)
    page.mouse.move(0, 0)
    expect(root(page).locator(".hover-note")).to_be_hidden()


def test_hovering_a_line_changes_the_picture_and_chooses_nothing(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    size = box(lines(page))
    before = lines(page).evaluate("canvas => canvas.toDataURL()")
    # The lines run from "it"; half-way to the first token, one of them is near every height.
    lines(page).hover(position={"x": size["width"] * 0.55, "y": size["height"] * 0.45})
    assert lines(page).evaluate("canvas => canvas.toDataURL()") != before
    lines(page).click(position={"x": size["width"] * 0.55, "y": size["height"] * 0.45})
    expect_chosen(page, layer=2, head=1, token=10)


def test_a_link_restores_the_picture_and_zero_survives(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    expect_parameters(page, "")
    atlas(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    root(page).get_by_role("button", name="[CLS]", exact=True).click()
    root(page).get_by_label("per row").check()
    expect_parameters(page, "layer=0&head=0&token=0&scale=row")
    page.reload()
    page.wait_for_selector(DRAWN)
    expect_chosen(page, layer=0, head=0, token=0)
    expect(root(page).get_by_label("per row")).to_be_checked()
    atlas(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect_parameters(page, "token=0&scale=row")


def test_no_token_is_a_choice_too(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    root(page).get_by_role("button", name="it", exact=True).click()
    expect_chosen(page, token="")
    expect_parameters(page, "token=-1")
    page.reload()
    page.wait_for_selector(DRAWN)
    expect_chosen(page, token="")
    expect(root(page)).to_contain_text("from every token")


@pytest.mark.parametrize("query", ["layer=99&head=-3&token=ten", "scale=log&palette=x&set=none"])
def test_an_address_that_means_nothing_still_draws(open_canvas: OpenCanvas, query: str) -> None:
    page = open_canvas(f"/?{query}")
    expect_chosen(page, head=1, token=10, set="encoder")


def test_arrow_keys_choose_a_token_and_only_one_is_a_tab_stop(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    root(page).get_by_role("button", name="it", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect_chosen(page, token=11)
    expect(root(page)).to_contain_text("from “was”")
    assert root(page).locator("button[tabindex='0']").count() == 1
    page.keyboard.press("End")
    expect_chosen(page, token=15)
    page.keyboard.press("Escape")
    expect_chosen(page, token="")


def test_the_table_holds_the_strongest_weights_of_the_row(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    root(page).get_by_text("Weights as a table").click()
    row = CASES["sentence"]()[0].patterns[2, 1, 10]
    for place, position in enumerate(np.argsort(-row)[:3]):
        entry = root(page).locator("tbody tr").nth(place)
        expect(entry.locator("th")).to_have_text(SENTENCE[position])
        expect(entry.locator("td").first).to_have_text(str(position))
        assert float(entry.locator("td").last.inner_text()) == pytest.approx(
            float(row[position]), abs=float(row.max()) / 510 + 0.005
        )
    expect(root(page).locator(".summary")).to_contain_text(SENTENCE[int(row.argmax())])


def test_two_canvases_on_one_page_keep_apart(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?case=twice", height=1400)
    right = page.locator(".attention-canvas").nth(1)
    right.locator("canvas[role=application]").focus()
    page.keyboard.press("ArrowRight")
    expect(right).to_have_attribute("data-head", "6")
    expect_chosen(page, layer=2, head=1)
    atlas(page).focus()
    page.keyboard.press("ArrowLeft")
    expect_parameters(page, "left-head=0&right-head=6")


def test_nothing_is_sent_to_python_unless_it_asks(
    demo_url: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(demo_url)
    page.wait_for_selector(DRAWN)
    expect_idle(page)
    before = sent_by(page)
    root(page).get_by_role("button", name="was").click()
    atlas(page).press("ArrowLeft")
    expect_address(page, token=11, head=0)  # the last that comes of it
    page.get_by_role("button", name="Another text").click()
    expect(root(page).get_by_label("Cross", exact=True)).to_be_visible()
    assert sent_by(page) == before + 1


def test_new_maps_under_the_same_key_are_drawn_in_place(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    atlas(page).focus()
    page.keyboard.press("End")
    root(page).evaluate("node => { node.firstElementChild.marked = true; }")
    page.get_by_role("button", name="Another text").click()
    expect(root(page).get_by_label("Cross", exact=True)).to_be_visible()
    assert root(page).evaluate("node => node.firstElementChild.marked")
    # The first of the new sets has two layers of three heads.
    expect_chosen(page, layer=1, head=2, set="encoder")
    root(page).get_by_label("Cross", exact=True).check()
    expect_chosen(page, layer=2, head=1, set="cross")
    expect(root(page)).to_contain_text("target → source")
    assert root(page).locator(".chip").count() == 9


def test_a_link_to_the_same_page_and_the_way_back_are_followed(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?head=3")
    expect_chosen(page, layer=2, head=3)
    page.evaluate("history.pushState(history.state, '', '?layer=0&head=2')")
    page.get_by_role("button", name="Another text").click()
    expect_chosen(page, layer=0, head=2, set="encoder")
    page.go_back()
    expect_chosen(page, head=3)


def test_markup_in_a_token_is_text(
    open_fresh: OpenCanvas, assert_clean: Callable[[Page], None]
) -> None:
    page = open_fresh("/?case=hostile&token=1")
    expect(root(page).locator(".chip").nth(1)).to_have_text(HOSTILE)
    root(page).get_by_text("Weights as a table").click()
    atlas(page).hover()
    assert page.locator("img[src=x]").count() == 0
    assert_clean(page)


def test_a_masked_row_is_said_to_be_masked(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?case=masked&token=0")
    expect(root(page).locator(".summary")).to_have_text(
        "“[CLS]” is masked: it may look at nothing."
    )
    grey = atlas(page).evaluate(
        """canvas => {
            const [x, y] = [60 * devicePixelRatio, 30 * devicePixelRatio];
            return Array.from(canvas.getContext("2d").getImageData(x, y, 1, 1).data);
        }"""
    )
    assert grey == [0xC9, 0xCD, 0xD6, 255]


def test_a_broken_message_is_answered_with_a_sentence(demo_url: str, shared_page: Page) -> None:
    shared_page.goto(f"{demo_url}/?case=broken")
    expect(shared_page.get_by_role("alert")).to_contain_text("another version of Headlight")


def test_the_width_decides_the_layout(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    is_stacked = """root => {
        const [above, below] = [...root.querySelectorAll(".card")].map(
            card => card.getBoundingClientRect());
        return below.top >= above.bottom;
    }"""
    assert not root(page).evaluate(is_stacked)
    page.set_viewport_size({"width": 600, "height": 900})
    page.wait_for_function(is_stacked, arg=root(page).element_handle())
    assert box(atlas(page))["width"] <= box(root(page))["width"]


@pytest.mark.parametrize("case", ["deep", "twelve", "sets"])
def test_atlases_of_other_shapes_stay_inside_their_card(open_canvas: OpenCanvas, case: str) -> None:
    page = open_canvas(f"/?case={case}", width=1280)
    card, drawn = box(root(page).locator(".card").first), box(atlas(page))
    assert drawn["x"] >= card["x"]
    assert drawn["x"] + drawn["width"] <= card["x"] + card["width"]


def test_the_canvas_works_below_another_address(
    open_fresh: OpenCanvas, assert_clean: Callable[[Page], None]
) -> None:
    page = open_fresh("/attention?head=0")
    expect_chosen(page, layer=2, head=0)
    assert_clean(page)


def test_choices_go_along_to_another_page_of_the_tab(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    atlas(page).press("End")
    expect_parameters(page, "head=11")
    page.get_by_role("link", name="Attention heads").click()
    page.wait_for_url("**/attention*")
    page.wait_for_selector(DRAWN)
    expect_chosen(page, layer=2, head=11)
    expect_address(page, head=11)
    assert parse_qs(urlsplit(page.url).query) == {"head": ["11"]}
