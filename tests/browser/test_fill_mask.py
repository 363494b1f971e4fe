"""The page of hidden words in a real Chromium."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

from app.settings import FIELDS, Settings
from app.theme import change, probability
from core.checkpoints import load_checkpoint
from core.tasks import ablate_each, compare_masks, fill_mask
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import copied_link, expect_idle, expect_query

pytestmark = pytest.mark.browser

DINOSAURS = "i have a funny story about dinosours"
CARDS = ".st-key-fill-strip, [class*='st-key-card-'], .st-key-foot"


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("bert", device="cpu")


@pytest.fixture
def open_fill(app_url, new_page):
    """Open the page and wait for all of it: `open_fill(text="...", hide="0")`."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/fill-mask?{urlencode(settings)}")
        expect_answer(page)
        return page

    return open_at


def expect_answer(page):
    expect(page.locator(".candidate").first).to_be_visible()
    expect(page.locator(".head-switch").first).to_be_visible()
    expect(page.locator(".st-key-card-edit-change table")).to_be_visible()
    expect_idle(page)


def chip(page, word):
    return page.locator(".chips button").filter(has_text=word).first


def head(page, layer, number):
    return page.get_by_role("switch", name=f"Layer {layer}, head {number}", exact=True)


def rows_of(page, card):
    rows = page.locator(f".st-key-card-{card} tbody tr:not([aria-hidden])")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def candidates(page):
    return page.locator(".candidate .token").all_inner_texts()


def pressed(page):
    return page.locator(".chips button[aria-pressed='true']")


def places(page):
    return [box.bounding_box() for box in page.locator(CARDS).all()]


def test_the_page_is_drawn_clean_and_accessible(open_fill, assert_clean, axe_violations):
    page = open_fill(hide="1.10", off="4-7")
    assert_own_style(page, "fill-mask")
    assert axe_violations(page) == []
    for card in ("predictions", "lens"):
        box = page.locator(f".st-key-card-{card}").bounding_box()
        assert box["y"] + box["height"] <= 800
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("A probability is the model’s, not the world’s.")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    assert_clean(page)


def test_words_are_hidden_and_shown_by_click_and_by_key(open_fill, assert_clean):
    page = open_fill()
    expect(pressed(page)).to_have_text(["[MASK]"])
    chip(page, "street").click()
    expect_query(page, hide="5.10")
    chip(page, "animal").click()
    expect(page.locator(".tabs button")).to_have_text(["1 · animal", "2 · street", "3 · tired"])
    expect_query(page, hide="1.5.10")
    assert page.locator(".chips button[tabindex='0']").count() == 1
    page.get_by_role("button", name="tired, hidden: [MASK]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tabs button")).to_have_text(["1 · animal", "2 · street"])
    expect(chip(page, "tired")).to_be_focused()  # the answer leaves it where it is
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="animal, hidden: [MASK]")).to_be_focused()
    page.keyboard.press("Space")
    expect_query(page, hide="5")
    expect(page.locator(".tabs")).to_be_hidden()
    expect(page.locator(".readback .filled")).to_have_count(1)
    chip(page, "[MASK]").click()
    expect(page.get_by_text("No word is hidden.")).to_be_visible()
    expect(page.locator(".candidate")).to_have_count(0)
    expect_query(page, hide="-")
    chip(page, "tired").click()
    expect_answer(page)
    expect_query(page, hide="10")
    assert_clean(page)


