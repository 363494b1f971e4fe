"""The attention explorer in a real Chromium: every view, what is pinned, and what is left out."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.apps.canvas_cases import SENTENCE
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

pytestmark = pytest.mark.browser

DEMO = Path(__file__).resolve().parent.parent / "apps" / "explorer_demo.py"
NOTE = re.compile(r"“(?P<query>.*)” → “(?P<key>.*)” (?P<weight>[\d.]+)$")

# Time of the script for each picture of ten moves of the threshold in every view, and of ten heads.
DRAW_TIMES = """async (root) => {
    const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
    const frame = () => new Promise(requestAnimationFrame);
    const range = root.querySelector("input[type=range]");
    const times = {};
    for (const view of ["grid", "heads", "matrix", "lines"]) {
        root.querySelector(`input[value=${view}]`).click();
        await pause(300);
        performance.clearMeasures("headlight:draw");
        for (let least = 100; least < 200; least += 10) {
            range.value = String(least);
            range.dispatchEvent(new Event("input", { bubbles: true }));
            await frame();
        }
        const key = view === "grid" || view === "heads" ? "ArrowRight" : "ArrowDown";
        const canvas = root.querySelector(".centre .surface:not([hidden]) canvas");
        for (let step = 0; step < 10; step += 1) {
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await frame();
        }
        times[view] = performance.getEntriesByName("headlight:draw").map((entry) => entry.duration);
    }
    return times;
}"""


@pytest.fixture(scope="module")
def explorer_url(launch_app: Callable[..., str]) -> str:
    return launch_app(DEMO)


@pytest.fixture
def open_explorer(explorer_url: str, shared_page: Page) -> OpenCanvas:
    """Open the demo and wait for the picture: `open_explorer("/?case=pair", width=1920)`."""

    def open_at(address: str = "/", width: int = 1280, height: int = 800) -> Page:
        shared_page.set_viewport_size({"width": width, "height": height})
        shared_page.mouse.move(0, 0)
        shared_page.goto(explorer_url + address)
        shared_page.wait_for_selector(DRAWN)
        return shared_page

    return open_at


def picture(page: Page) -> Locator:
    """The canvas of the view that is shown."""
    return root(page).locator(".centre .surface:not([hidden]) canvas")


def picker(page: Page) -> Locator:
    return root(page).locator(".picker canvas")


def show_view(page: Page, name: str) -> None:
    root(page).locator(f"input[name=view][value={name}]").check()
    expect_chosen(page, view=name)


def read_note(page: Page, x: float, y: float) -> dict[str, str] | None:
    """What the note says at a point of the picture, in shares of its size."""
    size = box(picture(page))
    picture(page).hover(position={"x": x * size["width"], "y": y * size["height"]})
    note = root(page).locator(".centre .hover-note")
    found = NOTE.search(note.inner_text()) if note.is_visible() else None
    return found.groupdict() if found else None


def expect_weight(shown: str, weight: float, largest: float) -> None:
    """Within half a step of the row, and half of the last digit."""
    digits = len(shown.partition(".")[2])
    assert float(shown) == pytest.approx(weight, abs=largest / 510 + 0.5 * 10**-digits)


def row_table(page: Page) -> dict[str, str]:
    """The card's table: weights by token."""
    rows = root(page).locator(".pinned-table tr:has(td)").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_draws_without_an_error_or_an_axe_finding(
    explorer_url: str,
    new_page: Callable[..., Page],
    assert_clean: Callable[[Page], None],
    axe_violations: Callable[[Page], list[str]],
    scheme: Literal["light", "dark"],
) -> None:
    page = new_page(color_scheme=scheme)
    page.goto(f"{explorer_url}/?case=pair&token=4&key=10&heads=2.3")
    page.wait_for_selector(DRAWN)
    expect(root(page)).to_have_attribute("data-theme", scheme)
    for view in ("grid", "heads", "lines", "matrix"):
        show_view(page, view)
        assert picture(page).evaluate(COUNT_COLOURS) > 20
    assert axe_violations(page) == []
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
            query, key = maps.query_tokens.index(note["query"]), maps.key_tokens.index(note["key"])
            heads = maps.weights[..., query, key]
            shown = heads[2, 1:2] if view == "matrix" else heads[2] if view == "heads" else heads
            largest = float(maps.weights[..., query, :].max())
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
    query, key = maps.query_tokens.index(note["query"]), maps.key_tokens.index(note["key"])
    expect_chosen(page, token=query, key=key)
    expect(hint).to_be_visible()
    expect_parameters(page, f"token={query}&key={key}")
    row = maps.weights[2, 1, query]
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
    strongest = int(maps.weights[2, 1, 1].argmax())
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
    row = maps.weights[2, 1, [4, 5]].mean(axis=0)
    words: dict[int, float] = {}
    for weight, word in zip(row, WORD_OF, strict=True):
        if word is not None:
            words[word] = words.get(word, 0) + float(weight)
    strongest = sorted(words, key=lambda word: -words[word])[:3]
    table = row_table(page)
    assert list(table)[:3] == [WORDS[word] for word in strongest]
    for word in strongest:
        expect_weight(table[WORDS[word]], words[word], float(maps.weights[2, 1].max()))
    assert float(table["row sum"]) == pytest.approx(1, abs=0.02)
    expect_parameters(page, "token=4&merge=true&specials=false")


