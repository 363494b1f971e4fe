"""The page about BERT's family in a real Chromium, with a tiny model of every system."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.scenes import scenes_of
from app.sections.family.members import MEMBERS
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

CARD = '.family-card[data-drawn="true"]'
TEXT = "The dog sleeps in the garden."


@pytest.fixture
def open_family(tiny_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{tiny_url}/family?{urlencode(query)}")
        expect(page.locator(CARD)).to_have_count(len(MEMBERS))
        expect(page.locator('.family-orders[data-drawn="true"]')).to_be_visible()
        expect(page.locator(".family-sum")).to_be_visible()
        return page

    return open_at


def card(page, system):
    return page.locator(f".st-key-card-family-{system}")


def test_eight_readers_stand_above_the_fold(open_family, assert_clean, axe_violations):
    page = open_family(text=TEXT, hide="1")
    assert_own_style(page, "family")
    for member in MEMBERS:
        frame = card(page, member.system)
        expect(frame.locator("h2")).to_contain_text(member.title)
        expect(frame.locator(".guesses li")).not_to_have_count(0)
    # XLNet's tokens stay as they are; the others see a mask.
    expect(card(page, "bert").locator(".chip.masked").first).to_have_text("[MASK]")
    expect(card(page, "xlnet").locator(".chip.masked").first).not_to_have_text("<mask>")
    assert axe_violations(page, both_schemes=True) == []
    for width, height in SIZES:
        resize(page, width, height)
        for member in MEMBERS:
            box = card(page, member.system).bounding_box()
            assert box["y"] + box["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert_clean(page)


def test_another_word_is_hidden_by_a_click_and_nothing_jumps(open_family, assert_clean):
    page = open_family(text=TEXT, hide="1")
    strip = page.locator(".mask-strip")
    expect_idle(page)
    before = [card(page, one.system).bounding_box() for one in MEMBERS]
    strip.get_by_text("garden", exact=True).click()
    expect_address(page, hide="5")
    expect(card(page, "bert").locator(".truth")).not_to_contain_text("dog")
    expect(strip.locator(".masked")).to_have_count(1)
    assert [card(page, one.system).bounding_box() for one in MEMBERS] == before
    page.reload()
    expect(strip.locator(".masked")).to_have_attribute("title", "garden")
    assert_clean(page)


def test_layers_draws_and_orders_change_without_a_word_to_the_server(open_family):
    page = open_family(text=TEXT, hide="1")
    expect_idle(page)
    count = sent_by(page)
    expect(page.locator(CARD).first).to_have_attribute("data-layer", "1")
    page.get_by_role("radio", name="first layer").check(force=True)
    for at in range(len(MEMBERS)):
        expect(page.locator(CARD).nth(at)).to_have_attribute("data-layer", "0")
    expect_address(page, depth="0")

    draws = page.locator(".family-draws")
    bert = draws.locator("article").first.locator(".chips")
    first = bert.inner_text()
    page.get_by_role("slider", name="Reading of the text").fill("11")
    expect(draws).to_have_attribute("data-reading", "10")
    assert bert.inner_text() == first  # ten masks, then the first one again
    draws.get_by_role("button", name="Play").click()
    expect(draws).to_have_attribute("data-reading", "11")
    expect(draws).to_have_attribute("data-reading", "0")
    draws.get_by_role("button", name="Pause").click()

    orders = page.locator(".family-orders")
    orders.get_by_role("button", name="3 – 2 – 4 – 1").click()
    expect(orders).to_have_attribute("data-order", "2.1.3.0")
    for word in ("am", "I", "boy", "a"):
        orders.get_by_role("button", name=f"“{word}”").click()
    expect(orders).to_have_attribute("data-order", "1.0.3.2")
    expect(orders.locator(".said")).to_contain_text("looks at the words 2, 1, 4")
    expect_address(page, order="1.0.3.2")
    assert sent_by(page) == count

    page.reload()
    expect(orders).to_have_attribute("data-order", "1.0.3.2")
    expect(page.locator(CARD).first).to_have_attribute("data-layer", "0")


def test_parameters_are_drawn_as_counts_and_shares_with_their_values(
    open_family, assert_clean, axe_violations
):
    page = open_family(text=TEXT, hide="1")
    figure = page.locator(".st-key-figure-family-published")
    marks = figure.locator("svg.marks")
    figure.scroll_into_view_if_needed()
    expect(marks.get_by_text("335M").first).to_be_visible()
    figure.get_by_text("Values", exact=True).click()
    row = figure.get_by_role("row", name="ALBERT-large", exact=False)
    expect(row).to_contain_text("17,683,968")
    expect(row).to_contain_text("18M")
    height = figure.bounding_box()["height"]
    page.get_by_text("As shares of each model").click()
    expect_address(page, shares="true")
    expect(marks.get_by_text("share of the model")).to_be_visible()
    expect(marks.get_by_text("335M")).to_have_count(0)
    expect(row).to_contain_text("17,683,968")  # the table stays open
    expect_idle(page)
    assert figure.bounding_box()["height"] == height
    assert axe_violations(page) == []
    assert_clean(page)


def test_a_map_opens_with_all_heads_and_the_same_hidden_word(open_family):
    page = open_family(text=TEXT, hide="1", depth="0")
    card(page, "roberta").get_by_role("button", name="with all heads").click()
    page.wait_for_url("**/attention?**")
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(
        "The <mask> sleeps in the garden."
    )
    expect_address(page, layer="0")
    expect_address(page, model="roberta")


def test_xlnets_map_opens_in_an_order_with_its_query_stream(open_family):
    page = open_family(text=TEXT, hide="1", depth="0")
    card(page, "xlnet").get_by_role("button", name="with all heads").click()
    page.wait_for_url("**/attention?**")
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(TEXT)
    expect(page.get_by_label("Query stream")).to_be_checked()
    expect_address(page, permuted="true")


def test_a_clicker_goes_through_the_scenes(open_family, assert_clean):
    page = open_family()
    scenes = scenes_of("family")
    expect(page.locator(".scenes [role=status]")).to_have_text("Scenes")  # it hears the keys now
    for number, scene in enumerate(scenes, start=1):
        press_clicker(page)
        words = f"Scene {number} of {len(scenes)}: {scene.title}"
        expect(page.locator(".scenes [role=status]")).to_have_text(words)
        expect(page.get_by_label("Sentence", exact=True)).to_have_value(scene.settings["text"])
        expect(page.locator(".family-draws")).to_have_attribute(
            "data-reading", str(scene.settings["reading"])
        )
        expect(page.locator(".family-orders")).to_have_attribute(
            "data-order", scene.settings["order"]
        )
        expect(page.locator(".family-depth")).to_have_attribute(
            "data-depth", str(scene.settings["depth"])
        )
    assert_clean(page)
