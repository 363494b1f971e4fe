"""BLEU by the length of a sentence on the pages of the translators, run without a browser."""

import json
import re
from html import unescape

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.parts.length_chart import Scores, length_chart
from core.checkpoints import catalogue
from tests.app.conftest import SHELL


@pytest.fixture
def open_at():
    def open_page(page, **query):
        app = AppTest.from_file(str(SHELL), default_timeout=120)
        for name, value in query.items():
            app.query_params[name] = value
        return app.run().switch_page(f"../pages/{page}.py").run()

    return open_page


def figures_of(name):
    return json.loads((catalogue.BUNDLED_FOLDER / name / "figures.json").read_text("utf-8"))


def table(html):
    rows = re.findall(r"<tr.*?>(.*?)</tr>", html)
    cells = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]
    return [[unescape(re.sub("<.*?>", "", cell)) for cell in row] for row in cells]


def drawn(page):
    return [one.proto.body for one in page.get("html") if 'class="lengths"' in one.proto.body]


def row(title, figures, language):
    scores = [*figures[f"bleu_{language}_by_words"].values(), figures[f"bleu_{language}"]]
    return [title, *(f"{score:.1f}" for score in scores)]


@pytest.mark.parametrize("page", ["alignment", "translate"])
def test_the_numbers_are_those_that_were_measured(open_at, page):
    app = open_at(page)
    assert not app.exception
    (html,) = drawn(app)
    recurrent, transformer = figures_of("seq2seq"), figures_of("transformer")
    beside = recurrent["beside"]["without attention"]
    counts = recurrent["figures"]["sources_de_by_words"]
    heads, *rows, sentences = table(html)
    assert heads == ["words", *counts, "all"]
    assert sorted(rows) == sorted(
        [
            row("Seq2seq with attention", recurrent["figures"], "de"),
            row("the same without attention", beside, "de"),
            row("Transformer", transformer["figures"], "de"),
        ]
    )
    total = f"{recurrent['figures']['sources_de']:,}"
    assert sentences == ["sentences", *map(str, counts.values()), total]
    assert "sacreBLEU to German" in html
    assert beside["note"] in html


def test_another_language_has_its_own_numbers(open_at):
    (html,) = drawn(open_at("translate", to="fr"))
    _heads, *rows, _sentences = table(html)
    assert rows == [row("Transformer", figures_of("transformer")["figures"], "fr")]
    assert "sacreBLEU to French" in html


def test_without_figures_there_is_no_chart(open_at, tmp_path, monkeypatch):
    for name in ("seq2seq", "transformer"):
        copy = tmp_path / name
        copy.mkdir()
        for path in (catalogue.BUNDLED_FOLDER / name).iterdir():
            if path.name != "figures.json":
                (copy / path.name).symlink_to(path)
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    assert drawn(open_at("alignment")) == []


def test_bars_are_as_high_as_their_scores(monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(st, "html", said.append)
    models = [Scores("a", {"1": 40.0, "2": 20.0, "3": None}, 30.0), Scores("<b>", {"2": 0.0}, 0.0)]
    length_chart("t", "h", models, {"1": 3, "2": 4, "3": 0}, "n < m")
    (html,) = said
    bars = re.findall(r'<i data-model="(\d)" style="height:([\d.]+)%">', html)
    # 60 is the top of the grid.
    assert [float(height) for number, height in bars if number == "0"] == [66.67, 33.33, 0]
    assert [float(height) for number, height in bars if number == "1"] == [0, 0, 0]
    assert table(html)[1:] == [
        ["a", "40.0", "20.0", "–", "30.0"],
        ["<b>", "–", "0.0", "–", "0.0"],
        ["sentences", "3", "4", "0", "7"],
    ]
    assert "n &lt; m" in html
