"""BLEU by the length of a sentence on the pages of the translators, run without a browser."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from app.figures.score_by_group import ScoreWords, score_by_group
from app.figures.theme import FigureTheme
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


def row(figures, language):
    return [*figures[f"bleu_{language}_by_words"].values(), figures[f"bleu_{language}"]]


@pytest.mark.parametrize("page", ["alignment", "translate"])
def test_the_numbers_are_those_that_were_measured(open_at, shown, page):
    app = open_at(page)
    assert not app.exception
    recurrent, transformer = figures_of("seq2seq"), figures_of("transformer")
    beside = recurrent["beside"]["without attention"]
    counts = recurrent["figures"]["sources_de_by_words"]
    told = shown(app, "lengths-values")
    assert dict(zip(told["columns"], told["cells"], strict=True)) == {
        "words of the English sentence": [*counts, "all"],
        "sentences": [*counts.values(), recurrent["figures"]["sources_de"]],
        "Seq2seq with attention": row(recurrent["figures"], "de"),
        "the same without attention": row(beside, "de"),
        "Transformer": row(transformer["figures"], "de"),
    }
    assert "sacreBLEU to German" in told["strings"]["table"]
    assert beside["note"] in [one.value for one in app.caption]


def test_another_language_has_its_own_numbers(open_at, shown):
    told = shown(open_at("translate", to="fr"), "lengths-values")
    assert told["columns"][2:] == ["Transformer"]
    assert told["cells"][2] == row(figures_of("transformer")["figures"], "fr")
    assert "sacreBLEU to French" in told["strings"]["table"]


def test_without_figures_there_is_no_chart(open_at, tmp_path, monkeypatch):
    for name in ("seq2seq", "transformer"):
        copy = tmp_path / name
        copy.mkdir()
        for path in (catalogue.BUNDLED_FOLDER / name).iterdir():
            if path.name != "figures.json":
                (copy / path.name).symlink_to(path)
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    assert not open_at("alignment").get("vega_lite_chart")


def test_lines_are_drawn_from_the_scores_with_their_counts():
    words = ScoreWords("words", "BLEU", "sentences", "model")
    scores = {"a": [40.0, 20.0, None], "<b>": [None, 0.0, 5.0]}
    spec = score_by_group(scores, {"1": 3, "2": 4, "3": 1}, words, FigureTheme()).to_dict()
    rows = spec["data"]["values"] if "data" in spec else spec["layer"][0]["data"]["values"]
    assert [(one["model"], one["group"], one["score"], one["count"]) for one in rows] == [
        ("a", "1", 40.0, 3),
        ("a", "2", 20.0, 4),
        ("<b>", "2", 0.0, 4),
        ("<b>", "3", 5.0, 1),
    ]
    told = [one["field"] for one in spec["layer"][-1]["encoding"]["tooltip"]]
    assert told == ["model", "group", "score", "count"]
    looks = spec["layer"][1]["encoding"]
    assert all(len(set(looks[one]["scale"]["range"])) == 2 for one in ("color", "shape"))


def test_scores_that_fit_no_group_are_refused():
    words = ScoreWords("words", "BLEU", "sentences", "model")
    with pytest.raises(ValueError, match="groups"):
        score_by_group({"a": [1.0]}, {"1": 3, "2": 4}, words, FigureTheme())
