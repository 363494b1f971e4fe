"""The frame around every page, and the settings that travel with the reader."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from app.settings import Settings
from app.state import link_query
from tests.browser.conftest import turn
from tests.browser.waiting import copied_link

pytestmark = pytest.mark.browser

SCRIPT = Path(__file__).parent / "scripts" / "settings_pages.py"


@pytest.fixture(scope="module")
def settings_url(launch_app):
    return launch_app(script_path=SCRIPT)


def query_of(address):
    return {
        name: values[-1]
        for name, values in parse_qs(urlsplit(address).query, keep_blank_values=True).items()
    }


def test_the_frame_is_quiet_and_has_its_font_and_its_colours(app_url, new_page, assert_clean):
    page = new_page()
    with page.expect_response("**/app/static/fonts/inter-latin.woff2") as response:
        page.goto(app_url)
    assert response.value.ok
    title = page.get_by_role("heading", level=1)
    expect(title).to_be_visible()
    page.wait_for_function("document.querySelector('h1').getBoundingClientRect().y < 40")
    expect(page.get_by_role("link", name="Start")).to_be_visible()
    page.wait_for_function("document.fonts.check('16px Inter')")  # it is fetched after the text
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(251, 251, 253)")
    turn(page)
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(15, 18, 24)")
    # A collapsed sidebar leaves room for its button.
    page.get_by_role("button", name="Collapse sidebar").click()
    button = page.get_by_role("button", name="Expand sidebar")
    expect(button).to_be_visible()
    button_box = button.bounding_box()
    title_box = title.bounding_box()
    assert button_box is not None
    assert title_box is not None
    assert title_box["y"] >= button_box["y"] + button_box["height"]
    assert_clean(page)


def test_settings_travel_to_another_page_and_back(settings_url, new_page, assert_clean):
    page = new_page()
    page.goto(f"{settings_url}/?text=&hide=0&present=true")
    expect(page.get_by_text("text='' hide='0' present=True")).to_be_visible()

    page.get_by_role("link", name="Second").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    expect(page.get_by_text("text='' hide='0' present=True")).to_be_visible()
    page.wait_for_url("**/second?*text=*")
    assert query_of(page.url) == {"text": "", "hide": "0", "present": "true"}

    page.get_by_label("Sentence").fill("The cat sat.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("text='The cat sat.'")).to_be_visible()
    page.get_by_role("link", name="First").click()
    expect(page.get_by_role("heading", name="First")).to_be_visible()
    expect(page.get_by_text("text='The cat sat.' hide='0' present=True")).to_be_visible()
    page.reload()
    expect(page.get_by_text("text='The cat sat.' hide='0' present=True")).to_be_visible()
    assert_clean(page)


def test_a_default_can_be_chosen_again(settings_url, new_page):
    page = new_page()
    page.goto(f"{settings_url}/?text=one")
    expect(page.get_by_text("text='one'")).to_be_visible()
    default = Settings.text
    page.get_by_label("Sentence").fill(default)
    page.keyboard.press("Enter")
    expect(page.get_by_text(default)).to_be_visible()
    page.get_by_role("link", name="Second").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    expect(page.get_by_text(default)).to_be_visible()


@pytest.mark.slow  # by hand, on a quiet machine: on a busy one Streamlit's own entry comes between
def test_back_shows_what_was_there(settings_url, new_page):
    page = new_page()
    page.goto(f"{settings_url}/?text=one")
    expect(page.get_by_text("text='one'")).to_be_visible()
    page.get_by_label("Sentence").fill("two")
    page.keyboard.press("Enter")
    expect(page.get_by_text("text='two'")).to_be_visible()
    page.get_by_role("link", name="Second").click()
    expect(page.get_by_role("heading", name="Second")).to_be_visible()
    page.wait_for_url("**/second?text=two")
    page.go_back()
    expect(page.get_by_role("heading", name="First")).to_be_visible()
    expect(page.get_by_text("text='two'")).to_be_visible()
    page.wait_for_url("**/?text=two")


def test_the_copied_link_holds_every_setting(settings_url, new_page, assert_clean):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{settings_url}/?text=a%20%26%20b&head=7")
    expect(page.get_by_text("text='a & b'")).to_be_visible()
    page.evaluate("history.replaceState(null, '', location.search.replace('head=7', 'head=9'))")
    link = copied_link(page)
    assert query_of(link) == link_query(Settings(text="a & b", layer=2, head=9))
    opened = new_page()
    opened.goto(link)
    expect(opened.get_by_text("text='a & b' hide='' present=False")).to_be_visible()
    assert_clean(page)
    assert_clean(opened)


def test_without_a_clipboard_the_link_stands_ready_to_copy(settings_url, new_page):
    page = new_page()
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.execCommand = () => false;"
    )
    page.goto(f"{settings_url}/?text=hello")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_label("Link to this page")
    expect(field).to_be_visible()
    expect(field).to_be_focused()
    assert "text=hello" in field.input_value()
    assert field.evaluate("field => field.selectionEnd - field.selectionStart") > 50
    expect(page.get_by_text("press Ctrl+C")).to_be_visible()
