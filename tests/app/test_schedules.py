"""The page of schedules: what its charts are handed, and that its scenes show what they say."""

from pathlib import Path

import pytest
import streamlit as st

from app.figures.schedules import steps_figure
from app.figures.theme import FigureTheme
from app.parts.scripts import vega_address
from app.scenes import scenes_of
from app.sections.scenes import charts_of_scene
from app.sections.schedules.formulas import formulas
from app.sections.schedules.schedule_charts import STYLED, schedule_names
from app.settings import DEFAULTS
from app.state import is_allowed, names
from core.training.rectification import rectification
from core.training.schedules import Schedule, Shape, transformer_peak


def settings_of(name):
    return next(scene.settings for scene in scenes_of("schedules") if scene.name == name)


def rate(shape, settings, step, **changes):
    total = settings["total"]
    return Schedule(shape, settings["warm"] / total, **changes).factor(step / total)


@pytest.fixture
def page(open_page):
    page = open_page().switch_page("../pages/schedules.py").run()
    assert not page.exception
    return page


def test_the_charts_are_handed_their_settings_with_bounds(page, shown):
    for key in ("schedule_chart", "rectification_chart"):
        data = shown(page, key)
        assert data["defaults"] == {name: DEFAULTS[name] for name in names("charts")}
        assert data["choice"] is None
        for name, bounds in data["bounds"].items():
            assert is_allowed(name, bounds["least"])
            assert is_allowed(name, bounds["most"])
            assert not is_allowed(name, bounds["least"] - 1)
            assert not is_allowed(name, bounds["most"] + 1)


def test_each_chart_comes_for_both_schemes_with_a_style_for_every_curve(page, shown):
    data = shown(page, "schedule_chart")
    assert set(data["styles"]) == set(STYLED["schedules"]) == set(schedule_names())
    dashes = [tuple(style["dashes"]) for style in data["styles"].values()]
    assert len(set(dashes)) == len(dashes)
    light, dark = data["specs"]["light"], data["specs"]["dark"]
    offered = [name for name, _words in data["strings"]["scales"]]
    assert list(light) == list(dark) == offered
    assert light["linear"]["config"] != dark["linear"]["config"]


def test_the_axes_of_a_figure_are_as_asked_and_titled():
    figure = steps_figure(
        ["a", "b"], steps="steps", values="rate", theme=FigureTheme(), log_values=True
    ).to_dict()
    [curves] = [layer for layer in figure["layer"] if layer.get("name") == "curves"]
    x, y = curves["encoding"]["x"], curves["encoding"]["y"]
    assert (x["axis"]["title"], y["axis"]["title"]) == ("steps", "rate")
    assert (x["scale"]["type"], y["scale"]["type"]) == ("linear", "log")
    assert curves["encoding"]["strokeDash"]["scale"]["domain"] == ["a", "b"]
    # Every layer has the same ends, which the script moves.
    ends = {one["name"] for one in figure["params"]}
    for layer in figure["layer"]:
        assert {end["expr"] for end in layer["encoding"]["x"]["scale"]["domain"]} <= ends


def test_the_library_is_streamlits_own():
    scripts = Path(st.__file__).parent / "static"
    assert (scripts / vega_address()).is_file()


def test_every_schedule_has_a_formula_and_a_source(page):
    written = formulas()
    assert [one.name for one in written[:-1]] == list(schedule_names().values())
    assert all(one.tex and one.source for one in written)
    assert len(page.latex) == len(written)


def test_every_scene_names_schedules_that_exist():
    for scene in scenes_of("schedules"):
        written = str(scene.settings["curves"])
        curves = written.split(".") if written else []
        assert {*curves, scene.settings["curve"]} <= schedule_names().keys()


def test_the_scenes_of_the_transformer_show_the_numbers_of_the_lecture():
    peak = transformer_peak(512, settings_of("five-schedules")["warm"])
    assert peak == pytest.approx(6.99e-4, abs=5e-7)
    later = settings_of("transformer-schedule")
    assert later["at_step"] == 4 * later["warm"]
    there = peak * rate(Shape.INVERSE_ROOT, later, later["at_step"])
    assert there == pytest.approx(peak / 2) == pytest.approx(3.49e-4, abs=5e-7)
    wider = settings_of("wider-transformer")
    assert wider["model_width"] == 2 * later["model_width"]


def test_berts_scene_has_the_papers_numbers():
    settings = settings_of("bert-schedule")
    assert (settings["total"], settings["warm"]) == (1_000_000, 10_000)
    assert settings["peak"] / 1e6 * rate(Shape.LINEAR, settings, settings["at_step"]) == 1e-4


def test_each_half_wave_of_the_scene_of_restarts_is_twice_as_long_as_the_last():
    settings = settings_of("restarts")
    total = settings["total"]
    schedule = Schedule(
        Shape.COSINE,
        settings["warm"] / total,
        period=settings["period"] / total,
        growth=settings["growth"],
    )
    restarts = [round(one * total) for one in schedule.restarts()]
    assert restarts == [10_400, 23_200, 48_800]
    assert settings["at_step"] == restarts[0]
    assert schedule.factor(1.0) == 0.0


def test_without_warm_up_the_first_step_is_the_largest():
    settings = settings_of("no-warm-up")
    assert settings["curves"] == "linear.bert"
    first = settings["at_step"] / settings["total"]
    assert Schedule(warm_up=0.0).factor(first) > 0.99
    assert rate(Shape.LINEAR, settings, settings["at_step"]) < 0.001


def test_after_four_gradients_no_step_is_adaptive_yet():
    settings = settings_of("four-gradients")
    assert rectification(settings["adam_step"], settings["beta"] / 10_000) is None
    assert rectification(settings["adam_step"] + 1, settings["beta"] / 10_000) is not None


def test_without_a_scene_nothing_is_said_to_the_charts(monkeypatch):
    monkeypatch.setattr("app.sections.scenes.st.session_state", {})
    assert charts_of_scene() is None
