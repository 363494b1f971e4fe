"""The page of replaced tokens in a real Chromium."""

import csv
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.sections.replaced.sentence import UNSEEN
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

DRAWN = '.replaced[data-drawn="true"]'
APPLE = "She is eating a green apple."


@pytest.fixture
def open_replaced(app_url, new_page):
    def open_at(options=None, **query):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/replaced?{urlencode(query)}")
        expect(page.locator(DRAWN)).to_be_visible()
        expect(page.locator(".replaced-foot")).to_be_visible()
        return page

    return open_at


def tokens(page):
    """Of every chip: what is written on it, and its verdict."""
    return page.locator(".chip").evaluate_all(
        "all => all.map(one => ({ ...one.dataset,"
        " piece: one.querySelector('.piece').textContent,"
        " was: one.querySelector('.was').textContent,"
        " share: one.querySelector('.number').textContent }))"
    )


def slide(page, value):
    page.get_by_role("slider", name="Threshold").evaluate(
        "(one, value) => { one.value = value;"
        " one.dispatchEvent(new Event('input', { bubbles: true })); }",
        str(value),
    )


def score(page):
    """Rows of the score: found, false alarms, points, words right."""
    rows = page.locator(".score tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]


def numbers_in(text):
    return [float(one) for one in re.findall(r"\d+\.\d+", text)]


def test_the_first_picture_tells_it_all(open_replaced, assert_clean, axe_violations):
    page = open_replaced()
    assert_own_style(page, "replaced")
    chips = tokens(page)
    assert any(one["was"] for one in chips)
    for one in chips[1:-1]:
        missed = one["was"] and float(one["share"].strip("<>")) <= 0.5
        assert (one["verdict"] == "missed") == bool(missed)
    assert axe_violations(page, both_schemes=True) == []
    for width, height in SIZES:
        resize(page, width, height)
        for name in (".counts", ".left thead", ".right .worked"):
            box = page.locator(name).bounding_box()
            assert box["y"] + box["height"] <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert_clean(page)


def test_the_losses_add_up_as_they_are_shown(open_replaced):
    page = open_replaced(text=" ".join(UNSEEN[:3]), seed=2)
    rows = page.locator(".worked tr").all()
    results = [float(row.locator("td").nth(1).inner_text()) for row in rows]
    masked, replaced, original, mean, weighted, together = results
    page.get_by_text("Every token’s term").click()
    terms = page.locator("details tbody tr")
    count = terms.count()
    assert count == len(tokens(page))
    shown = terms.locator("td:last-child").all_inner_texts()
    assert sum(map(float, shown)) == pytest.approx(replaced + original, abs=1e-9)
    assert mean == pytest.approx((replaced + original) / count, abs=6e-6)
    assert weighted == pytest.approx(50 * mean, abs=1e-9)
    assert together == pytest.approx(masked + weighted, abs=1e-9)
    nats = [float(one) for one in page.locator(".left td:last-child").all_inner_texts()]
    assert masked == pytest.approx(sum(nats) / len(nats), abs=6e-5)
    (exact,) = numbers_in(page.locator(".right > .note").inner_text())
    assert together == pytest.approx(exact, abs=0.005)


def test_the_threshold_runs_nothing_and_comes_back_with_the_link(open_replaced, assert_clean):
    page = open_replaced(seed=2)
    expect_idle(page)
    before = sent_by(page)
    slide(page, 0)
    expect(page.locator(".counts")).to_contain_text("At 0.00: found 2 of 2")
    assert not any(one["verdict"] == "missed" for one in tokens(page))
    slide(page, 100)
    expect(page.locator(".counts")).to_contain_text("found 0 of 2 replaced tokens, false alarms 0")
    assert [one["verdict"] for one in tokens(page) if one["was"]] == ["missed", "missed"]
    expect(page.locator(".point")).to_contain_text("precision – (0 of 0 called")
    drag_the_line_to(page, 0.35)
    expect_address(page, threshold="35")
    expect(page.get_by_role("slider", name="Threshold")).to_have_value("35")
    assert sent_by(page) == before, "nothing of this has gone to the server"
    words = page.locator(".counts").inner_text()
    page.reload()
    expect(page.locator(".counts")).to_have_text(words)
    assert_clean(page)


def drag_the_line_to(page, threshold):
    """Drag the line across the tokens to a height, as the axis beside it says."""
    chart = page.locator(".panel.tokens .vega-chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    ticks = {
        tick.text_content(): tick.bounding_box()
        for tick in chart.locator(".role-axis-label text").all()
    }
    bottom, top = (ticks[name]["y"] + ticks[name]["height"] / 2 for name in ("0.0", "1.0"))
    height = bottom + (top - bottom) * threshold
    page.mouse.move(box["x"] + box["width"] / 2, top + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, height)
    page.mouse.up()
    said = f"{threshold:.2f}"
    expect(page.locator(".curves")).to_have_attribute("data-threshold", said)


def test_the_operating_point_is_on_both_curves(open_replaced, tmp_path, assert_clean):
    page = open_replaced(seed=2)
    ring = page.locator(".panel.roc .ring_marks path")
    expect(ring).to_have_count(1)
    point = page.locator(".curves .point")
    before = ring.get_attribute("transform")
    slide(page, 1)
    expect(page.locator(".curves")).to_have_attribute("data-threshold", "0.01")
    chips = [one for one in tokens(page)[1:-1] if one["share"]]
    found = sum(one["verdict"] == "found" for one in chips)
    called = found + sum(one["verdict"] == "alarm" for one in chips)
    replaced = sum(bool(one["was"]) for one in chips)
    precision, recall, rate = numbers_in(point.inner_text())[1:]
    assert precision == pytest.approx(found / called, abs=0.0051)
    assert recall == pytest.approx(found / replaced, abs=0.0051)
    assert rate == pytest.approx((called - found) / (len(chips) - replaced), abs=0.0051)
    page.wait_for_function(
        "([ring, before]) => ring.getAttribute('transform') !== before",
        arg=[ring.element_handle(), before],
    )

    # Each point of the file is what its threshold calls.
    panel = page.locator(".panel.precision")
    with page.expect_download() as download:
        panel.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "points.csv")
    _, *lines = csv.reader((tmp_path / "points.csv").read_text("utf-8-sig").splitlines())
    assert lines[0][1:] == ["0", ""], "nothing is called, so there is no precision"
    assert lines[-1] == ["", "1", str(replaced / len(chips))], "everything is called"

    # A press on the curve takes the threshold of its nearest point: the corner of no false alarm.
    chart = page.locator(".panel.roc .vega-chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 52, box["y"] + box["height"] / 2)
    expect(point).to_contain_text("false-positive rate 0.00 (0 of")
    box = ring.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".panel.roc .tip")).to_contain_text("recall (share of the replaced)0.5000")
    assert_clean(page)