def test_candidates_are_chosen_and_read_back(open_fill, bert):
    page = open_fill(text=DINOSAURS, hide="6")
    pieces = bert.tokenizer.encode(DINOSAURS).tokens_of(6)
    note = f"“dinosours” is {len(pieces)} pieces, so {len(pieces)} masks stand for it."
    expect(page.get_by_text(note)).to_be_visible()
    masks = fill_mask(bert, DINOSAURS, mask_words=[6], top=20).masks
    assert len(masks) == len(pieces) > 2
    assert candidates(page) == [piece for piece, _ in masks[0].predictions[: Settings.top]]

    page.get_by_label("top", exact=True).select_option("20")
    expect(page.locator(".candidate")).to_have_count(20)
    page.locator(".candidate").nth(2).click()
    page.get_by_role("tab", name="Mask 2 of").click()
    expect(page.locator(".predictions .hint")).to_contain_text("Mask 2 of")
    page.locator(".candidate").first.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = [mask.predictions[at].token for mask, at in zip(masks, (2, 1, 0), strict=True)]
    expect(page.locator(".readback .filled")).to_have_text(
        [piece.removeprefix("##") for piece in chosen]
    )
    expect_query(page, text=DINOSAURS, hide="6", top="20", mask="1", choice="2.1")
    page.reload()
    expect_answer(page)
    expect(page.locator(".readback .filled")).to_have_text(
        [piece.removeprefix("##") for piece in chosen]
    )
    assert candidates(page) == [piece for piece, _ in masks[1].predictions]