def test_one_sentence_looking_at_the_other(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=pair&token=5")
    [maps] = explorer_case("pair")
    root(page).get_by_label("Sentences looked from and at").select_option("ab")
    row = maps.weights[2, 1, 5, 8:]
    table = row_table(page)
    for key in np.argsort(-row)[:2]:
        expect_weight(table[PAIR[8 + key]], float(row[key]), float(maps.weights[2, 1, 5].max()))
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
    query, key = maps.query_tokens.index(note["query"]), maps.key_tokens.index(note["key"])
    mean = maps.weights[2, :2].mean(axis=0)
    largest = float(maps.weights[2, :2, query].max())
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


def test_a_link_restores_everything_zero_false_and_nothing_too(open_explorer: OpenCanvas) -> None:
    wanted = {
        "layer": 0,
        "head": 0,
        "heads": "2",
        "token": 0,
        "key": 0,
        "view": "lines",
        "part": "bb",
        "specials": "false",
        "sink": "true",
        "merge": "true",
        "least": 15,
        "palette": "cividis",
        "scale": "row",
    }
    query = "&".join(f"{name}={value}" for name, value in wanted.items())
    page = open_explorer(f"/?case=pair&{query}")
    for name in ("layer", "head", "heads", "token", "key", "view", "least"):
        expect_chosen(page, **{name: wanted[name]})
    for label in ("hide specials", "mask sink", "merge pieces"):
        expect(root(page).get_by_label(label)).to_be_checked()
    expect(root(page).get_by_label("Palette")).to_have_value("cividis")
    expect_parameters(page, query)


def test_a_pinned_row_is_fetched_exactly_with_its_measures_and_similar_heads(
    open_explorer: OpenCanvas,
) -> None:
    page = open_explorer()
    [maps] = explorer_case("sentence")
    expect(root(page).locator(".pinned-source")).to_have_text("exact, float32")
    row = maps.weights[2, 1, 10]
    rows = root(page).locator(".pinned-table tbody tr")
    for place, key in enumerate(np.argsort(-row)[:8]):
        expect(rows.nth(place)).to_have_text(f"{SENTENCE[key]}{row[key]:.3f}")
    entropy = -float((row * np.log2(row)).sum())
    expect(root(page).locator(".measures")).to_contain_text(f"Entropy {entropy:.2f} of 4.00 bits")
    distances = np.abs(maps.weights - maps.weights[2, 1]).sum(axis=-1).mean(axis=-1) / 2
    distances[2, 1] = np.inf
    layer, head = divmod(int(distances.argmin()), 12)
    nearest = root(page).locator(".similar").first
    expect(nearest).to_have_text(f"Layer {layer}, head {head}{distances.min():.3f}")
    nearest.click()
    expect_chosen(page, layer=layer, head=head)


def test_two_explorers_on_one_page_keep_apart(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=twice", height=1600)
    right = page.locator(".attention-canvas").nth(1)
    right.locator("input[name=view][value=grid]").check()
    right.locator(".centre .surface:not([hidden]) canvas").focus()
    page.keyboard.press("ArrowLeft")
    expect(right).to_have_attribute("data-head", "0")
    expect_chosen(page, head=1, view="matrix")
    root(page).get_by_role("button", name="word3").click()
    expect(right).to_have_attribute("data-token", "")
    expect_parameters(page, "right-head=0&right-view=grid&left-token=4")


@pytest.mark.parametrize("case", ["sets", "masked", "one", "hostile"])
def test_maps_of_other_kinds_are_drawn_in_every_view(open_explorer: OpenCanvas, case: str) -> None:
    page = open_explorer(f"/?case={case}&token=0")
    names = [maps.name for maps in explorer_case(case)]
    for name in names:
        if len(names) > 1:
            root(page).locator(f"input[name=set][value={name}]").check()
        for view in ("grid", "heads", "lines", "matrix"):
            show_view(page, view)
            read_note(page, 0.5, 0.5)
            assert picture(page).evaluate(COUNT_COLOURS) > 1
    if case == "sets":
        expect(root(page).locator(".centre h3")).to_contain_text("decoder → encoder")
    assert page.locator("img[src=x]").count() == 0


def test_the_cards_fill_the_window_and_stack_where_it_is_narrow(open_explorer: OpenCanvas) -> None:
    page = open_explorer()
    for width, height in ((1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            """() => {
                const host = [...document.querySelectorAll("*")].find(
                    (node) => node.shadowRoot?.querySelector(".attention-canvas"));
                const cards = host.shadowRoot.querySelector(".cards").getBoundingClientRect();
                const left = innerHeight - cards.bottom;
                return left > 40 && left < 100;
            }"""
        )
    page.set_viewport_size({"width": 600, "height": 900})
    cards = [root(page).locator(".card").nth(index) for index in range(3)]
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    places = [box(card) for card in cards]
    for above, below in pairwise(places):
        assert below["y"] >= above["y"] + above["height"]
    assert min(place["width"] for place in places) > 0.9 * box(root(page))["width"]


def test_pictures_of_a_long_sentence_take_little_time(open_explorer: OpenCanvas) -> None:
    page = open_explorer("/?case=twelve")
    times = root(page).evaluate(DRAW_TIMES)
    for view, durations in times.items():
        assert len(durations) >= 10, view
        # A busy machine may be slow now and then; what is too slow is slow every time.
        assert float(np.median(durations)) <= 50, (view, durations)
