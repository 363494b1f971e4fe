"""The style that comes with the page's first bytes: what moves, and which page it changes."""

import pytest
from playwright.sync_api import expect

from app.browser_files import browser_files
from app.first_style import sheets
from app.navigation import ENTRIES
from tests.browser.waiting import expect_idle

pytestmark = pytest.mark.browser

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
# Run before the page: all that moves, added up.
WATCH_SHIFTS = """
    window.moved = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) window.moved += entry.value;
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


def sheets_of(place):
    own = f"sections/{place.replace('-', '_')}/page.css"
    return [*SHARED.get(place, []), *({own} & browser_files().keys())]


def texts_of(names):
    return [browser_files()[name].content.decode() for name in names]


def matches(page, names):
    """Of each sheet that something on the page answers to: the selectors."""
    script = f"all => {{ {MATCHES} return all.map(matches); }}"
    found = zip(names, page.evaluate(script, texts_of(names)), strict=True)
    return {name: selectors for name, selectors in found if selectors}


@pytest.mark.parametrize("place", [entry.url_path for entry in ENTRIES])
def test_a_page_hardly_moves_and_has_no_style_of_another(app_url, new_page, place):
    page = new_page()
    page.add_init_script(WATCH_SHIFTS)
    page.goto(f"{app_url}/{place}")
    page.wait_for_selector("h1")
    every = f"all => {{ {MATCHES} return all.every(css => matches(css).length); }}"
    page.wait_for_function(every, arg=texts_of(sheets_of(place)))
    expect_idle(page)
    own = {"css/frame.css", *sheets_of(place)}
    assert matches(page, [name for name in sheets() if name not in own]) == {}
    # 0.004 to 0.03; 0.3 to 1.0 where a page's own style comes when it is drawn.
    assert page.evaluate("window.moved") < 0.2


def test_a_page_has_its_style_when_it_is_not_loaded_but_gone_to(app_url, new_page):
    page = new_page()
    page.goto(f"{app_url}/model")
    title = page.locator(".st-key-page-title")
    expect(title).to_have_css("flex-wrap", "wrap")
    page.get_by_role("link", name="Alignment").click()
    expect(page.locator(".st-key-translate-picture")).to_have_css("min-height", "592px")
    page.get_by_role("link", name="Two at a time").click()
    expect(title).to_have_css("flex-wrap", "nowrap")
    page.get_by_role("link", name="Findings").click()
    expect(title).to_have_css("flex-wrap", "wrap")
    expect(page.locator(".st-key-finding-card")).to_have_css("padding", "10px 16px")