def test_the_reader_changes_a_word_and_takes_it_back(open_replaced, assert_clean):
    page = open_replaced(text=APPLE)
    page.get_by_role("radio", name="You").click()
    expect(page.locator(".counts")).to_contain_text("no truth to compare with")
    expect(page.locator(".curves")).to_contain_text("no truth to draw a curve from")
    expect(page.locator(".curves .vega-chart").first).to_be_hidden()
    page.locator(".chip", has_text="eating").click()
    field = page.get_by_label("New word for “eating”")
    field.fill("<b>x</b>")
    field.press("Escape")
    expect(field).to_have_count(0)
    page.locator(".chip", has_text="green").click()
    field = page.get_by_label("New word for “green”")
    field.fill("loudly sang")
    field.press("Enter")
    expect(page.locator(".was", has_text="green")).to_be_visible()
    expect_address(page, changed="4:loudly%20sang")
    expect(page.locator(".counts")).to_contain_text(re.compile(r"of [2-5] replaced tokens"))
    expect(page.locator(".left tbody tr")).to_contain_text("loudly sang")
    page.reload()
    expect(page.locator(".was", has_text="green")).to_be_visible()
    page.get_by_role("button", name="Attention of this run").click()
    expect(page.locator('.attention-canvas[data-drawn="true"]')).to_be_visible()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(
        APPLE.replace("green", "loudly sang")
    )
    assert_clean(page)


