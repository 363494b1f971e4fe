"""Whether a page that has just been loaded had its style from the first bytes on, and no other."""

from playwright.sync_api import Page

from app.browser_files import browser_files
from app.first_style import sheets
from tests.browser.waiting import expect_idle

CARDS = ["css/fill_mask.css"]
TRANSLATION = [*CARDS, "css/length_chart.css", "css/translate_page.css"]
# The sheets of a page that others have, too, beside that of the frame.
SHARED = {
    "fill-mask": CARDS,
    "next-word": CARDS,
    "pairs": CARDS,
    "translate": TRANSLATION,
    "alignment": TRANSLATION,
    "positions": CARDS,
    "family": CARDS,
    "compare": CARDS,
}
# Run before every page: all that moves, by how much, and from where to where.
WATCH_SHIFTS = """
    window.moves = [];
    new PerformanceObserver(list => {
        for (const { startTime, value, sources } of list.getEntries()) {
            const what = sources.map(({ node, previousRect, currentRect }) =>
                `${node?.className}: ${previousRect.y} to ${currentRect.y}`);
            window.moves.push({ at: startTime, value, what });
        }
    }).observe({ type: "layout-shift", buffered: true });
"""
# Selectors of a sheet that something on the page answers to.
MATCHES = """
function matches(css) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const all = [...sheet.cssRules];
    const rules = all.flatMap(rule => rule.selectorText ? rule : [...rule.cssRules]);
    const selectors = rules.map(rule => rule.selectorText.replace(/::(before|after)/g, ""));
    return selectors.filter(one => document.querySelector(one));
}
"""


def sheets_of(place: str) -> list[str]:
    own = f"sections/{place.replace('-', '_')}/page.css"
    return [*SHARED.get(place, []), *({own} & browser_files().keys())]


def texts_of(names: list[str]) -> list[str]:
    return [browser_files()[name].content.decode() for name in names]


def matches(page: Page, names: list[str]) -> dict[str, list[str]]:
    """Of each sheet that something on the page answers to: the selectors."""
    script = f"all => {{ {MATCHES} return all.map(matches); }}"
    found = zip(names, page.evaluate(script, texts_of(names)), strict=True)
    return {name: selectors for name, selectors in found if selectors}


def assert_own_style(page: Page, place: str) -> None:
    """Check a page that nobody has touched since it was loaded.

    Once all that its sheets are for is there, it has hardly moved, and nothing on it answers to
    the sheet of another page. Every page is to be looked at by one test, which is seen to by
    `test_first_style.py`.
    """
    every = f"all => {{ {MATCHES} return all.every(css => matches(css).length); }}"
    page.wait_for_function(every, arg=texts_of(sheets_of(place)))
    expect_idle(page)
    own = {"css/frame.css", *sheets_of(place)}
    assert matches(page, [name for name in sheets() if name not in own]) == {}
    # 0.004 to 0.03; 0.3 to 1.0 where a page's own style comes when it is drawn.
    moves = page.evaluate("window.moves")
    assert sum(one["value"] for one in moves) < 0.2, moves
