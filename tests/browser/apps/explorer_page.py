"""Parts of a page with the attention explorer, for its tests."""

import re

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.apps.canvas_page import box, expect_chosen, root

NOTE = re.compile(r"“(?P<query>.*)” → “(?P<key>.*)” (?P<weight>[\d.]+)$")


def picture(page: Page) -> Locator:
    """The canvas of the view that is shown."""
    return root(page).locator(".centre .surface:not([hidden]) canvas")


def picker(page: Page) -> Locator:
    return root(page).locator(".picker canvas")


def show_view(page: Page, name: str) -> None:
    root(page).locator(f"input[name=view][value={name}]").check()
    expect_chosen(page, view=name)


def read_note(page: Page, x: float, y: float) -> dict[str, str] | None:
    """What the note says at a point of the picture, in shares of its size."""
    size = box(picture(page))
    picture(page).hover(position={"x": x * size["width"], "y": y * size["height"]})
    note = root(page).locator(".centre .hover-note")
    found = NOTE.search(note.inner_text()) if note.is_visible() else None
    return found.groupdict() if found else None


def expect_weight(shown: str, weight: float, largest: float) -> None:
    """Within half a step of the row, and half of the last digit."""
    digits = len(shown.partition(".")[2])
    assert float(shown) == pytest.approx(weight, abs=largest / 510 + 0.5 * 10**-digits)


def row_table(page: Page) -> dict[str, str]:
    """The card's table: weights by token."""
    rows = root(page).locator(".pinned-table tr:has(td)").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}
