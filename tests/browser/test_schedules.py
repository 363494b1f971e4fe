"""The page of learning-rate schedules in a real Chromium."""

import csv
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

from app.browser_files import folder
from app.scenes import scenes_of
from core.training.rectification import degrees_of_freedom, rectification
from core.training.schedules import Schedule, Shape, transformer_peak
from tests.browser.first_style import assert_own_style
from tests.browser.waiting import (
    SIZES,
    copied_link,
    expect_address,
    expect_idle,
    press_clicker,
    resize,
    sent_by,
)

pytestmark = pytest.mark.browser

SCHEDULES = ("constant", "linear", "transformer", "cosine", "bert")
CURVE = "g.curves_marks path"
DRAWN = '.schedules[data-drawn="true"]'
TOTAL = 1_000
RUNS = (
    {"warm": 40, "period": 320, "growth": 1},
    {"warm": 40, "period": 64, "growth": 2},
    {"warm": 0, "period": 7, "growth": 3},
    {"warm": 1, "period": 1_000, "growth": 1},
    {"warm": 999, "period": 13, "growth": 2},
    {"warm": 5_000, "period": 5_000, "growth": 8},
)

# Of every schedule in every run: its rate at every step, and the lines that make it.
READ_SCHEDULES = """async ([folder, names, runs]) => {
    const at = (name) => `/${folder}/sections/schedules/${name}.js`;
    const { possible, rateAt, restartsOf } = await import(at("formulas"));
    const { coreLines, torchLines } = await import(at("code"));
    return runs.map((run) => {
        const values = possible(run);
        const steps = Array.from({ length: values.total + 1 }, (_, step) => step);
        return {
            restarts: restartsOf(values),
            schedules: Object.fromEntries(names.map((name) => [name, {
                rates: steps.map((step) => rateAt(name, step, values)),
                core: coreLines(name, values),
                torch: torchLines(name, values),
            }])),
        };
    });
}"""

READ_TERMS = """async ([folder, betas, steps]) => {
    const { rectification } = await import(`/${folder}/sections/schedules/formulas.js`);
    return betas.map((beta) => steps.map((step) => rectification(step, beta)));
}"""


@pytest.fixture
def open_schedules(app_url, new_page):
    """Open the page and wait for both charts."""

    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/schedules?{urlencode(settings)}")
        expect(page.locator(DRAWN)).to_be_visible()
        expect(page.locator('.rectification[data-drawn="true"]')).to_be_visible()
        expect(page.locator(".katex")).to_have_count(6)
        return page

    return open_at


@pytest.fixture
def read_runs(app_url, new_page):
    def read(runs):
        page = new_page()
        page.goto(f"{app_url}/app/static/icon.svg")
        given = [{"total": TOTAL, "peak": 700, "model_width": 512, **run} for run in runs]
        return page.evaluate(READ_SCHEDULES, [folder(), SCHEDULES, given])

    return read


def rates_by_core(lines, steps):
    """What the lines leave in `rate`, for every step."""
    program, found = compile(lines, "page", "exec"), []
    for step in range(steps):
        names = {"step": step}
        exec(program, names)  # noqa: S102 - our own lines
        found.append(names["rate"])
    return found


def rates_by_torch(lines, steps):
    names: dict[str, Any] = {"torch": torch, "model": nn.Linear(1, 1)}
    exec(lines, names)  # noqa: S102 - our own lines
    found = []
    for _ in range(steps):
        found.append(names["schedule"].get_last_lr()[0])
        names["optimiser"].step()
        names["schedule"].step()
    return found


def value_of(page, name):
    return page.locator(f".legend [data-schedule={name}] output")


def test_browser_core_and_torch_agree_at_every_step_of_every_schedule(read_runs):
    for run, read in zip(RUNS, read_runs(RUNS), strict=True):
        for name, found in read["schedules"].items():
            drawn = found["rates"][:TOTAL]
            said = f"{name} {run}"
            ours = rates_by_core(found["core"], TOTAL)
            assert ours == pytest.approx(drawn, rel=1e-12, abs=1e-18), said
            theirs = rates_by_torch(found["torch"], TOTAL)
            assert theirs == pytest.approx(drawn, rel=1e-9, abs=1e-12), said
        warm, period = min(run["warm"], TOTAL - 1), min(run["period"], TOTAL)
        schedule = Schedule(Shape.COSINE, warm / TOTAL, period=period / TOTAL, growth=run["growth"])
        assert read["restarts"] == pytest.approx([one * TOTAL for one in schedule.restarts()])


