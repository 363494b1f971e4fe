"""The attention explorer in a real Chromium: every view, what is pinned, and what is left out."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from core.analysis.heads import measure_heads, telling_rows
from tests.browser.apps.canvas_page import (
    COUNT_COLOURS,
    DRAWN,
    OpenCanvas,
    box,
    expect_chosen,
    expect_parameters,
    root,
)
from tests.browser.apps.explorer_cases import PAIR, WORD_OF, WORDS, explorer_case
from tests.browser.apps.explorer_page import (
    expect_weight,
    picker,
    picture,
    read_note,
    row_table,
    show_view,
)
from tests.browser.conftest import AxeViolations

pytestmark = pytest.mark.browser


def test_every_view_draws_without_an_error_or_an_axe_finding(
    explorer_url: str,
    new_page: Callable[..., Page],
    assert_clean: Callable[[Page], None],
    axe_violations: AxeViolations,
) -> None:
    page = new_page()
    page.goto(f"{explorer_url}/?case=pair&token=4&key=10&heads=2.3")
    page.wait_for_selector(DRAWN)
    for view in ("grid", "heads", "lines", "matrix"):
        show_view(page, view)
        assert picture(page).evaluate(COUNT_COLOURS) > 20
    assert axe_violations(page, both_schemes=True) == []
    expect(root(page)).to_have_attribute("data-theme", "dark")
    for view in ("grid", "heads", "lines", "matrix"):
        show_view(page, view)
        assert picture(page).evaluate(COUNT_COLOURS) > 20
    assert_clean(page)


def test_heads_as_points_light_the_grid_and_choose_a_head(
    explorer_url: str,
    new_page: Callable[..., Page],
    assert_clean: Callable[[Page], None],
    axe_violations: AxeViolations,
) -> None:
    [maps] = explorer_case("sentence")
    layers, heads = maps.patterns.shape[:2]
    found = measure_heads(maps.patterns, telling_rows(maps.query.special, maps.masked))
    page = new_page()
    page.goto(f"{explorer_url}/?case=sentence")
    page.wait_for_selector(DRAWN)
    expect(root(page).get_by_label("heads as points")).to_be_hidden()
    show_view(page, "grid")
    loaded = """performance.getEntriesByType("resource").map(({ name }) => name)
        .filter((name) => /vega|head_points/i.test(name))"""
    assert page.evaluate(loaded) == []
    root(page).get_by_label("heads as points").check()
    marks = root(page).locator(".points .mark-symbol path[transform]")
    expect(root(page).locator(".points")).to_have_attribute("data-drawn", "true")
    expect_parameters(page, "view=grid&points=true")
    # One a head, and the ring around the chosen one.
    expect(marks).to_have_count(layers * heads + 1)

    def middle(head: int) -> tuple[float, float]:
        place = box(marks.nth(head))
        return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2

    # A drag over the lower half: the heads of lower entropy, and no others.
    chart = box(root(page).locator(".points .vega-chart"))
    order = np.argsort(found.entropy.ravel())
    between = (middle(int(order[2]))[1] + middle(int(order[3]))[1]) / 2
    page.mouse.move(chart["x"] + 51, between)
    page.mouse.down()
    page.mouse.move(chart["x"] + chart["width"] - 16, chart["y"] + chart["height"] - 44, steps=4)
    page.mouse.up()
    lit = {f"{at // heads}-{at % heads}" for at in order[:3].tolist()}
    expect(root(page)).to_have_attribute("data-lit", re.compile(r"^\d+-\d+(\.\d+-\d+){2}$"))
    assert set(root(page).get_attribute("data-lit").split(".")) == lit  # type: ignore[union-attr]
    expect(root(page).locator(".points-said")).to_have_text(
        f"3 of {layers * heads} heads are lit in the grid."
    )

    # The point with nobody near says its numbers, and a click chooses its head.
    far = int(order[-1])
    page.mouse.move(*middle(far))
    note = root(page).locator(".centre .hover-note")
    expect(note).to_contain_text(f"Layer {far // heads}, head {far % heads}")
    expect(note).to_contain_text(f"{found.distance.ravel()[far]:.4f} tokens")
    expect(note).to_contain_text(f"{found.entropy.ravel()[far]:.4f} bits")
    page.mouse.click(*middle(far))
    expect_chosen(page, layer=far // heads, head=far % heads)
    expect(root(page)).to_have_attribute("data-lit", "")
    root(page).get_by_text("Values", exact=True).click()
    expect(root(page).locator(".points tbody tr")).to_have_count(layers * heads)
    with page.expect_download() as saved:
        root(page).locator(".points").get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "heads.svg"
    assert axe_violations(page, both_schemes=True) == []
    assert_clean(page)


def test_the_value_under_the_pointer_is_that_of_the_maps_in_every_view(
    open_explorer: OpenCanvas,
) -> None:
    page = open_explorer("/?case=words&token=-1")
    [maps] = explorer_case("words")
    for view in ("matrix", "heads", "grid"):
        show_view(page, view)
        notes = [read_note(page, x, y) for x in (0.2, 0.45, 0.6) for y in (0.3, 0.5, 0.7)]
        found = [note for note in notes if note]
        assert len(found) >= 3, view
        for note in found:
            text = root(page).locator(".centre .hover-note").inner_text()
            assert text.count("→") == 1
            query, key = maps.query.pieces.index(note["query"]), maps.key.pieces.index(note["key"])
            heads = maps.patterns[..., query, key]
            shown = heads[2, 1:2] if view == "matrix" else heads[2] if view == "heads" else heads
            largest = float(maps.patterns[..., query, :].max())
            digits = len(note["weight"].partition(".")[2])
            off = np.abs(shown - float(note["weight"])).min()
            assert off <= largest / 510 + 0.5 * 10**-digits


def test_a_click_pins_a_cell_and_the_same_click_takes_it_back(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=words&token=-1")
    [maps] = explorer_case("words")
    hint = root(page).get_by_role("button", name="Esc unpins")
    expect(hint).to_be_hidden()
    note = read_note(page, 0.5, 0.5)
    assert note
    size = box(picture(page))
    middle: Any = {"x": 0.5 * size["width"], "y": 0.5 * size["height"]}
    picture(page).click(position=middle)
    query, key = maps.query.pieces.index(note["query"]), maps.key.pieces.index(note["key"])
    expect_chosen(page, token=query, key=key)
    expect(hint).to_be_visible()
    expect_parameters(page, f"token={query}&key={key}")
    row = maps.patterns[2, 1, query]
    table = row_table(page)
    expect_weight(table[note["key"]], float(row[key]), float(row.max()))
    picture(page).click(position=middle)
    expect_chosen(page, token=query, key="")
    page.keyboard.press("Escape")
    expect_chosen(page, token="", key="")
    expect(hint).to_be_hidden()


def test_keys_move_the_pinned_cell_and_esc_unpins_the_cell_then_the_row(
    open_explorer: OpenCanvas,
) -> None:
    page = open_explorer("/?case=words&token=-1")
    [maps] = explorer_case("words")
    picture(page).focus()
    page.keyboard.press("ArrowDown")
    expect_chosen(page, token=0, key="")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    strongest = int(maps.patterns[2, 1, 1].argmax())
    expect_chosen(page, token=1, key=strongest)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect_chosen(page, token=2, key=1)
    page.keyboard.press("End")
    expect_chosen(page, token=2, key=11)
    expect(root(page).locator("[aria-live]")).to_contain_text("“word1” → “[SEP]”")
    page.keyboard.press("Escape")
    expect_chosen(page, token=2, key="")
    page.keyboard.press("Escape")
    expect_chosen(page, token="", key="")
    # With the focus nowhere, too.
    root(page).get_by_role("button", name="word3").click()
    expect_chosen(page, token=4)
    page.evaluate("document.activeElement.shadowRoot?.activeElement?.blur()")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Escape")
    expect_chosen(page, token="")


def test_keys_move_between_heads_and_over_the_edge_into_the_next_layer(
    open_explorer: OpenCanvas,
) -> None:
    page = open_explorer("/?case=words&layer=1")
    picker(page).focus()
    page.keyboard.press("End")
    expect_chosen(page, layer=1, head=3)
    page.keyboard.press("ArrowDown")
    expect_chosen(page, layer=2)
    page.keyboard.press("ArrowUp")
    expect_chosen(page, layer=1)
    show_view(page, "grid")
    picture(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    expect_chosen(page, layer=0, head=0)
    show_view(page, "heads")
    root(page).get_by_role("button", name="Next layer").click()
    expect_chosen(page, layer=1, head=0)
    expect_parameters(page, "layer=1&head=0&view=heads")


def test_merged_words_and_hidden_tokens_are_recomputed_by_hand(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=pair&token=4")
    [maps] = explorer_case("pair")
    root(page).get_by_label("merge pieces").check()
    root(page).get_by_label("hide specials").check()
    expect(root(page).locator(".remarks")).to_contain_text("rows no longer add up to 1")
    # “tired” is two pieces: the mean of their rows, and for every word the sum over its keys.
    row = maps.patterns[2, 1, [4, 5]].mean(axis=0)
    words: dict[int, float] = {}
    for weight, word in zip(row, WORD_OF, strict=True):
        if word is not None:
            words[word] = words.get(word, 0) + float(weight)
    strongest = sorted(words, key=lambda word: -words[word])[:3]
    table = row_table(page)
    assert list(table)[:3] == [WORDS[word] for word in strongest]
    for word in strongest:
        expect_weight(table[WORDS[word]], words[word], float(maps.patterns[2, 1].max()))
    assert float(table["row sum"]) == pytest.approx(1, abs=0.02)
    expect_parameters(page, "token=4&merge=true&specials=false")


def test_one_sentence_looking_at_the_other(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=pair&token=5")
    [maps] = explorer_case("pair")
    root(page).get_by_label("Sentences looked from and at").select_option("ab")
    row = maps.patterns[2, 1, 5, 8:]
    table = row_table(page)
    for key in np.argsort(-row)[:2]:
        expect_weight(table[PAIR[8 + key]], float(row[key]), float(maps.patterns[2, 1, 5].max()))
    assert "cat" not in table
    # A row of the other sentence is not there; its token stays chosen.
    root(page).get_by_label("Sentences looked from and at").select_option("ba")
    expect(root(page).locator(".pinned")).to_contain_text("Nothing is pinned")
    expect_chosen(page, token=5)
    page.goto(page.url.partition("?")[0] + "?case=words&part=ab")
    page.wait_for_selector(DRAWN)
    expect(root(page).get_by_label("Sentences looked from and at")).to_be_hidden()


def test_several_heads_are_a_mean_in_the_matrix_and_colours_in_the_lines(
    open_explorer: OpenCanvas,
) -> None:
    page = open_explorer("/?case=words&token=-1")
    [maps] = explorer_case("words")
    size = box(picker(page))
    root(page).get_by_label("compare heads").check()
    picker(page).click(position={"x": size["width"] * 0.25, "y": size["height"] * 0.1})
    expect_chosen(page, head=1, heads="0")
    title = root(page).locator(".centre h3 strong")
    expect(title).to_have_text("Layer 2, mean of heads 0, 1")
    note = read_note(page, 0.5, 0.5)
    assert note
    query, key = maps.query.pieces.index(note["query"]), maps.key.pieces.index(note["key"])
    mean = maps.patterns[2, :2].mean(axis=0)
    largest = float(maps.patterns[2, :2, query].max())
    expect_weight(note["weight"], float(mean[query, key]), largest)
    show_view(page, "lines")
    expect(title).to_have_text("Layer 2, heads 0, 1")
    expect(root(page).locator(".head-legend")).to_have_text("head 0head 1")
    root(page).get_by_label("compare heads").uncheck()
    expect_chosen(page, head=1, heads="")
    expect(root(page).locator(".head-legend")).to_be_hidden()


def test_a_threshold_draws_less_and_is_written_down_at_a_pause(open_explorer: OpenCanvas) -> None:
    page = open_explorer()
    before = picture(page).evaluate("canvas => canvas.toDataURL()")
    root(page).get_by_label("Smallest weight drawn").fill("200")
    expect_chosen(page, least=200)
    assert picture(page).evaluate("canvas => canvas.toDataURL()") != before
    expect(root(page).get_by_text("≥ 0.20")).to_be_visible()
    expect_parameters(page, "least=200")
    show_view(page, "lines")
    expect_parameters(page, "least=200&view=lines")
    page.reload()
    page.wait_for_selector(DRAWN)
    expect(root(page).get_by_label("Smallest weight drawn")).to_have_value("200")
    expect_chosen(page, view="lines")
