"""BertViz's pages as they leave the server: offline, escaped, bounded."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.parts.frame import STATIC
from app.sections.attention import bertviz_view
from app.sections.attention.bertviz_view import (
    MOST_BYTES,
    MOST_LINES,
    PARAMETERS,
    SCRIPTS,
    bertviz_page,
    layers_that_fit,
    load_of,
    script_json,
    tokens_that_fit,
)
from tests.browser.apps.bertviz_demo import CASES, MARKUP, result_of
from tests.conftest import ROOT

KINDS = ["heads", "model"]


def options_of(kind, layers=range(6)):
    heads = {"layer": 2, "heads": [1]}
    return {"include_layers": list(layers), **(heads if kind == "heads" else {})}


def page_of(case, kind):
    result = result_of(case)
    second = CASES[case][3]
    page = bertviz_page(result.patterns, result.encoding.pieces, second, kind, options_of(kind))
    return page, result


def parameters_of(page):
    start = page.index(PARAMETERS) + len(PARAMETERS)
    return json.JSONDecoder().raw_decode(page, start)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_holds_exactly_what_ran(kind):
    page, result = page_of("short", kind)
    (maps,) = parameters_of(page)["attention"]
    assert maps["left_text"] == maps["right_text"] == list(result.encoding.pieces)
    np.testing.assert_allclose(maps["attn"], result.patterns, atol=0.5e-4 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_two_sentences_come_whole_and_as_four_blocks(kind):
    page, result = page_of("pair", kind)
    blocks = {maps["name"]: maps for maps in parameters_of(page)["attention"]}
    block = blocks["Sentence A -> Sentence B"]
    assert block["left_text"] == list(result.encoding.pieces[:4])
    assert block["right_text"] == list(result.encoding.pieces[4:])
    np.testing.assert_allclose(block["attn"], result.patterns[:, :, :4, 4:], atol=0.5e-4 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_no_token_ends_the_script(kind):
    page, _result = page_of("short", kind)
    assert MARKUP not in page
    assert page.count("</script>") == len(re.findall(r"<script[ >]", page))
    assert "<img" not in page


def test_json_in_a_script_has_no_sign_that_means_something_there():
    text = "</script><!--<script>&amp;\u2028\u2029\ud800"
    written = script_json([text])
    assert not set(written) & set("<>&\u2028\u2029")
    assert written.isascii()
    assert json.loads(written) == [text]


@pytest.mark.parametrize("kind", KINDS)
def test_scripts_come_from_files_that_are_there(kind):
    page, _result = page_of("short", kind)
    assert "cdnjs" not in page
    for local in SCRIPTS.values():
        assert page.count(local) == 1
        path = STATIC.parent.parent / (local if local.endswith(".js") else f"{local}.js")
        assert path.is_file()


def test_every_script_has_a_licence_and_stands_in_the_notice():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    scripts = list((STATIC / "vendor").glob("*.js"))
    assert len(scripts) == len(SCRIPTS)
    for script in scripts:
        name, number = script.name.removesuffix(".min.js").split("-")
        licence = f"app/static/vendor/{name}-LICENSE.txt"
        assert (ROOT / licence).is_file()
        assert licence in notice
        assert number in notice


def test_another_bertviz_is_noticed(monkeypatch):
    moved = {"https://elsewhere.example/d3.js": "app/static/vendor/d3.js"}
    monkeypatch.setattr(bertviz_view, "SCRIPTS", moved)
    with pytest.raises(ValueError, match="no longer loads"):
        page_of("short", "heads")


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_weights_give_the_same_page(kind):
    # A page that changed in every run would be drawn again at every click elsewhere.
    assert page_of("short", kind)[0] == page_of("short", kind)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["long", "pair"])
def test_the_size_is_foretold(case, kind):
    page, result = page_of(case, kind)
    foretold = load_of(result.patterns.shape, kind, pair=case == "pair").size
    around = len(page) - len(script_json(parameters_of(page)["attention"]))
    assert len(page) - around == pytest.approx(foretold, rel=0.15)
    assert around < 30_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair", [False, True])
@pytest.mark.parametrize("tokens", [2, 16, 45, 46, 64, 111, 112, 512])
def test_as_many_layers_are_drawn_as_fit(kind, pair, tokens):
    shape = (12, 12, tokens, tokens)
    fit = layers_that_fit(shape, kind, pair=pair)
    loads = [load_of((count, *shape[1:]), kind, pair=pair) for count in range(1, 13)]
    bearable = [load.lines <= MOST_LINES and load.size <= MOST_BYTES for load in loads]
    assert bearable == [count <= fit for count in range(1, 13)]
    assert (fit == 0) == (tokens > tokens_that_fit(12))


def test_lines_are_counted_as_bertviz_draws_them():
    assert load_of((6, 12, 10, 10), "model", pair=False).lines == 6 * 12 * 100
    assert load_of((6, 12, 10, 10), "heads", pair=True).lines == 12 * 100


def test_more_than_it_can_draw_is_refused():
    patterns = np.zeros((6, 12, 46, 46), dtype=np.float32)
    with pytest.raises(ValueError, match="too much"):
        bertviz_view.bertviz_view(patterns, ["a"] * 46, None, "model")


def test_bertviz_is_loaded_when_it_is_drawn_and_asks_nobody():
    script = """