def test_the_corners_are_those_of_the_formulas(read_runs):
    first, second = read_runs([{"warm": 40, "period": 480, "growth": 1}, {**RUNS[1]}])
    rates = {name: one["rates"] for name, one in first["schedules"].items()}
    peak = transformer_peak(512, 40)
    assert [rates["constant"][at] for at in (0, 500, 1000)] == [7e-4] * 3
    assert [rates["linear"][at] for at in (0, 500, 1000)] == pytest.approx([7e-4, 3.5e-4, 0])
    corners = [rates["bert"][at] for at in (0, 20, 40, 520, 1000)]
    assert corners == pytest.approx([0, 3.5e-4, 7e-4, 3.5e-4, 0])
    corners = [rates["transformer"][at] for at in (0, 20, 40, 160)]
    assert corners == pytest.approx([0, peak / 2, peak, peak / 2])
    corners = [rates["cosine"][at] for at in (0, 40, 280, 520, 760, 1000)]
    assert corners == pytest.approx([0, 7e-4, 3.5e-4, 7e-4, 3.5e-4, 0], abs=1e-12)
    # The fourth half wave ends with the run.
    assert second["restarts"] == [40 + 64, 40 + 3 * 64, 40 + 7 * 64]


def test_browser_and_core_agree_on_the_rectification_term(app_url, new_page):
    page = new_page()
    page.goto(f"{app_url}/app/static/icon.svg")
    betas, steps = [0.9, 0.98, 0.999, 0.9999], list(range(1, 1001))
    drawn = page.evaluate(READ_TERMS, [folder(), betas, steps])
    for beta, terms in zip(betas, drawn, strict=True):
        for step, term in zip(steps, terms, strict=True):
            ours = rectification(step, beta)
            # Close to 4 degrees of freedom a difference of two large numbers is left.
            assert term == (None if ours is None else pytest.approx(ours, rel=1e-8)), (beta, step)


def test_the_page_is_drawn_clean_and_accessible(open_schedules, assert_clean, axe_violations):
    page = open_schedules()
    assert_own_style(page, "schedules")
    lines = page.locator(".card.code").bounding_box()
    assert lines["y"] + lines["height"] <= 800, "the essential stands above the fold"
    expect(page.locator(f".schedules {CURVE}")).to_have_count(len(SCHEDULES))
    expect(page.locator(f".rectification {CURVE}")).to_have_count(4)
    assert axe_violations(page) == []
    for width, height in SIZES:
        resize(page, width, height)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        for card in page.locator(".card").all():
            assert card.evaluate("one => one.scrollWidth <= one.clientWidth")
    page.get_by_role("button", name="How to read this").click()
    expect(page.get_by_text("A curve is a factor on every update.")).to_be_visible()
    assert axe_violations(page, both_schemes=True) == []
    assert_clean(page)


def test_nothing_on_a_slider_reaches_python(open_schedules, assert_clean):
    page = open_schedules()
    expect(value_of(page, "transformer")).to_have_text("3.49e-4")
    expect_idle(page)
    before = sent_by(page)
    page.get_by_label("Total steps", exact=True).press("ArrowLeft")
    page.get_by_label("Warm-up steps, exactly").fill("8000")
    page.get_by_label("Warm-up steps, exactly").press("Enter")
    page.get_by_label("Width, exactly").fill("2048")
    page.get_by_label("Width, exactly").press("Enter")
    page.get_by_label("Step, exactly").fill("8000")
    page.get_by_label("Step, exactly").press("Enter")
    peak = transformer_peak(2048, 8_000)
    expect(value_of(page, "transformer")).to_have_text(f"{peak:.2e}".replace("e-0", "e-"))
    expect(value_of(page, "bert")).to_have_text("7.00e-4")
    code = page.get_by_label("with Headlight’s core")
    expect(code).to_contain_text("transformer_peak(2_048, 8_000)")
    expect(code).to_contain_text("warm_up=8_000 / 99_000")
    page.get_by_role("checkbox", name="Linear").uncheck()
    expect(page.locator(f".schedules {CURVE}")).to_have_count(len(SCHEDULES) - 1)
    page.get_by_label("Adam’s second decay").select_option("0.98")
    expect_address(page, beta=9800)
    assert sent_by(page) == before
    query = parse_qs(urlsplit(page.url).query)
    assert query["warm"] == ["8000"]
    assert query["curves"] == ["constant.transformer.cosine.bert"]
    assert_clean(page)


