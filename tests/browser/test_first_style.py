"""The style that comes with the page's first bytes: what moves, and which page it changes."""

import pytest
from playwright.sync_api import expect

from app.first_style import CSS, SHEETS
from app.navigation import ENTRIES

pytestmark = pytest.mark.browser

CARDS = ["fill_mask"]
TRANSLATION = [*CARDS, "length_chart", "translate_page"]
# The sheets of a page, beside that of the frame.
OF_PAGE = {
    "": [],
    "attention": [],
    "fill-mask": [*CARDS, "training_masks"],
    "spans": ["spans_page"],
    "replaced": ["replaced_page"],
    "next-word": [*CARDS, "next_word"],
    "pairs": [*CARDS, "pairs"],
    "translate": TRANSLATION,
    "alignment": [*TRANSLATION, "alignment_page"],
    "positions": [*CARDS, "positions_page"],
    "family": [*CARDS, "family_page"],
    "compare": [*CARDS, "compare"],
    "schedules": ["schedules_page"],
    "warm-up": ["warm_up"],
    "findings": ["findings_page"],
    "model": ["model"],
}
IDLE = "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"
LAYOUT_SHIFT = """() => new Promise(resolve => {
    new PerformanceObserver(list =>
        resolve(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))
    ).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(0), 500);
})"""
# Selectors of a sheet that something on the page answers to.
MATCHES = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    const all = [...sheet.cssRules];
    const rules = all.flatMap(rule => rule.selectorText ? rule : [...rule.cssRules]);
    const selectors = rules.map(rule => rule.selectorText.replace(/::(before|after)/g, ""));
    return selectors.filter(one => document.querySelector(one));
}"""


def matches(page, sheets):
    found = {name: page.evaluate(MATCHES, (CSS / f"{name}.css").read_text()) for name in sheets}
    return {name: selectors for name, selectors in found.items() if selectors}


@pytest.mark.parametrize("place", [entry.url_path for entry in ENTRIES])
def test_a_page_hardly_moves_and_has_no_style_of_another(app_url, new_page, place):
    page = new_page()
    page.goto(f"{app_url}/{place}")
    page.wait_for_selector("h1")
    page.wait_for_function(IDLE)
    for _ in range(40):  # pictures are drawn when the script has ended
        page.wait_for_timeout(500)
        used = set(matches(page, OF_PAGE[place]))
        if used == set(OF_PAGE[place]):
            break
    assert used == set(OF_PAGE[place])
    own = {"frame", *OF_PAGE[place]}
    assert matches(page, [name for name in SHEETS if name not in own]) == {}
    # 0.004 to 0.03; 0.3 to 1.0 where a page's own style comes when it is drawn.
    assert page.evaluate(LAYOUT_SHIFT) < 0.2


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
