"""The chart of a training's log, and the card of it on the page of a model."""

import json

import numpy as np
import pytest

from app.figures.theme import FigureTheme
from app.figures.training_log import MOST_TARGETS, LogWords, counted_on, training_log
from app.sections.model.training import RUNS
from core.checkpoints import bundled
from core.training.loop import StepEvent

WORDS = LogWords("step", "loss, nats", "rate", "warm-up", "norm", "all")


def log_of(count=4, **changes):
    given = {
        "steps": list(range(10, 10 * count + 1, 10)),
        "losses": {"masked": [2.0] * count, "pairs": [None, *[1.0] * (count - 1)]},
        "rates": [0.1, 0.2, *[0.1] * (count - 2)],
        "gradient_norms": [1.0] * count,
    } | changes
    return training_log(**given, words=WORDS, theme=FigureTheme()).to_dict()


def panels(spec):
    return [[layer["data"]["values"] for layer in one["layer"]] for one in spec["vconcat"][:3]]


def test_steps_of_runs_that_count_from_one_are_counted_on():
    places, runs = counted_on([10, 20, 5, 10, 5])
    np.testing.assert_array_equal(places, [10, 20, 25, 30, 35])
    np.testing.assert_array_equal(runs, [0, 0, 1, 1, 2])


def test_every_panel_has_the_recorded_values_and_the_same_axis():
    spec = log_of()
    loss, rate, norm = panels(spec)
    assert [row["step"] for row in loss[0]] == [10, 20, 30, 40]
    assert [row["loss1"] for row in loss[0]] == [None, 1.0, 1.0, 1.0]
    assert [row["rate"] for row in rate[1]] == [0.1, 0.2, 0.1, 0.1]
    assert [row["norm"] for row in norm[0]] == [1.0] * 4
    scales = [
        layer["encoding"]["x"]["scale"] for one in spec["vconcat"][:3] for layer in one["layer"]
    ]
    assert all(scale["domain"] == {"param": "zoom"} for scale in scales)


def test_the_warm_up_of_each_run_is_shaded_until_its_peak():
    spec = log_of(steps=[10, 20, 10, 20], rates=[0.1, 0.2, 0.3, 0.1])
    _loss, rate, _norm = panels(spec)
    assert rate[0] == [{"step": 0, "till": 20}, {"step": 20, "till": 30}]


def test_the_pointer_meets_all_of_a_short_log_and_so_many_of_a_long_one():
    assert [row["till"] for row in panels(log_of())[2][-1]] == [15, 25, 35, 40]
    targets = panels(log_of(2 * MOST_TARGETS + 1))[2][-1]
    assert MOST_TARGETS / 2 < len(targets) <= MOST_TARGETS
    assert targets[0]["till"] == targets[1]["from"]


def test_one_part_has_no_legend_and_several_have_colours_and_dashes():
    one = log_of(losses={"next": [1.0] * 4})["vconcat"][0]["layer"][0]["encoding"]
    assert one["color"]["legend"] is None
    two = log_of()["vconcat"][0]["layer"][0]["encoding"]
    for channel in ("color", "strokeDash"):
        assert two[channel]["legend"] is not None
        looks = [str(look) for look in two[channel]["scale"]["range"]]
        assert len(set(looks)) == 2


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match=r"\[3, 4\]"):
        log_of(rates=[0.1] * 3)


@pytest.mark.parametrize("name", [one.name for one in bundled()])
def test_every_bundled_model_shows_the_log_of_its_own_training(open_page, shown, name):
    page = open_page({"model": name}).switch_page("../pages/model.py").run()
    assert not page.exception
    path = RUNS / f"{name}.jsonl"
    assert bool(page.get("vega_lite_chart")) == path.exists()
    if not path.exists():
        assert name == "electra-generator"  # trained with the discriminator, in its log
        return
    told = shown(page, "training-values")
    cells = dict(zip(told["columns"], told["cells"], strict=True))
    events = StepEvent.read_file(path)
    assert cells["learning rate"] == [event.rate for event in events]
    assert cells["gradient norm"] == [event.gradient_norm for event in events]
    parts = {part for event in events for part in event.losses} - {"loss"}
    columns = [column for heading, column in cells.items() if heading.endswith(", nats")]
    assert len(columns) >= len(parts)
    recorded = {value for event in events for value in event.losses.values()}
    assert {value for column in columns for value in column if value} <= recorded


def test_a_log_is_read_as_it_is_written(tmp_path):
    event = StepEvent(3, {"loss": 2.5, "masked": 2.5}, 1e-3, 0.7, 4096, 1.5, 0.25)
    path = tmp_path / "events.jsonl"
    path.write_text(f"{json.dumps(event.as_json())}\n" * 2)
    assert StepEvent.read_file(path) == [event, event]