def test_the_value_under_the_pointer_is_that_of_its_step(open_schedules):
    page = open_schedules(total=1000, warm=40)
    chart = page.locator(".schedules [role=img]")
    box = chart.bounding_box()
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    step = int(page.get_by_label("Step, exactly").input_value())
    assert 400 < step < 600
    rate = 7e-4 * Schedule(Shape.LINEAR, 40 / 1000).factor(step / 1000)
    expect(value_of(page, "bert")).to_have_text(f"{rate:.2e}".replace("e-0", "e-"))
    line = page.locator(".schedules .at_marks line")
    wanted = box["x"] + box["width"] / 2
    page.wait_for_function(
        "([line, x]) => Math.abs(line.getBoundingClientRect().x - x) < 1.5",
        arg=[line.element_handle(), wanted],
    )
    page.get_by_label("Step", exact=True).first.press("End")
    expect(value_of(page, "bert")).to_have_text("0")


def test_a_copied_link_brings_everything_back(open_schedules, new_page, assert_clean):
    page = open_schedules({"permissions": ["clipboard-read", "clipboard-write"]})
    page.get_by_label("Growth", exact=True).press("ArrowRight")
    page.get_by_label("First period, exactly").fill("6400")
    page.get_by_label("First period, exactly").press("Enter")
    page.get_by_role("radio", name="Cosine, restarts").check()
    page.get_by_label("Peak rate, exactly").fill("0.001")
    page.get_by_label("Peak rate, exactly").press("Enter")
    expect_address(page, peak=1000)
    other = new_page()
    other.goto(copied_link(page))
    expect(other.locator(DRAWN)).to_be_visible()
    torch_code = other.get_by_label("with torch")
    expect(torch_code).to_contain_text("T_0=6_400, T_mult=2")
    expect(torch_code).to_contain_text("lr=1e-3")
    read = "all => all.map(one => one.textContent)"
    values = [one.locator(".legend output").evaluate_all(read) for one in (page, other)]
    assert values[0] == values[1]
    assert_clean(other)


def test_the_files_hold_what_is_drawn(open_schedules, tmp_path, assert_clean):
    page = open_schedules(total=1000, warm=40, curves="linear.bert")
    card = page.locator(".schedules")

    def saved(kind):
        with page.expect_download() as download:
            card.get_by_role("button", name=kind).click()
        download.value.save_as(tmp_path / kind)
        return (tmp_path / kind).read_bytes()

    heading, *lines = csv.reader(saved("CSV").decode("utf-8-sig").splitlines())
    assert heading[1:] == ["Linear", "BERT’s"]
    steps = [int(line[0]) for line in lines]
    assert (steps[0], steps[-1]) == (0, 1000)
    assert 40 in steps, "where BERT's bends"
    for step, (_, linear, bert) in zip(steps, lines, strict=True):
        for written, warm in ((linear, 0), (bert, 40)):
            rate = 7e-4 * Schedule(Shape.LINEAR, warm / 1000).factor(step / 1000)
            assert float(written) == pytest.approx(rate, abs=1e-18)
    svg = saved("SVG").decode()
    assert "learning rate" in svg
    assert svg.count("mark-line role-mark curves_marks") == 2
    assert saved("PNG").startswith(b"\x89PNG")
    card.get_by_text("Values").click()
    row = card.get_by_role("row").filter(has=page.get_by_role("cell", name="1,000", exact=True))
    expect(row.get_by_role("cell")).to_have_text(["1,000", "0", "0"])
    tops = card.get_by_role("columnheader").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().top)"
    )
    assert len(tops) == 3
    assert len(set(tops)) == 1, "the headings stand above their columns"
    assert_clean(page)


