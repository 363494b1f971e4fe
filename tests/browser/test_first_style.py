"""The style that comes with the page's first bytes: which page it changes."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.navigation import ENTRIES

pytestmark = pytest.mark.browser


def test_every_page_is_looked_at_once():
    """The one load of a page that its own tests look at anyway."""
    sources = Path(__file__).parent.glob("test_*.py")
    call = re.compile(r'^    assert_own_style\(page, "(.*)"\)', re.MULTILINE)
    places = [place for source in sources for place in call.findall(source.read_text())]
    assert sorted(places) == sorted(entry.url_path for entry in ENTRIES)


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
