"""The page of the recorded runs in a real Chromium."""

import re

import pytest
from playwright.sync_api import expect

from core.experiments.table import EXPERIMENTS
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import press_clicker

pytestmark = pytest.mark.browser

FIGURE = "[class*=st-key-figure-finding] svg.marks"


@pytest.fixture
def open_findings(app_url, new_page):
    def opened(query="", **options):
        page = new_page(**options)
        page.goto(f"{app_url}/findings?{query}")
        return page

    return opened


def expect_finding(page, name):
    expect(page.locator(".finding-ends")).to_have_attribute("data-finding", name)
    expect(page.locator(FIGURE).first).to_be_visible()


def test_a_recorded_run_is_drawn_and_looked_at(open_findings, assert_clean, axe_violations):
    page = open_findings()
    expect_finding(page, "warm-up")
    assert_own_style(page, "findings")
    rows = page.locator(".finding-ends tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("post-norm, Adam, no warm-up")
    expect(page.locator(".verdict")).to_contain_text(re.compile("of 4 parts hold"))
    expect(page.locator(".finding-rule li")).to_have_count(4)
    charts = page.locator(FIGURE)
    expect(charts).to_have_count(2)  # over steps, and over layers
    expect(charts.first).to_contain_text("held-out loss")
    expect(charts.last).to_contain_text("decoder")

    # Under the pointer: a median with its band, of every setting.
    charts.first.locator(".hover_0_marks path").nth(10).hover()
    tooltip = page.locator("#vg-tooltip-element")
    expect(tooltip.locator("tr")).to_have_count(6)
    expect(tooltip).to_contain_text(re.compile(r"[\d.]+ \([\d.]+ to [\d.]+\)"))

    # A loss that is asked for moves the line, and says the steps of every setting.
    bars = charts.first.locator(".mark-text.role-mark text").filter(
        has_text="post-norm, Adam, no warm-up"
    )
    expect(bars).to_have_text(re.compile(": never"))
    slider = page.locator(".st-key-figure-finding input[type=range]")
    slider.focus()
    page.keyboard.press("End")
    expect(bars).to_have_text(re.compile(r": [\d,]+$"))
    assert not axe_violations(page)
    assert_clean(page)


def test_what_is_off_in_the_legend_fades(open_findings):
    page = open_findings("finding=learning-rate")
    expect_finding(page, "learning-rate")
    lines = page.locator(FIGURE).locator("g.toggle_0_marks path")
    expect(lines).to_have_count(4)
    page.locator(f"{FIGURE} .role-legend-label text").first.click()
    faded = "lines => lines.filter(line => line.getAttribute('opacity') === '0.1').length"
    page.wait_for_function(
        f"selector => ({faded})([...document.querySelectorAll(selector)]) === 3",
        arg=f"{FIGURE} g.toggle_0_marks path",
    )


def test_papers_figures_never_share_a_colour_with_ours(open_findings):
    for scheme in ("light", "dark"):
        page = open_findings(color_scheme=scheme)
        expect_finding(page, "warm-up")
        colour = "node => getComputedStyle(node).color"
        theirs = page.locator(".finding-published td").first.evaluate(colour)
        assert theirs != page.locator(".finding-ends tbody td").first.evaluate(colour)
        lines = page.locator(FIGURE).first.locator("g.toggle_0_marks path").all()
        assert lines
        stroke = "node => getComputedStyle(node).stroke"
        assert all(line.evaluate(stroke) != theirs for line in lines)


def test_findings_are_chosen_by_the_list_the_link_and_the_clicker(open_findings, assert_clean):
    page = open_findings("finding=learning-rate", color_scheme="dark")
    expect_finding(page, "learning-rate")
    page.get_by_role("radio", name="First gradients").click()
    expect_finding(page, "first-gradients")
    expect(page).to_have_url(re.compile("finding=first-gradients"))
    expect(page.locator(FIGURE)).to_have_count(1)
    page.reload()
    expect_finding(page, "first-gradients")
    names = list(EXPERIMENTS)
    press_clicker(page)
    expect(page.locator(".scenes [role=status]")).to_contain_text(f"Scene 1 of {len(names)}")
    expect_finding(page, names[0])
    press_clicker(page)
    expect_finding(page, names[1])
    assert_clean(page)


def test_a_smaller_one_is_one_click_away(open_findings):
    page = open_findings("finding=learning-rate")
    page.get_by_role("button", name="Run a smaller one now").click()
    expect(page).to_have_url(re.compile(r"/warm-up\?.*compare-rate"))
    expect(page.get_by_role("combobox", name="Compare")).to_have_value("peak rates")
    expect(page.get_by_role("button", name="Train")).to_be_visible()