def test_logarithmic_axes_come_back_with_the_link(open_schedules, new_page, assert_clean):
    page = open_schedules({"permissions": ["clipboard-read", "clipboard-write"]})
    line = page.locator(".schedules .at_marks line")
    slider = page.get_by_label("Step", exact=True).first
    labels = page.locator(".schedules .role-axis-label text")
    expect(labels.filter(has_text=re.compile("^20,000$"))).to_have_count(1)
    page.get_by_role("radio", name="log rate, log steps").check()
    expect(labels.filter(has_text=re.compile("^20,000$"))).to_have_count(0)
    expect(labels.filter(has_text=re.compile("^1e-6$"))).to_have_count(1)
    expect_address(page, axes="both")
    # A key goes on to the next number, however wide its place is on this axis.
    page.get_by_label("Step, exactly").fill("1")
    page.get_by_label("Step, exactly").press("Enter")
    slider.press("ArrowRight")
    expect(page.get_by_label("Step, exactly")).to_have_value("2")
    slider.press("ArrowLeft")
    expect(page.get_by_label("Step, exactly")).to_have_value("1")
    # The slider runs along the axis.
    page.get_by_label("Step, exactly").fill("1000")
    page.get_by_label("Step, exactly").press("Enter")
    page.wait_for_function(
        """([line, slider]) => {
            const box = slider.getBoundingClientRect(), knob = 16;
            const at = box.x + knob / 2 + (box.width - knob) * slider.value / slider.max;
            return Math.abs(line.getBoundingClientRect().x - at) < 2;
        }""",
        arg=[line.element_handle(), slider.element_handle()],
    )
    other = new_page()
    other.goto(copied_link(page))
    expect(other.locator(DRAWN)).to_be_visible()
    expect(other.get_by_role("radio", name="log rate, log steps")).to_be_checked()
    expect(other.locator(".schedules .role-axis-label text", has_text="1e-6")).to_have_count(1)
    assert_clean(other)


def test_junk_in_the_address_is_passed_over(open_schedules, assert_clean):
    page = open_schedules(
        total="-5",
        warm="x",
        peak="1e9",
        model_width="",
        curves="nobody",
        curve="x",
        axes="x",
        beta=1,
        present=1,
    )
    expect(value_of(page, "transformer")).to_have_text("3.49e-4")
    expect(page.locator(f".schedules {CURVE}")).to_have_count(len(SCHEDULES))
    page.get_by_label("Total steps, exactly").fill("3")
    page.get_by_label("Total steps, exactly").press("Enter")
    expect(page.get_by_label("Total steps, exactly")).to_have_value("10")
    expect(page.get_by_label("Warm-up steps, exactly")).to_have_value("9")
    assert_clean(page)


def test_a_clicker_goes_through_the_scenes(open_schedules, assert_clean):
    page = open_schedules(text="My own sentence.")
    scenes = scenes_of("schedules")
    shown = []
    for number, scene in enumerate(scenes, start=1):
        press_clicker(page)
        words = f"Scene {number} of {len(scenes)}: {scene.title}"
        expect(page.locator(".scenes [role=status]")).to_have_text(words)
        step = str(scene.settings["at_step"])
        expect(page.get_by_label("Step, exactly")).to_have_value(step)
        page.wait_for_url(re.compile(f"scene={number}"))
        shown.append(value_of(page, "transformer").inner_text())
    assert shown[:3] == ["6.99e-4", "3.49e-4", "4.94e-4"]
    expect(page.locator(".rectification [data-curve=radam] td")).to_have_text("none")
    words = page.locator(".rectification .words")
    expect(words).to_contain_text(f"{degrees_of_freedom(4, 0.999):.3f} degrees of freedom")
    assert_clean(page)
