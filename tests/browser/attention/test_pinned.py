"""The pinned row in numbers and the breakdown of a cell, on the real page with the real model."""

import csv
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from app.browser_files import folder
from core.analysis.rows import measure_rows
from core.analysis.similarity import nearest_heads
from core.analysis.sinks import find_sinks
from core.checkpoints import Checkpoint, load_checkpoint
from core.tasks import AttendResult, attend, break_down
from tests.browser.apps.canvas_page import DRAWN, expect_chosen, root
from tests.browser.apps.explorer_page import read_note
from tests.browser.conftest import AxeViolations

pytestmark = pytest.mark.browser

TEXT = "The animal didn't cross the street because it was too tired."
LAYER, HEAD, IT, ANIMAL = 4, 3, 10, 2
HALF_A_DIGIT = 0.0005 + 1e-6
BUTTON = "How this weight came about"

# A cell with a position bias, then one that a mask forbids, as the band says them.
BREAK_DOWN_TWO = """async (folder) => {
    const { Breakdown } = await import(`/${folder}/js/attention/breakdown.js`);
    const group = (token) => ({ tokens: [token], label: `word${token}` });
    const projection = { rows: [group(0)], columns: [group(0), group(1)],
        rowOf: (token) => token, columnOf: (token) => token };
    const names = ["head", "breakdownCell", "stepProduct", "stepScale", "spokenBias", "mayLook",
        "mayNotLook", "mayNotLookMeans", "biasIsPosition", "spokenScale", "spokenMasked"];
    const strings = new Proxy({}, { get: (_, name) =>
        names.includes(name) ? `${name} {scale} {bias} {score} {weight}` : name });
    const mapSet = { breaksDown: true };
    const scene = { mapSet, projection, strings, values: { layer: 0, head: 0, token: 0, key: 1 },
        theme: { colours: { accent: "#00f", mark: "#f80", muted: "#888" } } };
    const common = { dot: -4, scale: 0.5, largest: -0.5, total: 2, products: new Float32Array(4) };
    const cells = [
        { ...common, bias: -1.5, score: -3.5, allowed: true, exponential: 0.05, weight: 0.025 },
        { ...common, bias: null, score: -2, allowed: false, exponential: 0, weight: 0 },
    ];
    const band = new Breakdown();
    document.body.append(band.node);
    band.show(scene, { rows: [new Float32Array(2)], breakdown: cells[0] });
    band.button.click();
    const said = cells.map((breakdown) => {
        band.show(scene, { rows: [new Float32Array(2)], breakdown });
        return band.steps.textContent;
    });
    band.node.remove();
    return said;
}"""


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return load_checkpoint("bert", device="cpu")


@pytest.fixture(scope="module")
def result(checkpoint: Checkpoint) -> AttendResult:
    return attend(checkpoint, TEXT)


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(DRAWN)


def card(page: Page) -> Locator:
    return root(page).locator(".pinned")


def weights_in(page: Page) -> dict[str, float]:
    """Exact weights of the card by the token's spelling; of two spelled alike the last."""
    expect(card(page).locator(".pinned-source")).to_have_text("exact, float32")
    rows = (
        card(page)
        .locator("tbody tr, tfoot tr")
        .evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.innerText))")
    )
    return {name: float(weight) for name, weight in rows}


def expect_weights(found: dict[str, float], wanted: Sequence[tuple[str, float]]) -> None:
    for name, weight in wanted:
        assert abs(found[name] - weight) <= HALF_A_DIGIT, name


def test_the_pinned_row_is_that_of_the_model(
    app_url: str,
    new_page: Callable[..., Page],
    result: AttendResult,
    assert_clean: Callable[[Page], None],
    axe_violations: AxeViolations,
) -> None:
    page = new_page()
    open_page(page, f"{app_url}/attention?layer={LAYER}&head={HEAD}&token={IT}")
    expect(card(page).locator(".pinned-title")).to_have_text("“it” looks at")
    row = result.patterns[LAYER, HEAD, IT]
    order = np.argsort(-row, kind="stable")
    found = weights_in(page)
    listed = [result.encoding.pieces[key] for key in order[:8]]
    assert list(found) == [*listed, "all others", "row sum"]
    expect_weights(found, [(result.encoding.pieces[key], row[key]) for key in order[:8]])
    expect_weights(found, [("all others", 1 - row[order[:8]].sum()), ("row sum", 1.0)])

    known = measure_rows(row[None], [IT], result.encoding.special)
    expect(card(page).locator(".measures li")).to_have_text(
        [
            f"Entropy {known.entropy:.2f} of 4.00 bits",
            f"Mean distance {known.distance:.1f} tokens",
            f"On the first token {known.first:.0%}".replace("%", "\N{NO-BREAK SPACE}%"),
            f"On separators {known.separators:.0%}".replace("%", "\N{NO-BREAK SPACE}%"),
        ]
    )
    sinks = find_sinks(result.patterns)
    assert sinks.shares[LAYER, HEAD] >= 0.3
    share = f"{sinks.shares[LAYER, HEAD]:.0%}".replace("%", "\N{NO-BREAK SPACE}%")
    expect(card(page).locator(".resting")).to_have_text(
        f"{share} of this head goes to “[CLS]”: a resting place."
    )

    near = nearest_heads(result.patterns, LAYER, HEAD, count=3)
    buttons = card(page).locator(".similar")
    expect(buttons).to_have_text(
        [f"Layer {one.layer}, head {one.head}{one.distance:.3f}" for one in near]
    )
    assert axe_violations(page) == []
    buttons.first.press("Enter")
    expect_chosen(page, layer=near[0].layer, head=near[0].head)
    there = nearest_heads(result.patterns, near[0].layer, near[0].head, count=1)[0]
    expect(buttons.first).to_contain_text(f"Layer {there.layer}, head {there.head}")
    expect(buttons.first).to_be_focused()
    assert_clean(page)


