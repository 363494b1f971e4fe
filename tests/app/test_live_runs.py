"""The curves of the warm-up lab: what their figure is made of, and what the script is handed."""

import numpy as np
import pytest

from app.figures.live_runs import LAYERS, PANELS, LiveWords, live_runs, whole_axis
from app.figures.theme import FigureTheme
from app.lab.plan import read_plan
from app.lab.run import Run
from app.sections.warm_up.lab_curves import curves_payload
from app.theme import DASHES
from tests.wire import unpack

WORDS = LiveWords("step (updates)", "all steps", {name: f"{name} (unit)" for name in PANELS})
LOOKS = (1, 10)


@pytest.fixture
def run(tmp_path):
    """One that has told ten steps and two looks."""

    def made(number):
        one = Run("reader", read_plan("depth-1").base, tmp_path, number)
        one.record.take(
            {"event": "start", "step": 0, "parts": ["embedding", "encoder.0", "decoder.0"]}
        )
        for step in range(1, 11):
            loss = None if step == 7 else 3.0 / step
            one.record.take({"event": "step", "step": step, "loss": loss, "rate": step / 1000})
            if step in LOOKS:
                kinds = {kind: [[1.0, 2.0]] for kind in ("encoder", "decoder", "cross")}
                told = dict.fromkeys(("held_out_loss", "accuracy", "whole", "variance"), 0.5)
                norms = dict.fromkeys(("embedding", "encoder.0", "decoder.0"), 0.1)
                more = {"expected_variance": 0.1, "gradient_norms": norms, "entropy": kinds}
                one.record.take({"event": "look", "step": step, **told, **more})
        return one

    return made


def test_six_panels_have_one_axis_of_steps_and_titles_with_units():
    spec = live_runs(WORDS, FigureTheme()).to_dict()
    assert [panel["name"] for panel in spec["concat"]] == list(PANELS)
    for panel in spec["concat"]:
        lines = [one for one in panel["layer"] if one["mark"]["type"] == "line"]
        for line in lines:
            x, y = line["encoding"]["x"], line["encoding"]["y"]
            assert (x["title"], y["title"]) == ("step (updates)", f"{panel['name']} (unit)")
            assert x["scale"]["domain"] == [{"expr": "first"}, {"expr": "last"}]
            low, high = (f"{panel['name']}_{end}" for end in ("low", "high"))
            assert y["scale"]["domain"] == [{"expr": low}, {"expr": high}]
            assert y["scale"]["type"] == ("log" if panel["name"] == "gradients" else "linear")
    parameters = {one["name"] for one in spec["params"]}
    assert {"first", "last", "hidden", "loss_low", "entropy_high"} <= parameters


def test_runs_are_told_apart_by_dashes_too_and_layers_by_lightness():
    spec = live_runs(WORDS, FigureTheme(dark=True)).to_dict()
    panels = {panel["name"]: panel["layer"] for panel in spec["concat"]}
    (accuracy, _at) = panels["accuracy"]
    assert accuracy["encoding"]["strokeDash"]["scale"]["range"] == [list(one) for one in DASHES]
    shades = panels["entropy"][0]["encoding"]["color"]
    assert tuple(shades["scale"]["range"]) == LAYERS[True]


def test_one_drag_zooms_them_all():
    spec = whole_axis(WORDS, FigureTheme()).to_dict()
    [zoom] = [one for one in spec["params"] if "select" in one]
    assert (zoom["name"], zoom["select"]["encodings"]) == ("zoom", ["x"])
    views = {layer.get("name") for layer in spec["layer"]}
    assert set(zoom["views"]) <= views


def test_the_script_is_handed_every_value_and_the_inside_of_one_run_alone(run, open_page):
    open_page()
    runs = [run(3), run(4)]
    told = unpack(curves_payload(runs, ["one", "other"], [0, 0], 1))
    assert [one["number"] for one in told["runs"]] == [3, 4]
    loss = told["runs"][0]["byStep"]["loss"]
    assert np.isnan(loss[6])
    np.testing.assert_allclose(np.delete(loss, 6), [3 / s for s in range(1, 11) if s != 7])
    assert told["runs"][0]["looks"].tolist() == list(LOOKS)
    assert told["runs"][0]["gradients"] == told["runs"][0]["entropy"] == []
    assert [one["layer"] for one in told["runs"][1]["gradients"]] == [-1, 0, 0]
    assert len(told["runs"][1]["entropy"]) == 3 * 2
    assert set(told["specs"]) == {"light", "dark"}
