"""The warm-up lab in a real Chromium: a short run from the button to the curves and the files."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.first_style import assert_own_style

pytestmark = pytest.mark.browser

# Twenty steps of a very small model.
SHORT = "lab=compare-warm-up.task-copy.steps-20.warm_up-6.depth-1.width-16.batch-8"
LONG = "lab=compare-nothing.task-copy.steps-2000.depth-1.width-16.batch-8"
FIRST_START_MS = 120_000  # a process imports torch

INK = """canvas => {
  const {width, height} = canvas;
  const seen = new Set(new Uint32Array(
    canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer));
  return seen.size;
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

    # Every chart has lines, and says its last values.
    charts = page.locator(".lab-curves canvas")
    expect(charts).to_have_count(6)
    for chart in charts.all():
        assert chart.evaluate(INK) > 8
        assert re.search(r": [\d.e−]+", chart.get_attribute("aria-label"))

    # A zoom outlives new data of the other run's inside.
    charts.nth(0).focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".lab-curves .values").first).to_contain_text("step")
    page.get_by_role("radio", name="no warm-up").click()
    expect(page.locator(".lab-curves figcaption").nth(3)).to_contain_text("no warm-up")
    expect(page).to_have_url(re.compile("inside=0"))
    expect(page.locator(".lab-curves .values").first).to_contain_text("step")

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