def test_heads_are_ablated_and_the_numbers_are_those_of_the_model(open_fill, bert, assert_clean):
    page = open_fill()
    head(page, 4, 7).click()
    expect(page.get_by_role("heading", name="Without layer 4, head 7")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(head(page, 4, 8)).to_be_focused()
    page.keyboard.press("Space")
    expect(head(page, 4, 8)).to_have_attribute("aria-checked", "false")
    expect(page.get_by_role("heading", name="Without 2 heads")).to_be_visible()
    expect_query(page, off="4-7.4-8")
    before = dict(fill_mask(bert, Settings.text, mask_words=[10], top=100).masks[0].predictions)
    ran = fill_mask(bert, Settings.text, mask_words=[10], top=100, off=[(4, 7), (4, 8)])
    after = dict(ran.masks[0].predictions)
    rows = rows_of(page, "change")
    assert {row[0] for row in rows} == {*list(before)[:4], *list(after)[:4]}
    for word, *numbers in rows:
        moved = change(after[word] - before[word])
        assert numbers == [probability(before[word]), probability(after[word]), moved]
    assert any(row[1] != row[2] for row in rows)

    page.get_by_role("button", name="The whole layer 5 off or on").click()
    expect(page.get_by_role("heading", name="Without 14 heads")).to_be_visible()
    page.get_by_role("button", name="all on").click()
    expect(page.get_by_role("heading", name="With every head on")).to_be_visible()
    expect_query(page)
    page.locator(".ranking").get_by_role("button", name="turn off").first.click()
    expect(page.get_by_role("heading", name="Without layer")).to_be_visible()
    expect(page.locator(".head-switch[aria-checked='false']")).to_have_count(1)
    assert_clean(page)


def test_every_head_is_ablated_by_itself_and_a_cell_is_a_switch(
    open_fill, bert, assert_clean, axe_violations
):
    page = open_fill()
    card = page.locator(".st-key-card-ablations")
    expect(card.locator(".ablation-map")).to_have_count(0)
    card.get_by_text("Ablate every head").click()
    drawn = card.locator(".ablation-map[data-drawn=true]")
    expect(drawn).to_be_visible()
    expect_idle(page)
    expect_query(page, ablated="true")
    found = ablate_each(bert, Settings.text, mask_words=[10], top=20)
    cells = drawn.locator("svg.marks .mark-rect.role-mark path")
    expect(cells).to_have_count(72)
    drawn.get_by_text("Values", exact=True).click()
    expect(drawn.locator("tbody tr")).to_have_count(72)
    rows = [row.locator("td").all_inner_texts() for row in drawn.locator("tbody tr").all()]
    first = found.pieces[0]
    assert [(int(row[0]), int(row[1])) for row in rows] == list(np.ndindex(6, 12))
    changes = [float(row[2]) for row in rows]
    assert changes == pytest.approx((first.after - first.before).ravel().tolist(), abs=2e-3)
    most = f"{np.abs(first.after - first.before).max():.3f}"
    expect(drawn).to_contain_text(f"±{most} nats")

    # The pointer reads one head, a press turns it off, and the next one on.
    cell = cells.nth(4 * 12 + 7)
    cell.hover()
    tooltip = page.locator(".ablation-map .tip")
    expect(tooltip).to_contain_text("layer4head7")
    read = [one.replace("−", "-") for one in tooltip.locator("b").all_inner_texts()]
    assert read[-1] == "on"
    before, after = float(first.before), float(first.after[4, 7])
    exact = [after - before, np.exp(before), np.exp(after)]
    assert [float(one) for one in read[2:5]] == pytest.approx(exact, abs=2e-3)
    cell.click()
    expect(page.get_by_role("heading", name="Without layer 4, head 7")).to_be_visible()
    expect(head(page, 4, 7)).to_have_attribute("aria-checked", "false")
    expect_query(page, ablated="true", off="4-7")
    crosses = drawn.locator("svg.marks .mark-symbol.role-mark path")
    expect(crosses).to_have_count(2)  # one around the other
    assert drawn.locator("tbody tr").nth(55).locator("td").last.inner_text() == "off"
    head(page, 2, 3).click()
    expect(crosses).to_have_count(4)
    crosses.last.click()
    expect(page.get_by_role("heading", name="Without layer 2, head 3")).to_be_visible()
    expect(crosses).to_have_count(2)

    # Another word needs no computing, in the list here or above.
    picture = drawn.get_by_role("img")
    drawn.get_by_role("combobox").select_option(label="tired (hidden)")
    expect(picture).to_have_attribute("aria-label", re.compile("tired"))
    page.locator(".candidate").nth(1).click()
    expect(picture).to_have_attribute("aria-label", re.compile(f"of {found.pieces[1].token} "))
    page.mouse.move(0, 0)
    assert axe_violations(page) == []
    with page.expect_download() as saved:
        drawn.get_by_role("button", name="SVG").click()
    picture = Path(saved.value.path()).read_text(encoding="utf-8")
    assert "change of log-probability (nats)" in picture
    assert_clean(page)


def lens_rows(page):
    """The values of the figure, which are there once its table is opened."""
    figure = page.locator(".st-key-figure-lens")
    if not figure.locator("details[open]").count():
        figure.get_by_text("Values", exact=True).click()
    expect(figure.locator("tbody tr").first).to_be_visible()
    return [row.locator("td").all_inner_texts() for row in figure.locator("tbody tr").all()]


def test_the_last_layer_says_what_is_predicted(open_fill, assert_clean, axe_violations):
    page = open_fill()
    figure = page.locator(".st-key-figure-lens")
    labels = figure.locator("svg.marks .role-axis-label")
    # A line a followed word, and below each layer the word that it puts first.
    expect(figure.locator("svg.marks .mark-line path")).to_have_count(4)
    rows = lens_rows(page)
    assert [row[0] for row in rows] == [str(layer) for layer in range(7)]
    assert rows[-1][1:4] == candidates(page)[:3]
    for row in rows:
        expect(labels.get_by_text(row[1], exact=True).first).to_be_visible()
    assert axe_violations(page) == []
    chip(page, "street").click()
    page.get_by_role("tab", name="Mask 1 of 2").click()
    # The table stays open, and is of the other mask.
    last = figure.locator("tbody tr").last.locator("td")
    expect(last.nth(1)).to_have_text(candidates(page)[0])
    expect(figure.get_by_text("rank of street (hidden)")).to_be_visible()
    assert_clean(page)


def test_an_edit_is_compared(open_fill, bert, assert_clean):
    page = open_fill()
    # A field of another text takes the place of this one, which is there a moment longer.
    field = page.get_by_label("The changed sentence").first
    expect(field).to_have_value(Settings.text.replace("tired", "[MASK]"))
    assert {row[2] for row in rows_of(page, "edit-change")} == {"–"}
    changed = "The old man didn't cross the street because it was too [MASK]."
    field.fill(changed)
    field.press("Control+Enter")
    expect(page.get_by_text("of the probability went to other words")).to_be_visible()
    expect_query(page, edit=changed)
    found = compare_masks(bert, Settings.text, mask_words=[10], changed=changed, top=4)
    assert rows_of(page, "edit-change") == [
        [one.token, probability(one.before), probability(one.after), change(one.after - one.before)]
        for one in found.words
    ]
    # Another word, and the reader's own sentence stays; without one the field follows.
    page.get_by_role("button", name="Back to the sentence").click()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    chip(page, "animal").click()
    expect(field).to_have_value(
        Settings.text.replace("tired", "[MASK]").replace("animal", "[MASK]")
    )
    expect_query(page, hide="1.10")
    assert_clean(page)


@pytest.mark.parametrize(
    "settings",
    [
        {"hide": "0", "mask": "0", "choice": "0.1", "off": "0-0", "top": "1"},
        {"hide": "", "mask": "0", "choice": "", "off": "", "edit": "", "top": "8"},
    ],
)
def test_a_copied_link_brings_everything_back(open_fill, new_page, settings):
    page = open_fill({"permissions": ["clipboard-read", "clipboard-write"]}, **settings)
    link = copied_link(page)
    query = parse_qs(urlsplit(link).query, keep_blank_values=True)
    assert set(query) == {"v", *FIELDS}
    assert {name: query[name] for name in settings} == {
        name: [value] for name, value in settings.items()
    }
    other = new_page()
    other.goto(link)
    expect_answer(other)
    for of_page in (
        candidates,
        lambda one: rows_of(one, "change"),
        lens_rows,
    ):
        assert of_page(other) == of_page(page)
    expect(other.locator(".readback")).to_have_text(page.locator(".readback").inner_text())
    expect(pressed(other)).to_have_count(1)


def test_nothing_moves_when_another_word_is_hidden(open_fill):
    page = open_fill(hide="5")
    before = places(page)
    page.locator(".candidate").first.evaluate("node => { node.marked = true; }")
    chip(page, "because").click()
    chip(page, "[MASK]").click()
    expect_query(page, hide="6")
    expect(page.locator(".tabs")).to_be_hidden()
    expect_idle(page)
    assert places(page) == before
    assert page.locator(".candidate").first.evaluate("node => node.marked")


def test_a_head_at_the_mask_is_opened_among_all_heads(open_fill, assert_clean):
    page = open_fill()
    name = page.locator(".ranking .name").first.inner_text()
    page.locator(".ranking").get_by_role("button", name="look at it").first.click()
    expect(page.get_by_role("heading", name="Attention heads")).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(
        Settings.text.replace("tired", "[MASK]")
    )
    canvas = page.locator('.attention-canvas[data-drawn="true"]')
    expect(canvas).to_be_visible()
    layer, number = (int(word) for word in name.replace(",", "").split() if word.isdigit())
    expect(canvas).to_have_attribute("data-layer", str(layer))
    expect(canvas).to_have_attribute("data-head", str(number))
    assert_clean(page)


def test_no_quick_press_of_a_head_is_lost(open_fill, assert_clean):
    """Answers to earlier presses come while the next ones are made."""
    page = open_fill()
    heads = page.locator(".head-switch")
    count = 24
    for at in range(count):
        heads.nth(at).click(no_wait_after=True)
        page.wait_for_timeout(37 * (at % 3))
    off = page.locator(".head-switch[aria-checked='false']")
    expect(off).to_have_count(count)
    wanted = ".".join(f"{at // 12}-{at % 12}" for at in range(count))
    expect_query(page, off=wanted)
    expect(page.locator(".stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(off).to_have_count(count)
    assert_clean(page)
