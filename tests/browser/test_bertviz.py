"""BertViz's views in a real browser, below a base path: offline, escaped, nothing cut off."""

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.apps.bertviz_demo import CASES, MARKUP, result_of
from tests.browser.conftest import APP

pytestmark = pytest.mark.browser

DEMO = APP.parent / "tests" / "browser" / "apps" / "bertviz_demo.py"
MODEL_LINES = "svg > g:not(.detail) line"
OPACITIES = "lines => lines.map(line => Number(line.getAttribute('stroke-opacity')))"
IS_WHOLE = """() => {
    const page = document.documentElement;
    return page.scrollHeight <= page.clientHeight && page.scrollWidth <= page.clientWidth;
}"""


@pytest.fixture(scope="module")
def demo_url(launch_app):
    return launch_app(DEMO, base_path="/lectures")


@pytest.fixture
def open_view(demo_url, new_page):
    """Open a view and wait until it is drawn: page, and the frame inside."""

    def open_at(tool, case="short", lines=None, path="/attention", **options):
        page = new_page(**options)
        dialogs = []

        def dismiss(dialog):
            dialogs.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", dismiss)
        page.goto(f"{demo_url}{path}?tool={tool}&case={case}")
        page.wait_for_selector("iframe")
        frame = page.frames[1]
        layers, heads, tokens, _second = CASES[case]
        count = heads * len(tokens) ** 2 * (layers if tool == "model" else 1)
        frame.wait_for_function(
            "count => document.querySelectorAll('line').length === count", arg=lines or count
        )
        assert not dialogs
        return page, frame

    return open_at


def words(frame, selector):
    return frame.locator(selector).all_text_contents()


def test_the_head_view_shows_the_weights_and_markup_as_text(open_view, assert_clean):
    page, frame = open_view("heads")
    result = result_of("short")
    tokens = list(result.encoding.pieces)
    assert words(frame, "#left text") == words(frame, "#right text") == tokens
    assert frame.locator("#left text", has_text=MARKUP).is_visible()
    assert frame.locator("img").count() == 0
    lines = frame.locator('[head-index="3"] .tokenAttention line')
    np.testing.assert_allclose(
        lines.evaluate_all(OPACITIES), result.patterns[4, 3].ravel(), atol=0.6e-4
    )
    # A second head halves the opacity of the first, as the caption says.
    frame.locator("svg > g:last-child > rect").nth(5).click()
    halved = lines.evaluate_all(OPACITIES)
    np.testing.assert_allclose(halved, result.patterns[4, 3].ravel() / 2, atol=0.6e-4)
    assert frame.evaluate(IS_WHOLE)
    assert_clean(page)


def test_the_model_view_shows_the_weights_and_markup_as_text(open_view, assert_clean):
    page, frame = open_view("model", path="/")
    result = result_of("short")
    drawn = frame.locator(MODEL_LINES).evaluate_all(OPACITIES)
    np.testing.assert_allclose(drawn, result.patterns.ravel(), atol=0.6e-4)
    frame.locator("#attn_background_2_7 ~ rect").click()
    tokens = list(result.encoding.pieces)
    assert words(frame, ".detail text.token") == [*tokens, *tokens]
    assert frame.locator(".detail text.token", has_text=MARKUP).first.is_visible()
    assert "Layer 2, Head 7" in words(frame, "svg > text.detail")
    assert frame.locator("img").count() == 0
    assert frame.evaluate(IS_WHOLE)
    assert_clean(page)


@pytest.mark.parametrize("tool", ["heads", "model"])
def test_two_sentences_can_be_taken_apart(open_view, axe_violations, tool):
    _page, frame = open_view(tool, "pair")
    frame.get_by_label("Attention:").select_option("Sentence A -> Sentence B")
    if tool == "heads":
        assert words(frame, "#left text") == ["[CLS]", "a", "b", "[SEP]"]
        assert words(frame, "#right text") == ["c", "d", "e", "[SEP]"]
    else:
        blocks = result_of("pair").patterns[:, :, :4, 4:]
        drawn = frame.locator(MODEL_LINES).evaluate_all(OPACITIES)
        np.testing.assert_allclose(drawn, blocks.ravel(), atol=0.6e-4)
    assert axe_violations(frame) == []


@pytest.mark.parametrize(("tool", "ground"), [("heads", "255, 255, 255"), ("model", "0, 0, 0")])
def test_in_the_dark_labels_are_readable(open_view, axe_violations, tool, ground):
    _page, frame = open_view(tool, color_scheme="dark")
    colour = frame.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour == f"rgb({ground})"
    if tool == "model":
        label = frame.locator("svg > text", has_text="Heads")
        assert label.evaluate("one => getComputedStyle(one).fill") == "rgb(204, 204, 204)"
    assert axe_violations(frame) == []


def test_a_narrow_window_shows_the_model_view_smaller(open_view):
    _page, frame = open_view("model", width=700)
    assert frame.evaluate(IS_WHOLE)


def test_a_long_text_shows_some_layers_and_lets_choose_them(open_view):
    page, frame = open_view("model", "long", lines=2 * 12 * 70**2)
    assert words(frame, "svg > text[text-anchor=end]") == ["4", "5"]
    assert frame.evaluate(IS_WHOLE)
    page.get_by_label("Layers drawn").click()
    page.get_by_role("option", name="1 – 2").click()
    chosen = page.frame_locator("iframe").locator("svg > text[text-anchor=end]")
    expect(chosen).to_have_text(["1", "2"])
    assert "layer=1" in page.url


def test_missing_scripts_are_spoken_of(demo_url, new_page):
    page = new_page()
    page.route("**/vendor/d3*", lambda route: route.abort())
    page.goto(f"{demo_url}/?tool=model")
    expect(page.frame_locator("iframe").get_by_text("did not arrive")).to_be_visible()


@pytest.mark.parametrize("tool", ["heads", "model"])
def test_the_page_of_attention_heads_shows_it(app_url, new_page, assert_clean, tool):
    page = new_page()
    page.goto(f"{app_url}/attention?tool={tool}")
    frame = page.frame_locator("iframe")
    expect(frame.locator("line")).to_have_count(12 * 16**2 * (6 if tool == "model" else 1))
    expect(page.get_by_text("Jesse Vig")).to_be_visible()
    assert_clean(page)
