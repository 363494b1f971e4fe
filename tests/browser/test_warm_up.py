"""The warm-up lab in a real Chromium: a short run from the button to the curves and the files."""

import csv
import json
import math
import re
import statistics

import pytest
from playwright.sync_api import expect

from app.browser_files import folder
from tests.browser.first_style import assert_own_style

pytestmark = pytest.mark.browser

# Twenty steps of a very small model.
SHORT = "lab=compare-warm-up.task-copy.steps-20.warm_up-6.depth-1.width-16.batch-8"
LONG = "lab=compare-nothing.task-copy.steps-2000.depth-1.width-16.batch-8"
FIRST_START_MS = 120_000  # a process imports torch
LONGEST_UPDATE_MS = 100

INK = """canvas => {
  const {width, height} = canvas;
  const seen = new Set(new Uint32Array(
    canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer));
  return seen.size;
}"""


# One line that grows, is cut short, and grows again: the rows that are drawn each time.
GROW = """async ([folder, values, lengths, whole]) => {
  const { Rows } = await import(`/${folder}/sections/warm_up/series.js`);
  const rows = new Rows();
  let before = null;
  const grown = lengths.map(([length, isOver]) => {
    const series = {
      steps: Float32Array.from({ length }, (_, at) => at + 1),
      values: Float32Array.from(values.slice(0, length).map((one) => one ?? NaN)),
    };
    const line = { data: "loss", key: "0", name: "", series, row: { run: 0 }, isOver };
    const { loss } = rows.take([line], "runs", "inside", whole);
    const isSame = loss === before;
    before = loss;
    return { isSame, rows: loss.map(({ step, value }) => [step, value]) };
  });
  return { grown, left: rows.take([], "runs", "inside", whole).loss };
}"""


@pytest.fixture(scope="module")
def lab_url(launch_app):
    return f"{launch_app(env={'HEADLIGHT_DEVICE': 'cpu', 'HEADLIGHT_LAB_RUNS': '2'})}/warm-up"


def stop(page):
    # Streamlit's own "Stop" stands above the page while its script runs.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()


def wait_for_states(page, states):
    expect(page.locator(".lab-curves")).to_have_attribute(
        "data-states", states, timeout=FIRST_START_MS
    )


def test_a_short_run_from_the_button_to_the_files(
    lab_url, new_page, assert_clean, axe_violations, tmp_path
):
    page = new_page()
    page.goto(f"{lab_url}?{SHORT}")
    expect(page.get_by_role("button", name="Train")).to_be_visible()
    assert_own_style(page, "warm-up")
    page.get_by_role("button", name="Train").click()
    wait_for_states(page, "finished finished")
    expect(page.locator(".lab-curves")).to_have_attribute("data-steps", "20")
    rows = page.locator(".lab-curves tbody tr")
    expect(rows.nth(0)).to_contain_text("no warm-up")
    expect(rows.nth(1)).to_contain_text("warm-up of 6 steps")
    expect(rows.nth(1)).to_contain_text("20 of 20 steps")

    # Six charts in one picture; the table of the runs says where they are.
    chart = page.locator(".lab-curves canvas")
    expect(chart).to_have_count(1)
    assert chart.evaluate(INK) > 8
    values = [cell.inner_text() for cell in rows.nth(1).locator("td").all()]
    assert re.fullmatch(r"\d+\.\d+", values[2])
    steps = page.get_by_role("slider", name="step")

    # A zoom outlives new data of the other run's inside.
    whole = page.locator(".lab-curves .whole")
    expect(whole).to_have_attribute("aria-label", "The steps that are seen: 0 to 20")
    steps.press("ArrowLeft")
    expect(page.locator(".step output")).to_have_text("step 19")
    steps.press("+")
    expect(whole).to_have_attribute("aria-label", "The steps that are seen: 8 to 20")
    page.get_by_role("radio", name="no warm-up").click()
    expect(page.locator(".tools .hint")).to_contain_text("no warm-up")
    expect(page).to_have_url(re.compile("inside=0"))
    expect(page.locator(".step output")).to_have_text("step 19")
    expect(whole).to_have_attribute("aria-label", "The steps that are seen: 8 to 20")
    steps.press("0")
    expect(whole).to_have_attribute("aria-label", "The steps that are seen: 0 to 20")

    # The attention at the last step, in the canvas of all pages.
    expect(page.locator(".attention-canvas")).to_have_attribute("data-drawn", "true")
    expect(page.get_by_text("Attention at step 20")).to_be_visible()

    with page.expect_download() as download:
        page.get_by_role("button", name="JSON lines").click()
    download.value.save_as(tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [one["step"] for one in events if one["event"] == "step"] == list(range(1, 21))
    assert events[0]["settings"]["warm_up"] == 0

    # A drag over the whole axis zooms; at the pointer stand the exact values.
    box = whole.bounding_box()
    height = box["y"] + 10
    page.mouse.move(box["x"] + box["width"] * 0.5, height)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, height, steps=4)
    page.mouse.up()
    expect(whole).to_have_attribute("aria-label", re.compile(r"seen: (9|10|11) to 1[5-7]$"))
    box = chart.bounding_box()
    page.mouse.dblclick(box["x"] + 150, box["y"] + 80)
    expect(whole).to_have_attribute("aria-label", "The steps that are seen: 0 to 20")
    page.mouse.move(box["x"] + 151, box["y"] + 80)
    tip = page.locator(".lab-curves .tip").first
    expect(tip).to_contain_text("no warm-up, batch loss")
    step, told = tip.evaluate(
        "tip => [...tip.querySelectorAll('b')].slice(0, 2).map(one => Number(one.textContent))"
    )
    losses = {one["step"]: one["loss"] for one in events if one["event"] == "step"}
    assert told == pytest.approx(losses[step], rel=1e-5)

    # Every number that is drawn; a run that is not shown has none.
    def saved(kind):
        with page.expect_download() as download:
            page.locator(".figure-values").get_by_role("button", name=kind).click()
        download.value.save_as(tmp_path / kind)
        return (tmp_path / kind).read_bytes()

    heading, *lines = csv.reader(saved("CSV").decode("utf-8-sig").splitlines())
    at = heading.index("batch loss: no warm-up")
    assert {int(line[0]): float(line[at]) for line in lines} == pytest.approx(losses, rel=1e-6)
    page.get_by_role("checkbox", name="warm-up of 6 steps").uncheck()
    heading, *_ = csv.reader(saved("CSV").decode("utf-8-sig").splitlines())
    assert not [name for name in heading if "warm-up of 6 steps" in name]
    assert "loss (nats a token)" in saved("SVG").decode()
    assert saved("PNG").startswith(b"\x89PNG")
    page.get_by_text("Values", exact=True).click()
    expect(page.locator(".figure-values tbody tr").last).to_contain_text("20")

    assert not axe_violations(page)
    assert_clean(page)


