"""Random masking as in training, on the page "Fill in the mask", in a real Chromium."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.sections.fill_mask.mask_draws import MOST_COLUMNS, floored
from app.settings import Settings
from app.theme import percent
from core.checkpoints import load_checkpoint
from core.tasks import Corruption, random_masking
from tests.browser.waiting import expect_address, expect_idle, resize

pytestmark = pytest.mark.browser

TEXT = "The child and her mother went to the market to buy a bottle of milk, bread and apples."
CARDS = ".st-key-training-draws, .st-key-training-epochs, .st-key-foot"


@pytest.fixture(scope="module")
def bert():
    return load_checkpoint("bert", device="cpu")


@pytest.fixture(scope="module")
def telling_seed(bert):
    """A seed whose first reading has all three corruptions."""
    for seed in range(1000):
        epoch = random_masking(bert, TEXT, seed=seed).epochs[0]
        if {one.corruption for one in epoch.chosen} == set(Corruption):
            return seed
    raise AssertionError("no seed shows all corruptions")


@pytest.fixture
def open_masks(app_url, new_page):
    """Open the page and wait until both cards have their picture."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/fill-mask?{urlencode(settings)}")
        expect(page.locator(".epochs")).to_be_visible()
        expect_idle(page)
        return page

    return open_at


def slots(page):
    """Of every token: corruption, what was there, what is read, number, draw."""
    return page.locator(".strip .slot").evaluate_all(
        "all => all.map(n => [n.dataset.corruption, ...[...n.children].map(c => c.textContent)])"
    )


def expected_slots(result):
    epoch = result.epochs[0]
    chosen = {one.position: one for one in epoch.chosen}
    words = {Corruption.MASK: "[MASK]", Corruption.RANDOM: "random", Corruption.KEPT: "kept"}
    expected = []
    for at, (piece, uniform) in enumerate(zip(result.encoding.pieces, epoch.uniforms, strict=True)):
        said = "special" if uniform is None else f"lot {floored(uniform, 3)}"
        if at not in chosen:
            expected.append(["", "", piece, said, ""])
            continue
        one = chosen[at]
        before = "" if one.corruption is Corruption.KEPT else piece
        verdict = f"{floored(one.draw, 2)}: {words[one.corruption]}"
        expected.append([one.corruption.value, before, one.piece, said, verdict])
    return expected


def cells(page):
    """Of every epoch of both groups, of every token: corruption, and what the model reads."""
    return page.locator(".epochs tr.epoch").evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('td')]"
        ".map(cell => [cell.dataset.corruption, cell.textContent]))"
    )


def ticks(page):
    """Of every draw that is marked between the zones: where, from 0 at the left to 1."""
    zones = page.locator(".zones").bounding_box()
    found = page.locator(".tick").evaluate_all(
        "all => all.map(one => [one.nextElementSibling.title,"
        " one.getBoundingClientRect().x + one.offsetWidth / 2])"
    )
    assert len(dict(found)) == len(found)
    return {title: (x - zones["x"]) / zones["width"] for title, x in found}


def expected_cells(result):
    rows = []
    for epoch in result.epochs:
        row = [["", ""] for _token in result.encoding.pieces]
        for one in epoch.chosen:
            row[one.position] = [one.corruption.value, one.piece]
        rows.append(row)
    return rows


def expect_seed(page, seed):
    heading = page.locator(".st-key-training-draws h2")
    expect(heading).to_contain_text(f"drawn with seed {seed}")
    page.wait_for_function(
        "([seed, unset]) => (new URLSearchParams(location.search).get('seed') ?? unset) === seed",
        arg=[str(seed), str(Settings.seed)],
    )


def places(page):
    """Where the cards stand on the page, however far it is scrolled."""
    top = page.locator(".st-key-fill-mask").bounding_box()["y"]
    boxes = [box.bounding_box() for box in page.locator(CARDS).all()]
    return [[box["y"] - top, box["width"], box["height"]] for box in boxes]


def test_the_picture_is_that_of_the_core(
    open_masks, bert, telling_seed, assert_clean, axe_violations
):
    page = open_masks(text=TEXT, seed=telling_seed, epochs=3)
    given = {"seed": telling_seed, "epochs": 3}
    static = random_masking(bert, TEXT, dynamic=False, **given)
    dynamic = random_masking(bert, TEXT, **given)
    assert slots(page) == expected_slots(static)
    rows = page.locator(".chosen tbody tr").evaluate_all(
        "all => all.map(row => [...row.children].map(cell => cell.textContent))"
    )
    drawn = {}
    for row, one in zip(rows, static.epochs[0].chosen, strict=True):
        token, why, seen, guess, share = row
        assert (token, seen) == (static.encoding.pieces[one.position], one.piece)
        assert floored(one.draw, 2) in why
        assert guess == f"{one.guess.token} {percent(one.guess.probability)}"
        assert share == percent(one.probability)
        drawn[f"{token} {floored(one.draw, 2)}"] = one.draw
    assert ticks(page) == pytest.approx(drawn, abs=0.002)
    shown = cells(page)
    assert shown == [*expected_cells(static), *expected_cells(dynamic)]
    assert shown[0] == shown[1] == shown[2] == shown[3]
    assert shown[3] != shown[4] != shown[5]
    assert axe_violations(page, both_schemes=True) == []
    resize(page, 1920, 1080)
    assert ticks(page) == pytest.approx(drawn, abs=0.002)
    assert cells(page) == shown
    assert_clean(page)