def test_the_class_marks_first_and_is_scored_with_the_model(
    open_replaced, axe_violations, assert_clean
):
    page = open_replaced(mark_first="true", seed=2, text=APPLE)
    expect(page.locator(DRAWN)).to_have_attribute("data-blind", "true")
    assert {(one["share"], one["was"]) for one in tokens(page)} == {("", "")}
    expect(page.locator(".curves .point")).to_be_hidden()
    expect(page.locator(".curves")).to_contain_text("Comes with the answer.")
    expect(page.get_by_label("Sentence", exact=True)).to_have_count(0)
    apple = page.locator(".chip", has_text="apple")
    apple.click()
    expect(apple).to_have_attribute("aria-pressed", "true")
    expect_address(page, marked="5")
    assert axe_violations(page) == []
    show = page.get_by_role("button", name="Show the answer")
    show.click()
    expect(page.locator(DRAWN)).to_have_attribute("data-blind", "false")
    chips = tokens(page)
    replaced = sum(bool(one["was"]) for one in chips)
    found = sum(one["verdict"] == "found" for one in chips)
    alarms = sum(one["verdict"] == "alarm" for one in chips)
    was_apple = bool(next(one for one in chips if "apple" in (one["piece"], one["was"]))["was"])
    reader, model, nobody = score(page)
    points = 1 if was_apple else -1
    assert reader[2] == str(points).replace("-", "\N{MINUS SIGN}")
    assert model == [
        f"{found} of {replaced}",
        str(alarms),
        str(found - alarms).replace("-", "\N{MINUS SIGN}"),
        f"{7 - replaced + found - alarms} of 7",
    ]
    assert nobody == [f"0 of {replaced}", "0", "0", f"{7 - replaced} of 7"]
    # The same sentence once more counts no second time.
    page.get_by_role("button", name="Mark once more").click()
    expect(page.locator(DRAWN)).to_have_attribute("data-blind", "true")
    show.click()
    expect(page.locator(".score .hint")).to_contain_text("sentences so far: 1")
    page.get_by_role("button", name="Next sentence").click()
    expect(page.locator(DRAWN)).to_have_attribute("data-blind", "true")
    expect(page.locator(".chip.marked")).to_have_count(0)
    show.click()
    expect(page.locator(".score .hint")).to_contain_text("sentences so far: 2")
    page.reload()
    expect(page.locator(".score .hint")).to_contain_text("sentences so far: 2")
    page.get_by_role("button", name="Start again at 0").click()
    expect(page.locator(".score .hint")).to_contain_text("sentences so far: 0")
    assert_clean(page)


def test_scenes_go_from_draws_to_marks(open_replaced, assert_clean):
    page = open_replaced(present="1")
    scene = page.locator(".scenes [role=status]")
    press_clicker(page)
    expect(scene).to_contain_text("One found, one missed")
    titles = ("Every draw the original", "Hotter draws", "A longer sentence", "A word of your own")
    for title in titles:
        before = page.locator(DRAWN).get_attribute("data-identity")
        press_clicker(page)
        expect(scene).to_contain_text(title)
        expect(page.locator(DRAWN)).not_to_have_attribute("data-identity", before)
    expect(page.locator(DRAWN)).to_have_attribute("data-threshold", "0.40")
    expect_address(page, threshold="40")
    expect(page.locator(".was", has_text="street")).to_be_visible()
    press_clicker(page)
    expect(page.locator(".was", has_text="Paris")).to_be_visible()
    press_clicker(page)
    expect(scene).to_contain_text("Mark first")
    expect(page.locator(DRAWN)).to_have_attribute("data-blind", "true")
    press_clicker(page, "PageUp")
    expect(page.locator(".was", has_text="Paris")).to_be_visible()
    expect(page.locator(DRAWN)).to_have_attribute("data-threshold", "0.50")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert_clean(page)