def test_a_run_survives_another_page_is_stopped_and_goes_on(lab_url, new_page, assert_clean):
    page = new_page(color_scheme="dark")
    page.goto(f"{lab_url}?{LONG}")
    page.get_by_role("button", name="Train").click()
    wait_for_states(page, "running")
    curves = page.locator(".lab-curves")
    expect(curves).not_to_have_attribute("data-steps", "0", timeout=FIRST_START_MS)
    before = int(curves.get_attribute("data-steps"))
    # Curves grow in place: nothing moves, and no update keeps the page from answering.
    parts = (curves.locator(".vega-chart").nth(at) for at in (0, 1))
    expect(curves.locator(".whole svg.marks")).to_be_visible()
    boxes = [part.bounding_box() for part in parts]
    headings = curves.get_by_role("columnheader")
    columns = [one.bounding_box() for one in headings.all()]
    page.wait_for_function(
        "() => performance.getEntriesByName('warm-up update').length > 8", timeout=FIRST_START_MS
    )
    parts = (curves.locator(".vega-chart").nth(at) for at in (0, 1))
    assert [part.bounding_box() for part in parts] == boxes
    assert [one.bounding_box() for one in headings.all()] == columns
    took = page.evaluate(
        "performance.getEntriesByName('warm-up update').map((one) => one.duration)"
    )
    assert statistics.median(took[1:]) <= LONGEST_UPDATE_MS, took
    page.get_by_role("link", name="Start").click()
    expect(curves).to_have_count(0)
    page.get_by_role("link", name="Warm-up lab").click()
    wait_for_states(page, "running")
    stop(page)
    wait_for_states(page, "stopped")
    stopped_at = int(curves.get_attribute("data-steps"))
    assert before <= stopped_at < 2_000
    page.get_by_role("button", name="Resume").click()
    wait_for_states(page, "running")
    expect(curves).not_to_have_attribute("data-steps", str(stopped_at), timeout=FIRST_START_MS)
    stop(page)
    wait_for_states(page, "stopped")
    assert_clean(page)


def test_fields_stand_in_the_address(lab_url, new_page):
    page = new_page()
    page.goto(lab_url)
    page.get_by_role("combobox", name="Norms").click()
    page.get_by_role("option", name="pre-norm").click()
    expect(page).to_have_url(re.compile("lab=norm-pre"))
    page.reload()
    expect(page.get_by_role("combobox", name="Norms")).to_have_value("pre-norm")


def test_of_many_steps_the_extremes_are_drawn_and_only_new_rows_are_added(lab_url, new_page):
    page = new_page()
    page.goto(f"{lab_url}/app/static/icon.svg")
    steps, group = 1300, 5  # 300 groups at most
    values = [None if step == 101 else math.sin(step) * 64 // 1 for step in range(1, steps + 1)]
    lengths = [[100, False], [700, False], [steps, True], [650, False]]
    told = page.evaluate(GROW, [folder(), values, lengths, steps])
    assert told["left"] == [], "of a line that is gone"
    grown = told["grown"]
    assert [one["isSame"] for one in grown] == [False, True, True, False]
    for one, (length, is_over) in zip(grown, lengths, strict=True):
        wanted = []
        for start in range(0, length, group):
            found = list(enumerate(values[start : start + group], start + 1))
            if start + group > length and not is_over:
                break  # more of this group is to come
            numbers = [value for _, value in found if value is not None]
            if len(numbers) == len(found):
                ends = {found[numbers.index(end(numbers))] for end in (min, max)}
                found = sorted(ends)
            wanted += [list(pair) for pair in found]
        assert one["rows"] == wanted
    assert len(grown[2]["rows"]) <= 2 * 300
