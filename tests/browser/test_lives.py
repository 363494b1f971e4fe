"""Pictures come and go without leaving anything behind, in a real Chromium."""

import pytest
from playwright.sync_api import expect

from app.sections.family.members import MEMBERS
from tests.browser.test_family import CARD

pytestmark = pytest.mark.browser

VISITS = 20
# Of the browser and of Streamlit: texts that change their length, a notice that comes or not.
SLACK = {"nodes": 50, "jsEventListeners": 10}
LOOKS = 20  # half a second between them

# Counts what our scripts, and no others, have begun and not ended.
COUNT = """
const open = { observers: 0, intervals: new Set(), listeners: new Map() };
const isOurs = () => new Error().stack.includes("/app/static/v-");
for (const name of ["ResizeObserver", "MutationObserver", "IntersectionObserver"]) {
    window[name] = class extends window[name] {
        #isOpen = false;
        constructor(callback) {
            super(callback);
            this.isOurs = isOurs();
        }
        observe(...rest) {
            super.observe(...rest);
            if (this.isOurs && !this.#isOpen) open.observers += 1;
            this.#isOpen = true;
        }
        disconnect() {
            super.disconnect();
            if (this.isOurs && this.#isOpen) open.observers -= 1;
            this.#isOpen = false;
        }
    };
}
const { setInterval, clearInterval } = window;
window.setInterval = (...rest) => {
    const timer = setInterval(...rest);
    if (isOurs()) open.intervals.add(timer);
    return timer;
};
window.clearInterval = (timer) => {
    open.intervals.delete(timer);
    clearInterval(timer);
};
for (const target of [window, document, document.fonts]) {
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = function (type, handler, options) {
        if (isOurs()) open.listeners.set(handler, type);
        return addEventListener.call(target, type, handler, options);
    };
    target.removeEventListener = function (type, handler, options) {
        open.listeners.delete(handler);
        return removeEventListener.call(target, type, handler, options);
    };
}
window.countOpen = () => ({
    observers: open.observers,
    intervals: open.intervals.size,
    listeners: open.listeners.size,
});
"""


def visit(page):
    """To the page of the family and back to a page without pictures of its own."""
    menu = page.get_by_test_id("stSidebar")
    menu.get_by_role("link", name="The BERT family").click()
    expect(page.locator(CARD)).to_have_count(len(MEMBERS))
    expect(page.locator('.family-orders[data-drawn="true"]')).to_be_visible()
    expect(page.locator('.family-draws[data-drawn="true"]')).to_be_visible()
    during = page.evaluate("countOpen()")
    page.locator(".family-draws .play").click()
    menu.get_by_role("link", name="Schedules").click()
    expect(page.locator('.schedules[data-drawn="true"]')).to_be_visible()
    expect(page.locator(".family-card")).to_have_count(0)
    expect(page.locator(".stApp")).to_have_attribute("data-test-script-state", "notRunning")
    return during


def counts(page, session, most=None):
    """What is open and what the browser keeps, with `most` as soon as that is no more than it.

    React and the browser let go of what has left the page in their own time: what is looked for is
    what they never let go of.
    """
    for _ in range(LOOKS):
        page.wait_for_timeout(500)
        session.send("HeapProfiler.collectGarbage")
        kept = session.send("Memory.getDOMCounters")
        if most is None or all(kept[name] <= count for name, count in most.items()):
            break
    return page.evaluate("countOpen()"), kept


def test_many_visits_leave_behind_what_one_leaves(tiny_url, new_page, assert_clean):
    page = new_page()
    page.add_init_script(COUNT)
    page.goto(f"{tiny_url}/schedules")
    expect(page.locator('.schedules[data-drawn="true"]')).to_be_visible()
    session = page.context.new_cdp_session(page)
    during = visit(page)
    assert during["observers"] >= len(MEMBERS), "the cards watch their size"
    first, nodes = counts(page, session)
    assert first["intervals"] == 0, "what the reader had left playing has stopped"
    for _ in range(VISITS - 1):
        assert visit(page) == during
    most = {name: nodes[name] + slack for name, slack in SLACK.items()}
    last, more = counts(page, session, most)
    assert last == first
    for name, count in most.items():
        assert more[name] <= count, name
    assert_clean(page)