import sys
import app.sections.attention.bertviz, numpy
from app.sections.attention.bertviz_view import bertviz_page
foreign = {"bertviz", "IPython", "transformers", "boto3"}
assert not foreign & set(sys.modules), foreign & set(sys.modules)

def refuse(event, arguments):
    assert not event.startswith("socket."), (event, arguments)

sys.addaudithook(refuse)
import IPython.display

def display(*arguments, **keywords):
    raise AssertionError("shown in a notebook")

IPython.display.display = display
weights = numpy.full((1, 1, 2, 2), 0.5, dtype=numpy.float32)
for kind in ("heads", "model"):
    assert "<svg" not in bertviz_page(weights, ["a", "b"], None, kind, {})
print("drawn")
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "drawn\n", ran.stderr


def run_section(case, kind, query=None):
    def script(case, kind):
        from app.sections.attention.bertviz import draw_bertviz
        from tests.browser.apps.bertviz_demo import result_of

        draw_bertviz(result_of(case), kind)

    page = AppTest.from_function(script, default_timeout=60, args=(case, kind))
    for name, value in (query or {}).items():
        page.query_params[name] = value
    return page.run()


def drawn_layers(page):
    (frame,) = page.get("iframe")
    return parameters_of(frame.proto.srcdoc)["include_layers"]


def test_a_short_text_is_drawn_whole():
    page = run_section("short", "model")
    assert drawn_layers(page) == list(range(6))
    assert not page.info
    assert "Jesse Vig" in page.caption[0].value


def test_the_head_view_starts_where_the_canvas_stands():
    page = run_section("short", "heads", {"layer": "5", "head": "2", "heads": "7.99.1"})
    parameters = parameters_of(page.get("iframe")[0].proto.srcdoc)
    assert (parameters["layer"], parameters["heads"]) == (5, [1, 2, 7, 11])


def test_a_long_text_gets_the_layers_that_fit_with_the_reason():
    page = run_section("long", "model", {"layer": "3"})
    narrow = "\N{NARROW NO-BREAK SPACE}"
    assert f"352{narrow}800 lines" in page.info[0].value
    assert f"150{narrow}000 lines" in page.info[0].value
    assert "2 layers are drawn at a time" in page.info[0].value
    assert drawn_layers(page) == [3, 4]
    page.selectbox[0].set_value(1).run()
    assert drawn_layers(page) == [1, 2]
    assert page.query_params["layer"] == "1"


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_too_long_for_one_layer_gets_the_way_out(kind):
    page = run_section("too long", kind)
    assert not page.get("iframe")
    assert "Shorten the text to 111 tokens" in page.info[0].value
