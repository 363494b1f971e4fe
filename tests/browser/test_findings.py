"""The page of the recorded runs in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from core.experiments.table import EXPERIMENTS

pytestmark = pytest.mark.browser

INK = """canvas => {
  const {width, height} = canvas;
  return new Set(new Uint32Array(
    canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer)).size;
}"""


@pytest.fixture
def open_findings(app_url, new_page):
    def opened(query="", **options):
        page = new_page(**options)
        page.goto(f"{app_url}/findings?{query}")
        return page

    return opened


def expect_finding(page, name):
    expect(page.locator(".finding-curves")).to_have_attribute("data-finding", name)


def test_a_recorded_run_is_drawn_and_looked_at(open_findings, assert_clean, axe_violations):
    page = open_findings()
    expect_finding(page, "warm-up")
    rows = page.locator(".finding-curves tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("post-norm, Adam, no warm-up")
    charts = page.locator(".finding-curves canvas")
    expect(charts).to_have_count(4)
    for chart in charts.all():
        assert chart.evaluate(INK) > 12  # bands have shades of their own
        assert re.search(r": [\d.e−]+", chart.get_attribute("aria-label"))
    expect(page.locator(".verdict")).to_contain_text(re.compile("of 4 parts hold"))
    expect(page.locator(".finding-rule li")).to_have_count(4)

    # Steps are shared by the charts over steps, and not by the one over layers.
    charts.first.focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    values = page.locator(".finding-curves .values")
    expect(values.nth(1)).to_contain_text("step")
    expect(values.nth(3)).to_be_empty()
    charts.nth(3).focus()
    page.keyboard.press("Home")
    expect(values.nth(3)).to_contain_text("layer 0")
    assert not axe_violations(page)
    assert_clean(page)


def test_papers_figures_never_share_a_colour_with_ours(open_findings):
    for scheme in ("light", "dark"):
        page = open_findings(color_scheme=scheme)
        expect_finding(page, "warm-up")
        colour = "node => getComputedStyle(node).color"
        theirs = page.locator(".finding-published td").first.evaluate(colour)
        ours = page.locator(".finding-curves tbody td").first.evaluate(colour)
        assert theirs != ours
        background = "node => getComputedStyle(node).background"
        swatches = page.locator(".finding-curves .swatch").all()
        assert all(theirs not in swatch.evaluate(background) for swatch in swatches)


def test_findings_are_chosen_by_the_list_the_link_and_the_clicker(open_findings, assert_clean):
    page = open_findings("finding=learning-rate", color_scheme="dark")
    expect_finding(page, "learning-rate")
    page.get_by_role("radio", name="First gradients").click()
    expect_finding(page, "first-gradients")
    expect(page).to_have_url(re.compile("finding=first-gradients"))
    expect(page.locator(".finding-curves canvas")).to_have_count(2)
    page.reload()
    expect_finding(page, "first-gradients")
    names = list(EXPERIMENTS)
    page.keyboard.press("PageDown")
    expect(page.locator(".scenes [role=status]")).to_contain_text(f"Scene 1 of {len(names)}")
    expect_finding(page, names[0])
    page.keyboard.press("PageDown")
    expect_finding(page, names[1])
    assert_clean(page)


def test_a_smaller_one_is_one_click_away(open_findings):
    page = open_findings("finding=learning-rate")
    page.get_by_role("button", name="Run a smaller one now").click()
    expect(page).to_have_url(re.compile(r"/warm-up\?.*compare-rate"))
    expect(page.get_by_role("combobox", name="Compare")).to_have_value("peak rates")
    expect(page.get_by_role("button", name="Train")).to_be_visible()
