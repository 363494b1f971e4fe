"""The page of the next word in a real Chromium."""

import csv
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import torch
from playwright.sync_api import expect

from app.scenes import scenes_of
from app.sections.next_word.rank_chart import drawn_ranks
from app.settings import FIELDS
from core.checkpoints import load_checkpoint
from core.decoding import Sampling, next_token
from core.tasks.next_word import decode_vocabulary, next_word
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import copied_link, expect_idle, press_clicker

pytestmark = pytest.mark.browser

PARTY = "Thank you for inviting me to your party last"
CARDS = ".st-key-next-strip, [class*='st-key-card-next'], .st-key-foot"


@pytest.fixture(scope="module")
def gpt():
    return load_checkpoint("gpt", device="cpu")


@pytest.fixture
def open_next(app_url, new_page):
    """Open the page and wait for all of it: `open_next(text="...", top_k="5")`."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/next-word?{urlencode(settings)}")
        expect_answer(page)
        return page

    return open_at


def expect_answer(page):
    expect(page.locator(".distribution button.candidate").first).to_be_visible()
    expect(page.locator(".next-masks[data-drawn='true']")).to_be_visible()
    expect(page.locator(".st-key-foot button").first).to_be_visible()
    expect(page.locator(".rank-chart[data-drawn]")).to_be_visible()
    expect_idle(page)


def expect_text(page, text):
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(text)
    expect_idle(page)


def rows(page):
    """Piece, probability, bits and sampling probability of every row, as they stand there."""
    return [
        row.locator("bdi, .plain, .bits, .sampling").all_inner_texts()
        for row in page.locator(".distribution .candidate").all()
    ]


def slide(page, name, stop):
    """Move a slider to one of its stops; a negative one counts from the end."""
    page.get_by_label(name, exact=True).evaluate(
        """(range, stop) => {
            range.value = stop < 0 ? Number(range.max) + 1 + stop : stop;
            range.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        stop,
    )


def said(share):
    percent = 100 * share
    if share > 0 and percent < 0.05:
        return "< 0.1 %"
    return f"{percent:.1f} %" if 0 < percent < 9.95 else f"{percent:.0f} %"


def test_the_page_is_drawn_clean_and_accessible(open_next, assert_clean, axe_violations):
    page = open_next(text=PARTY, top_k="5", written="80.5.1000")
    assert_own_style(page, "next-word")
    expect(page.locator(".written li")).to_have_count(3)
    assert axe_violations(page) == []
    assert page.get_by_role("button", name="Draw one").bounding_box()["y"] < 760
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("One pass predicts every place.")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    assert_clean(page)


def expect_distribution(page, found, pieces, sampling):
    """Wait until the rows show what the core draws by, of the scores that it has found."""
    scores = torch.tensor(found.scores)
    plain, drawn_shares = scores.softmax(-1).tolist(), next_token(scores, sampling).tolist()
    kept = sum(drawn_share > 0 for drawn_share in drawn_shares)
    temperature = page.get_by_label("Temperature", exact=True)
    expect(temperature).to_have_attribute("aria-valuetext", f"{sampling.temperature:.2f}")
    expect(page.locator(".distribution")).to_have_attribute("data-kept", str(kept))
    drawn = [[one.replace("\N{NO-BREAK SPACE}", " ") for one in row] for row in rows(page)]
    for rank, (piece, probability, bits, drawn_share) in enumerate(drawn[:-1]):
        assert piece == pieces[found.ids[rank]]
        assert probability == said(plain[rank])
        assert bits == f"{-torch.tensor(plain[rank]).log2().item():.1f}"
        assert drawn_share == said(drawn_shares[rank])
    assert page.locator(".fallen").count() == max(12 - kept, 0)


