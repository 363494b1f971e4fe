"""Choosing another model, in a real Chromium, with a tiny one of every system."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.waiting import expect_address

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name=f"{name} ·").first.click()
    expect_address(page, model=name)
    expect(page.locator(".fact b").first).to_have_text(name)
    expect(page.locator(DRAWN)).to_be_visible()


def test_a_model_is_chosen_and_goes_along_to_the_other_pages(
    tiny_url, new_page, assert_clean, axe_violations
):
    page = new_page()
    page.goto(tiny_url)
    expect(page.locator(".fact b").first).to_have_text("bert")

    choose(page, "gpt")
    # Its words begin with a space, and nothing can be hidden.
    expect(page.locator(".attention-canvas")).to_contain_text("␣it")
    expect(page.locator(".guess")).to_have_count(0)
    expect(page.get_by_text("gpt has no head for masked words")).to_be_visible()
    assert axe_violations(page) == []

    page.get_by_role("link", name="Attention heads").click()
    expect(page.get_by_text("a token sees itself and those before it")).to_be_visible()
    expect(page.get_by_role("textbox", name="Second sentence")).to_be_disabled()

    choose(page, "xlnet")
    expect(page.locator(".fact", has_text="content stream")).to_be_visible()
    expect(page.get_by_role("textbox", name="Second sentence")).to_be_enabled()
    assert axe_violations(page) == []

    page.get_by_role("link", name="Fill in the mask").click()
    expect(page.get_by_text("xlnet has no head for masked words. You see bert")).to_be_visible()
    expect(page.locator(".mask-strip")).to_contain_text("[MASK]")

    page.get_by_role("combobox", name="Model").click()
    page.get_by_role("option", name="roberta ·").click()
    expect(page.locator(".mask-strip")).to_contain_text("<mask>")
    expect(page.get_by_text("has no head for masked words")).to_have_count(0)
    assert axe_violations(page) == []
    assert_clean(page)


def test_a_row_of_a_causal_map_is_taken_apart(tiny_url, new_page, assert_clean):
    page = new_page()
    page.goto(f"{tiny_url}/attention?model=gpt&layer=1&head=2&token=4&key=2&view=matrix")
    card = page.locator(".attention-canvas")
    expect(page.locator(DRAWN)).to_be_visible()
    expect(card).to_contain_text("row sum")
    # Of the five tokens that it may see, not of all.
    expect(card).to_contain_text("of 2.32 bits")
    page.get_by_role("button", name="How this weight came about").click()
    expect(card).to_contain_text("Softmax of the row")
    expect(card).to_contain_text("may look")
    assert_clean(page)


@pytest.mark.parametrize("present", [0, 1])
@pytest.mark.parametrize("path", ["alignment?model=seq2seq", "next-word?model=gpt"])
def test_no_name_is_cut_and_no_title_wraps(app_url, new_page, path, present):
    page = new_page()
    page.goto(f"{app_url}/{path}&present={present}")
    chosen = page.get_by_role("combobox", name="Model")
    expect(chosen).to_have_value(re.compile(" MB$"))
    whole = "field => field.scrollWidth <= field.clientWidth"
    page.wait_for_function(whole, arg=chosen.element_handle())  # once the font is there
    title = page.get_by_role("heading", level=1).bounding_box()
    box = chosen.bounding_box()
    assert title["height"] < 1.5 * 32 * (1.25 if present else 1)
    assert title["y"] < box["y"] + box["height"] / 2 < title["y"] + title["height"]


@pytest.mark.parametrize(("present", "widths"), [(0, [1280]), (1, [1280, 1440, 1920])])
def test_two_lists_stand_beside_each_other_and_no_name_is_cut(app_url, new_page, present, widths):
    page = new_page()
    query = f"model=electra-generator&other_model=seq2seq&present={present}"
    page.goto(f"{app_url}/compare?contrast=models&{query}")
    first = page.get_by_role("combobox", name="Model", exact=True)
    second = page.get_by_role("combobox", name="Second model")
    expect(second).to_have_value(re.compile("^Seq2seq"))
    whole = "field => field.scrollWidth <= field.clientWidth"
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        for chosen in (first, second):
            page.wait_for_function(whole, arg=chosen.element_handle())  # once the font is there
        assert first.bounding_box()["y"] == second.bounding_box()["y"], width
        control = page.get_by_role("radiogroup", name="What is compared").bounding_box()
        middle = first.bounding_box()["y"] + 20
        assert control["y"] < middle < control["y"] + control["height"], width
