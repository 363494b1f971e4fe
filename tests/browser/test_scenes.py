"""Scenes of a page in a real Chromium: a clicker's keys, buttons, links."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from app.scenes import scenes_of
from tests.browser.waiting import copied_link, expect_idle, press_clicker

pytestmark = pytest.mark.browser

DRAWN = '.attention-canvas[data-drawn="true"]'
SCENES = scenes_of("attention")


@pytest.fixture
def open_attention(app_url, new_page):
    def open_at(options=None, **settings):
        page = new_page(**(options or {}))
        page.goto(f"{app_url}/attention?{urlencode(settings)}")
        expect(page.locator(DRAWN)).to_be_visible()
        return page

    return open_at


def expect_scene(page, number):
    """Wait until the page says which scene it shows, and the canvas shows it."""
    scene = SCENES[number - 1]
    words = f"Scene {number} of {len(SCENES)}: {scene.title}"
    expect(page.locator(".scenes [role=status]")).to_have_text(words)
    canvas = page.locator(DRAWN)
    for name in ("layer", "head"):
        expect(canvas).to_have_attribute(f"data-{name}", str(scene.settings[name]))
    token = scene.settings["token"]
    expect(canvas).to_have_attribute("data-token", "" if token == -1 else str(token))
    expect(page.locator(f"input[type=radio][value={scene.settings['view']}]")).to_be_checked()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(scene.settings["text"])
    if scene.settings["model"] == "bert":
        expect(page.get_by_label("Second sentence")).to_have_value(scene.settings["pair"])
    else:
        expect(page.get_by_role("textbox", name="Target")).to_have_value("")
        expect(page.get_by_label("Cross", exact=True)).to_be_checked()
    page.wait_for_url(f"**scene={number}*")


def test_a_clicker_goes_through_all_scenes_and_back(open_attention, assert_clean):
    page = open_attention()
    expect(page.locator(".scenes [role=status]")).to_have_text("Scenes")
    for number in range(1, len(SCENES) + 1):
        press_clicker(page)
        expect_scene(page, number)
    press_clicker(page)
    expect(page.get_by_role("button", name="Next scene (Page Down)")).to_be_disabled()
    expect_scene(page, len(SCENES))
    press_clicker(page, "PageUp")
    expect_scene(page, len(SCENES) - 1)
    assert_clean(page)


def test_within_a_sentence_maps_are_not_sent_again_and_choices_stay_the_readers(open_attention):
    page = open_attention(scene=1, view="grid", token=-1, palette="viridis")
    press_clicker(page, "PageUp")
    expect(page.get_by_role("button", name="Previous scene (Page Up)")).to_be_disabled()
    page.locator(DRAWN).evaluate("node => { node.marked = true; }")
    page.evaluate("performance.clearMeasures()")
    page.get_by_role("button", name="Next scene (Page Down)").click()
    expect_scene(page, 2)
    assert page.locator(DRAWN).evaluate("node => node.marked")
    assert page.evaluate("performance.getEntriesByName('headlight:decode').length") == 0
    expect(page.get_by_label("Palette")).to_have_value("viridis")
    page.locator(".strip .chip").nth(5).click()
    page.wait_for_url("**token=5*")


def test_the_keys_work_from_a_text_field_but_not_from_a_large_one(open_attention):
    page = open_attention()
    page.get_by_label("Sentence", exact=True).focus()
    for _ in range(4):
        press_clicker(page)
    expect_scene(page, 4)
    page.evaluate(
        """() => {
            const area = document.body.appendChild(document.createElement("textarea"));
            area.focus();
            window.kept = new Promise(resolve => document.addEventListener(
                "keydown", event => resolve(!event.defaultPrevented), {once: true}));
        }"""
    )
    press_clicker(page)
    assert page.evaluate("window.kept")
    expect_scene(page, 4)


def test_a_link_of_a_scene_shows_it_and_goes_on_from_there(open_attention, new_page, assert_clean):
    page = open_attention({"permissions": ["clipboard-read", "clipboard-write"]})
    for number in (1, 2, 3):
        press_clicker(page)
        expect_scene(page, number)
    link = copied_link(page)

    other = new_page()
    other.goto(link)
    expect_scene(other, 3)
    press_clicker(other)
    expect_scene(other, 4)
    assert_clean(other)


def test_in_presenter_mode_the_picture_has_the_screen(open_attention, axe_violations):
    page = open_attention({"width": 1920, "height": 1080}, present=1)
    press_clicker(page)
    expect_scene(page, 1)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("radio", name="BertViz heads")).to_be_hidden()
    box = page.locator(DRAWN).bounding_box()
    assert box["y"] < 1080 / 8
    assert box["width"] > 1920 * 0.9
    assert box["y"] + box["height"] > 1000
    assert axe_violations(page) == []
    press_clicker(page)
    expect_scene(page, 2)
    assert "present=1" in page.url


def test_scenes_of_masks_hide_words_and_turn_heads_off_in_front_of_a_class(
    app_url, new_page, assert_clean
):
    page = new_page()
    page.goto(f"{app_url}/fill-mask?present=1")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.locator(".candidate .token").first).to_have_css("font-size", "17.5px")
    status = page.locator(".scenes [role=status]")
    expect(status).to_have_text("Scenes")
    for scene in scenes_of("fill_mask")[:5]:
        press_clicker(page)
        expect(status).to_contain_text(scene.title)
        expect(page.get_by_label("Sentence", exact=True)).to_have_value(scene.settings["text"])
    page.wait_for_url("**off=4-3.3-1*")
    expect(page.get_by_text("Without 4 heads")).to_be_visible()
    assert_clean(page)


@pytest.mark.parametrize("name", ["fill_mask", "replaced"])
def test_quick_presses_lose_no_step(app_url, new_page, assert_clean, name):
    page = new_page()
    page.goto(f"{app_url}/{name.replace('_', '-')}")
    status = page.locator(".scenes [role=status]")
    expect(status).to_have_text("Scenes")
    expect_idle(page)
    scenes = scenes_of(name)
    for _ in range(4):
        press_clicker(page)
        page.wait_for_timeout(60)  # so that answers come while the reader goes on
    sentence = page.get_by_label("Sentence", exact=True)
    expect(sentence).to_have_value(scenes[3].settings["text"])
    page.wait_for_url("**scene=4*")
    expect_idle(page)
    expect(status).to_contain_text(scenes[3].title)
    press_clicker(page, "PageUp")
    expect(status).to_contain_text(scenes[2].title)
    expect(sentence).to_have_value(scenes[2].settings["text"])
    assert_clean(page)