def ranks_told(page):
    """The rows of the values of the chart of ranks, as its file has them."""
    with page.expect_download() as saved:
        page.locator(".rank-chart").get_by_role("button", name="CSV").click()
    with Path(saved.value.path()).open(encoding="utf-8-sig", newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads[0] == "rank"
    return {int(row[0]): row[1:] for row in rows}


def test_the_chart_of_ranks_has_the_whole_distribution_and_follows_the_sliders(
    open_next, gpt, assert_clean, axe_violations
):
    page = open_next(text=PARTY, temperature="80", top_k="40", top_p="900")
    found = next_word(gpt, PARTY)
    scores = torch.tensor(found.scores)
    plain = scores.double().softmax(-1)
    shares = next_token(scores, Sampling(0.8, 40, 0.9)).double()
    pieces = decode_vocabulary(gpt).pieces
    told = ranks_told(page)
    assert [*told] == drawn_ranks(8_000).tolist()
    for rank, (piece, *numbers, times) in told.items():
        name = pieces[found.ids[rank - 1]]
        assert piece in (name, f"'{name}")  # no spreadsheet takes it for a formula
        wanted = [plain[rank - 1], plain[:rank].sum(), shares[rank - 1], shares[:rank].sum()]
        assert [float(one) for one in numbers] == pytest.approx(
            [float(one) for one in wanted], rel=1e-4, abs=1e-12
        )
        assert times == "0"

    chart = page.locator(".rank-chart")
    limits = chart.locator("svg.marks .mark-text.role-mark text")
    kept = int((shares > 0).sum())
    expect(limits).to_have_text(["top-k 40", f"top-p 0.9: {kept} kept"])
    slide(page, "Top-p", -1)
    expect(limits).to_have_text(["top-k 40"])
    slide(page, "Top-k", 0)
    expect(limits).to_have_text(["top-k 1"])
    slide(page, "Top-k", -1)
    expect(limits).to_have_count(0)
    told = ranks_told(page)
    shares = next_token(scores, Sampling(0.8)).double()
    assert float(told[8_000][3]) == pytest.approx(float(shares[-1]), rel=1e-3)

    # What was drawn stands on the curve, and the pointer reads it.
    page.get_by_role("button", name="Draw 100 times").click()
    drawn = chart.locator("svg.marks g.drawn_marks path")
    expect(drawn.first).to_be_visible()
    told = ranks_told(page)
    times = {rank: int(row[-1]) for rank, row in told.items() if row[-1] != "0"}
    assert sum(times.values()) == 100
    expect(drawn).to_have_count(len(times))
    targets = chart.locator("svg.marks g.ranks_marks path")
    expect(targets).to_have_count(len(told))
    targets.nth(1).hover()
    tooltip = chart.locator(".tip")
    expect(tooltip).to_contain_text(pieces[found.ids[1]])
    read = tooltip.locator("b").all_inner_texts()
    assert float(read[2]) == pytest.approx(float(plain[1]), rel=1e-4)
    assert read[-1] == str(times.get(2, 0))
    page.mouse.move(0, 0)
    assert axe_violations(page) == []
    # Another place has another distribution, and no draws.
    page.locator(".next-strip .chip").nth(4).click()
    expect(page.locator(".distribution .hint")).to_contain_text("where “␣inv” stands")
    identity = page.locator(".distribution").get_attribute("data-drawn")
    expect(chart).to_have_attribute("data-drawn", identity)
    expect(drawn).to_have_count(0)
    here = next_word(gpt, PARTY, 4)
    assert ranks_told(page)[1][0] == pieces[here.ids[0]]
    assert_clean(page)


def test_the_browser_computes_what_the_core_draws_by(open_next, gpt):
    page = open_next(text=PARTY, temperature="80", top_k="8", top_p="700")
    found, pieces = next_word(gpt, PARTY), decode_vocabulary(gpt).pieces
    expect_distribution(page, found, pieces, Sampling(0.8, 8, 0.7))
    for stops, sampling in (
        ((20, -1, -1), Sampling()),
        ((10, -1, 39), Sampling(0.5, None, 0.7)),
        ((30, 4, -1), Sampling(1.5, 5)),
        ((0, -1, -1), Sampling(0.0)),
    ):
        for name, stop in zip(("Temperature", "Top-k", "Top-p"), stops, strict=True):
            slide(page, name, stop)
        expect_distribution(page, found, pieces, sampling)


def test_sliders_change_the_bars_and_the_address_and_rerun_nothing(open_next, assert_clean):
    page = open_next(text=PARTY)
    page.evaluate(
        """() => {
            window.runs = 0;
            const app = document.querySelector(".stApp");
            new MutationObserver(() => (window.runs += 1)).observe(app, {
                attributes: true, attributeFilter: ["data-test-script-state"],
            });
        }"""
    )
    slide(page, "Top-k", 4)
    expect(page.locator(".distribution")).to_have_attribute("data-kept", "5")
    expect(page.locator(".fallen")).to_have_count(7)
    slide(page, "Temperature", 10)
    slide(page, "Top-p", 20)
    page.wait_for_function(
        """() => {
            const query = new URLSearchParams(location.search);
            return query.get("top_k") === "5" && query.get("temperature") === "50"
                && query.get("top_p") !== null;
        }"""
    )
    page.get_by_role("button", name="Draw 100 times").click()
    drawn = [int(one[1:]) for one in page.locator(".drawn").all_inner_texts() if one]
    assert sum(drawn) == 100
    assert page.evaluate("window.runs") == 0
    slide(page, "Top-k", -1)
    assert not any(page.locator(".drawn").all_inner_texts())
    assert_clean(page)


def test_a_piece_is_chosen_drawn_and_taken_back(open_next, assert_clean):
    page = open_next(text=PARTY)
    page.locator("button.candidate").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_text(page, f"{PARTY} week")
    expect(page.locator(".next-strip .chip")).to_have_count(13)
    slide(page, "Temperature", 0)
    page.get_by_role("button", name="Draw one").click()
    expect(page.locator(".says")).to_contain_text("fell on")
    expect(page.locator(".next-strip .chip")).to_have_count(14)
    page.get_by_role("button", name="Take back").click()
    expect_text(page, f"{PARTY} week")
    # At an earlier place the text is cut there.
    page.locator(".next-strip .chip").nth(4).click()
    expect(page.locator(".distribution .hint")).to_contain_text("where “␣inv” stands")
    expect(page.locator(".there .token")).to_have_text("␣inv")
    name = page.locator(".distribution .token").first.inner_text()
    page.locator("button.candidate").first.click()
    expect_text(page, f"Thank you for{name.replace('␣', ' ')}")
    assert_clean(page)


def test_the_model_writes_on_and_a_copied_link_brings_everything_back(open_next, new_page):
    page = open_next(
        {"permissions": ["clipboard-read", "clipboard-write"]}, text=PARTY, top_k="3", seed="2"
    )
    page.get_by_role("button", name="Write on").click()
    expect(page.locator(".written li")).to_have_count(3)
    written = page.locator(".written li").all_inner_texts()
    assert all(one.startswith(PARTY) for one in written)
    link = copied_link(page)
    query = parse_qs(urlsplit(link).query, keep_blank_values=True)
    assert set(query) == {"v", *FIELDS}
    assert (query["top_k"], query["written"]) == (["3"], ["100.3.1000"])
    other = new_page()
    other.goto(link)
    expect_answer(other)
    expect(other.locator(".written li")).to_have_text(written)
    assert rows(other) == rows(page)


def test_scenes_set_text_sliders_and_position_in_front_of_a_class(open_next, assert_clean):
    page = open_next(present="1")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.locator(".distribution .token").first).to_have_css("font-size", "17.5px")
    before = page.locator(CARDS).first.bounding_box()
    for number, scene in enumerate(scenes_of("next_word")[:6], start=1):
        press_clicker(page)
        expect(page.get_by_role("status").first).to_contain_text(f"Scene {number} of")
        expect_text(page, scene.settings["text"])
        kept = {"top_k": "5", "top_p": "6"}
        wanted = next((kept[one] for one in kept if scene.settings[one] not in (0, 1_000)), "8000")
        expect(page.locator(".distribution")).to_have_attribute("data-kept", wanted)
    expect(page.locator(".there .token")).to_have_text("␣run")
    assert page.locator(CARDS).first.bounding_box() == before
    assert_clean(page)


def test_all_heads_of_the_same_run_are_one_click_away(open_next, assert_clean):
    page = open_next(text=PARTY)
    page.get_by_role("button", name="All heads of this run").click()
    expect(page.get_by_role("heading", name="Attention heads")).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(PARTY)
    canvas = page.locator('.attention-canvas[data-drawn="true"]')
    expect(canvas).to_be_visible()
    expect(page.locator(".fact").first).to_contain_text("6 layers × 10 heads")
    assert_clean(page)