def test_draw_again_takes_the_next_seed_and_the_same_seed_draws_the_same(
    open_masks, bert, assert_clean
):
    page = open_masks(seed=7)
    page.locator(".mask-strip").evaluate("node => { node.marked = true; }")
    before = places(page)
    page.get_by_role("button", name="Draw again").click()
    expect_seed(page, 8)
    eight = expected_slots(random_masking(bert, Settings.text, seed=8))
    chosen = [words[4] for words in eight if words[4]]
    expect(page.locator(".strip .slot:not([data-corruption='']) .verdict")).to_have_text(chosen)
    assert slots(page) == eight
    assert places(page) == before
    assert page.locator(".mask-strip").evaluate("node => node.marked")
    seed = page.get_by_label("Seed", exact=True)
    expect(seed).to_have_value("8")  # otherwise it would overwrite what is typed
    seed.fill("7")
    seed.press("Enter")
    expect_seed(page, 7)
    seven = expected_slots(random_masking(bert, Settings.text, seed=7))
    chosen = [words[4] for words in seven if words[4]]
    expect(page.locator(".strip .slot:not([data-corruption='']) .verdict")).to_have_text(chosen)
    page.get_by_label("Epochs", exact=True).fill("6")
    page.get_by_label("Epochs", exact=True).press("Enter")
    expect(page.locator(".epochs tr.epoch")).to_have_count(12)
    picture = slots(page), cells(page)
    expect_address(page, epochs=6)
    page.reload()
    expect(page.locator(".epochs tr.epoch")).to_have_count(12)
    assert (slots(page), cells(page)) == picture
    assert_clean(page)


def test_arrow_keys_lead_through_the_epochs_in_words(open_masks, bert):
    page = open_masks(seed=7, epochs=2)
    words = page.locator(".words")
    expect(words).to_have_text(re.compile("arrow keys"))
    assert page.locator(".epochs td[tabindex='0']").count() == 1
    one = random_masking(bert, Settings.text, seed=7, epochs=2).epochs[1].chosen[0]
    page.locator(".epochs td[tabindex='0']").focus()
    expect(words).to_have_text("Static, epoch 1: “[CLS]” is never chosen.")
    for _row in range(3):
        page.keyboard.press("ArrowDown")
    for _column in range(one.position):
        page.keyboard.press("ArrowRight")
    token = random_masking(bert, Settings.text, seed=7).encoding.pieces[one.position]
    expect(words).to_have_text(re.compile(f"^Dynamic, epoch 2: “{token}” drew"))
    said = words.inner_text()
    assert floored(one.draw, 2) in said
    assert f"It gives “{token}” {percent(one.probability)}" in said
    assert f"“{one.guess.token}” with {percent(one.guess.probability)}" in said
    cell = page.locator(".epochs td:focus")
    expect(cell).to_have_accessible_name(said)
    page.keyboard.press("End")
    expect(words).to_have_text("Dynamic, epoch 2: “[SEP]” is never chosen.")
    page.locator(".epochs tr.epoch td[data-corruption='']").nth(3).hover()
    expect(words).to_have_text(re.compile("^Static, epoch 1: .* is not chosen.$"))


def test_junk_long_texts_and_no_text(open_masks, axe_violations, assert_clean):
    text = "the cat sat on the mat and slept " * 25
    page = open_masks({"width": 1280}, text=text, seed="junk", epochs=99, present=1)
    expect_seed(page, Settings.seed)
    expect(page.locator(".epochs tr.epoch")).to_have_count(2 * Settings.epochs)
    expect(page.locator(".epochs thead th")).to_have_count(MOST_COLUMNS + 1)
    tokens = page.locator(".strip .slot").count()
    expect(page.get_by_text(f"the first {MOST_COLUMNS} of {tokens} tokens")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert axe_violations(page) == []
    page.get_by_role("button", name="Draw again").click()
    expect_seed(page, Settings.seed + 1)
    sentence = page.get_by_label("Sentence", exact=True)
    sentence.fill("")
    sentence.press("Enter")
    expect(page.get_by_text("There is no text yet.")).to_be_visible()
    sentence.fill("A short one.")
    sentence.press("Enter")
    expect(page.locator(".strip .slot")).to_have_count(6)
    expect_seed(page, Settings.seed + 1)
    assert_clean(page)
