"""Every page in WebKit: it draws, no script fails, and one press changes its picture."""

from dataclasses import dataclass

import pytest
from selenium.webdriver.common.keys import Keys

from app.navigation import ENTRIES

pytestmark = [pytest.mark.browser, pytest.mark.webkit]

DESKTOP = (1280, 800)
PHONE = (390, 844)


@dataclass(frozen=True)
class Page:
    """What is to be seen of one page, and what changes it.

    Args:
        pictures: selectors of what the page draws.
        steps: what is pressed one after the other, each with the keys that are typed into it
            ("" for a click).
        changes: the picture that shows something else afterwards.
        query: settings in its address.
    """

    pictures: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]
    changes: str
    query: str = ""


LENGTHS = ".st-key-figure-lengths svg.marks"
CANVAS = ".attention-canvas[data-drawn=true]"

PAGES = {
    "": Page(
        pictures=(CANVAS, ".guess .candidates"),
        steps=((".guess .word:nth-of-type(5)", ""),),
        changes=".guess .candidates",
    ),
    "attention": Page(
        pictures=(f"{CANVAS} .centre canvas", ".picker canvas"),
        steps=((".picker [role=application]", ""),),
        changes=".centre canvas",
    ),
    "fill-mask": Page(
        query="ablated=true",
        pictures=(
            ".predictions .candidate",
            ".st-key-figure-lens svg.marks .mark-line path",
            ".head-switch",
            ".mask-draws",
            ".ranking",
            ".ablation-map[data-drawn=true] svg.marks .mark-rect path",
        ),
        steps=((".mask-strip button:nth-of-type(5)", ""),),
        changes=".predictions",
    ),
    "spans": Page(
        pictures=(".span-view[data-drawn=true] canvas", ".blank-strip", ".objectives"),
        steps=((".span-view .both button:nth-of-type(3)", ""),),
        changes=".span-view .says",
    ),
    "replaced": Page(
        pictures=(
            ".replaced[data-drawn=true] .chip",
            ".curves .panel.roc .ring_marks path",
            ".replaced-foot",
        ),
        steps=((".replaced input[type=range]", Keys.END),),
        changes=".replaced .counts",
    ),
    "next-word": Page(
        pictures=(
            ".next-strip .chip",
            ".distribution .candidate",
            ".next-masks[data-drawn=true]",
            ".rank-chart[data-drawn] svg.marks .curves_marks path",
        ),
        steps=((".distribution input[type=range]", Keys.END),),
        changes=".distribution .candidate",
    ),
    "pairs": Page(
        pictures=(".pair-card", ".st-key-figure-input-terms .heatmaplayer image"),
        steps=((".st-key-swap button", ""),),
        changes=".st-key-figure-input-terms .yaxislayer-above",
    ),
    "translate": Page(
        pictures=(".translation[data-drawn=true] .map canvas", ".tree svg", LENGTHS),
        steps=((".translation .stepper input[type=range]", Keys.ARROW_LEFT),),
        changes=".translation .map canvas",
    ),
    "alignment": Page(
        pictures=(".translation[data-drawn=true] .map canvas", ".scores", LENGTHS),
        steps=((".translation .stepper input[type=range]", Keys.ARROW_LEFT),),
        changes=".translation .map .readout",
    ),
    "positions": Page(
        query="space=true",
        pictures=(
            ".positions[data-drawn=true] canvas",
            ".st-key-figure-curve-learned .js-plotly-plot",
            ".shuffle-strip .slot",
        ),
        steps=((".positions input[type=range]", Keys.HOME),),
        changes=".positions canvas",
    ),
    "family": Page(
        pictures=(
            ".st-key-family-mtdnn",
            ".family-card[data-drawn=true] canvas",
            ".family-draws",
            ".st-key-figure-family-published svg.marks .mark-rect path",
            ".family-orders[data-drawn=true]",
            ".family-layers",
            ".family-sum",
        ),
        steps=((".family-depth label:first-of-type", ""),),
        changes=".family-card canvas",
    ),
    "compare": Page(
        pictures=(
            ".compared[data-drawn=true] .room canvas",
            ".mask-strip",
            ".st-key-figure-dumbbells svg.marks",
            ".st-key-figure-difference .heatmaplayer image",
        ),
        steps=((".compared .heads button:nth-of-type(7)", ""),),
        changes=".compared .left canvas",
        query="difference=true",
    ),
    "schedules": Page(
        pictures=(
            ".schedules[data-drawn=true] .curves_marks path",
            ".rectification[data-drawn=true]",
        ),
        steps=((".schedules input[type=range]", Keys.HOME),),
        changes=".schedules svg",
    ),
    "warm-up": Page(
        query="lab=compare-nothing.task-copy.steps-4.depth-1.width-16.batch-8",
        pictures=(".st-key-lab-train",),
        steps=((".st-key-lab-train button", ""),),
        changes=".lab-curves canvas",
    ),
    "findings": Page(
        pictures=("[class*=st-key-figure-finding] svg.marks", ".verdict"),
        steps=((".st-key-finding-list button:nth-of-type(2)", ""),),
        changes=".finding-ends",
    ),
    "model": Page(
        pictures=(
            ".model-shape",
            ".st-key-figure-parameters .treemaplayer path",
            ".st-key-figure-training svg.marks",
        ),
        steps=(
            (".st-key-model-picker input", ""),
            ("[role=option]:nth-of-type(4)", ""),
        ),
        changes=".model-shape",
    ),
}


def test_no_page_is_left_out():
    assert list(PAGES) == [entry.url_path for entry in ENTRIES]


def test_a_head_is_chosen_among_points(webkit):
    webkit.open("/attention?view=grid&points=true", PHONE)
    webkit.wait_until_drawn((".points[data-drawn=true] svg.marks .mark-symbol path",))
    assert webkit.sideways() == 0
    webkit.resize(DESKTOP)
    webkit.wait_until_drawn((".points[data-drawn=true] svg.marks .mark-symbol path",))
    before = webkit.shown(".centre canvas")
    webkit.act(".points .mark-symbol path:nth-of-type(3)", "")
    webkit.wait_until_changed(".centre canvas", before)
    assert webkit.complaints() == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "start")
def test_the_page_draws_and_answers_on_a_phone_and_on_a_laptop(webkit, path):
    page = PAGES[path]
    webkit.open(f"/{path}?{page.query}", PHONE)
    webkit.wait_until_drawn(page.pictures)
    assert webkit.complaints() == []
    too_wide = webkit.sideways()
    assert too_wide == 0, f"wider than the window by {too_wide} pixels"
    before = webkit.shown(page.changes)
    for selector, keys in page.steps:
        webkit.act(selector, keys)
    webkit.wait_until_changed(page.changes, before)
    webkit.resize(DESKTOP)
    webkit.wait_until_drawn(page.pictures)
    assert webkit.complaints() == []
