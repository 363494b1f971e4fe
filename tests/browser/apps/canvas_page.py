"""Parts of a page with the attention canvas, for its tests."""

from collections.abc import Callable

from playwright.sync_api import FloatRect, Locator, Page, expect

OpenCanvas = Callable[..., Page]

DRAWN = '.attention-canvas[data-drawn="true"]'

# How many different colours a canvas holds: 1 means that nothing is drawn.
COUNT_COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
}"""


def root(page: Page) -> Locator:
    return page.locator(".attention-canvas").first


def atlas(page: Page) -> Locator:
    return root(page).locator("canvas[role=application]")


def lines(page: Page) -> Locator:
    return root(page).locator("canvas[role=img]")


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found, "not visible"
    return found


def expect_chosen(page: Page, **chosen: object) -> None:
    for name, value in chosen.items():
        expect(root(page)).to_have_attribute(f"data-{name}", str(value))


def expect_parameters(page: Page, wanted: str) -> None:
    """Wait until the address has exactly these parameters beside the case."""
    page.wait_for_function(
        """wanted => {
            const sorted = (query) => { query.delete("case"); query.sort(); return String(query); };
            const found = sorted(new URLSearchParams(location.search));
            return found === sorted(new URLSearchParams(wanted));
        }""",
        arg=wanted,
    )