def test_a_table_that_is_saved_holds_the_weights_as_the_model_computed_them(
    app_url: str, new_page: Callable[..., Page], result: AttendResult
) -> None:
    page = new_page()
    open_page(page, f"{app_url}/attention?layer={LAYER}&head={HEAD}&view=matrix&token=-1")
    with page.expect_download() as coming:
        root(page).locator(".exports").get_by_role("button", name="CSV").click()
    heading, *rows = csv.reader(coming.value.path().open(encoding="utf-8-sig", newline=""))
    assert heading == ["", *result.encoding.pieces]
    read = np.array([row[1:] for row in rows], dtype=np.float32)
    np.testing.assert_array_equal(read, result.patterns[LAYER, HEAD])
    # The picture knows them now, too: a note has a digit more.
    note = read_note(page, 0.5, 0.5)
    assert note is not None
    assert re.search(r"\.\d{3}$| × 10", note["weight"])


def test_a_cell_breaks_down_into_the_numbers_of_the_pass(
    app_url: str,
    new_page: Callable[..., Page],
    checkpoint: Checkpoint,
    axe_violations: AxeViolations,
    assert_clean: Callable[[Page], None],
) -> None:
    page = new_page()
    address = f"{app_url}/attention?layer={LAYER}&head={HEAD}&token={IT}"
    open_page(page, address)
    expect(page.get_by_text("Pin a cell to see how its weight came about.")).to_be_visible()
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()
    for key in (ANIMAL, 0):
        open_page(page, f"{address}&key={key}")
        button = page.get_by_role("button", name=BUTTON)
        expect(button).to_have_attribute("aria-expanded", "false")
        button.click()
        where: dict[str, Any] = {"layer": LAYER, "head": HEAD, "query": IT, "key": key}
        cell = break_down(
            checkpoint, checkpoint.tokenizer.encode(TEXT).ids, kind="encoder", **where
        )
        steps = root(page).locator(".steps")
        expect(steps.locator(".formula")).to_have_text(
            [
                f"q · k = {cell.dot:.3f}",
                f"{cell.dot:.3f} × {cell.scale:.4f} = {cell.score:.3f}",
                "may look",
                f"exp({cell.score:.3f} − {cell.largest:.3f}) = {cell.exponential:.3f}",
                f"{cell.exponential:.3f} ÷ {cell.total:.3f} = {cell.weight:.3f}",
            ]
        )
        positive = int((cell.products > 0).sum())
        expect(page.get_by_role("img", name=f"{positive} of them above zero")).to_be_visible()
        strongest = int(np.abs(cell.products).argmax())
        expect(steps.get_by_text(f"Most comes from feature {strongest}:")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    page.get_by_role("button", name=BUTTON).click()
    expect(root(page).locator(".steps")).to_be_hidden()
    assert_clean(page)


def test_a_merged_word_has_its_mean_row_and_is_not_broken_down(
    app_url: str, new_page: Callable[..., Page], result: AttendResult
) -> None:
    page = new_page()
    pieces = list(result.encoding.tokens_of(2))
    assert len(pieces) == 3
    word = "didn't"
    address = f"{app_url}/attention?layer=0&head=3&token={pieces[1]}&key={IT}&merge=true"
    open_page(page, address + "&specials=false")
    expect(card(page).locator(".pinned-title")).to_have_text(f"“{word}” looks at")
    found = weights_in(page)
    rows = result.patterns[0, 3, pieces]
    expect_weights(found, [("it", rows[:, IT].mean()), ("row sum", 1.0)])
    assert "[CLS]" not in found
    if word in found:
        expect_weights(found, [(word, rows[:, pieces].sum(axis=1).mean())])
    listed = [weight for name, weight in found.items() if name != "row sum"]
    assert sum(listed) == pytest.approx(1, abs=HALF_A_DIGIT * (len(listed) + 1))
    expect(card(page).locator(".is-pinned th")).to_have_text("it")
    expect(page.get_by_text(re.compile("Merged words have several weights"))).to_be_visible()
    expect(page.get_by_role("button", name=BUTTON)).to_be_hidden()


def test_a_bias_is_added_and_a_forbidden_key_says_so(
    app_url: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    open_page(page, f"{app_url}/attention?layer=0&head=11&token=1&key=7")
    # Two tokens of one spelling are told apart by their place.
    expect(card(page).locator("th", has_text=re.compile("^the 7$"))).to_be_visible()
    biased, forbidden = page.evaluate(BREAK_DOWN_TWO, folder())
    assert "−4.000 × 0.5000 − 1.500 = −3.500" in biased
    assert "spokenBias 0.5000 −1.500 −3.500 0.025" in biased
    assert "exp(−3.500 + 0.500) = 0.050" in biased
    assert "mayNotLook" not in biased
    assert "mayNotLook " in forbidden
    assert "−4.000 × 0.5000 = −2.000" in forbidden
    assert "exp(" not in forbidden
    assert "0 ÷ 2.000 = 0" in forbidden
