"""What the page of findings is made from: bands, standings, texts, and the lab's plans."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from app.figures.band_panels import Band, Panel, PanelWords, band_panels
from app.figures.theme import FigureTheme
from app.lab.plan import read_plan, write_plan
from app.sections.findings.bands import band_of, fall_at_end, first_norms_of
from app.sections.findings.picture import endings, panels_of, runs_of, values_of
from app.sections.findings.plans import smaller_plan
from app.sections.findings.published import PUBLISHED
from app.sections.findings.standing import State, standing_of, standings
from app.sections.findings.texts import WORDS
from app.sections.findings.words import setting_names, state_in_words, verdict_in_words
from core.experiments.record import COLUMNS, RecordedRun, append_run
from core.experiments.run import ExperimentRun, config_of, settings_of
from core.experiments.table import EXPERIMENTS, STEPS, Setting, experiment_of
from core.lab.tasks import TRAINED_PAIRS
from core.objectives.losses import IGNORED

NAMES = list(EXPERIMENTS)


def run_of(experiment, setting, seed=0, loss=1.0, values=(2.0, 1.0), **changes):
    events = {name: [10, 20] if name == "step" else list(values) for name in COLUMNS}
    norms = {"embedding": 1.0, "encoder.0": 2.0, "decoder.0": 3.0, "decoder.1": 4.0 + seed}
    config = config_of(settings_of(experiment, setting, seed), setting)
    told = (experiment.name, setting.name, seed, config, "cpu, 1 thread", "c" * 40, "2")
    measures = {"loss": loss, "averaged_loss": loss, "last_gradient": loss, "gradient_growth": loss}
    run = RecordedRun(*told, 3.0, 2.0, 1, "finished", events, norms, measures)
    return replace(run, **changes)


def three_seeds(experiment, losses):
    """Runs whose setting has this loss with every seed, by the setting's place."""
    return [
        run_of(experiment, setting, seed, loss)
        for setting, loss in zip(experiment.settings, losses, strict=True)
        for seed in range(3)
    ]


def test_a_band_reaches_from_the_least_seed_to_the_most():
    experiment = experiment_of("averaging")
    (setting,) = experiment.settings
    runs = [
        run_of(experiment, setting, 0, values=(3.0, 1.0)),
        run_of(experiment, setting, 1, values=(5.0, None)),
        run_of(experiment, setting, 2, values=(4.0, 2.0)),
    ]
    band = band_of(runs, "held_out_loss")
    np.testing.assert_array_equal(band.places, [10, 20])
    np.testing.assert_array_equal(band.middle, [4.0, 1.5])
    np.testing.assert_array_equal(band.low, [3.0, 1.0])
    np.testing.assert_array_equal(band.high, [5.0, 2.0])


def test_what_diverged_has_no_part_in_later_steps_and_nothing_is_no_number():
    experiment = experiment_of("averaging")
    (setting,) = experiment.settings
    events = {name: [10] if name == "step" else [None] for name in COLUMNS}
    gone = run_of(experiment, setting, 1, events=events, reason="diverged")
    band = band_of([run_of(experiment, setting), gone], "loss")
    np.testing.assert_array_equal(band.middle, [2.0, 1.0])
    alone = band_of([gone], "loss")
    assert np.isnan(alone.middle).all()
    assert len(band_of([], "loss").places) == 0


def test_first_norms_are_drawn_over_layers():
    experiment = experiment_of("averaging")
    (setting,) = experiment.settings
    runs = [run_of(experiment, setting, seed) for seed in range(3)]
    band = first_norms_of(runs, "decoder")
    np.testing.assert_array_equal(band.places, [0, 1])
    np.testing.assert_array_equal(band.middle, [3, 5])
    np.testing.assert_array_equal(band.high, [3, 6])
    with pytest.raises(ValueError, match="no middle"):
        first_norms_of(runs, "middle")


@pytest.mark.parametrize(
    ("losses", "state"),
    [
        ((2.0, 1.0, 1.0), State.REPRODUCED),
        ((1.0, 2.0, 2.0), State.CONTRARY),  # the larger batch is worse
        ((1.0, 1.0, 1.0), State.NOT_HERE),
        ((2.0, 1.0, 1.2), State.CONTRARY),  # worse again with the largest
    ],
)
def test_the_state_follows_from_the_numbers_alone(losses, state):
    experiment = experiment_of("batch-size")
    standing = standing_of(experiment, three_seeds(experiment, losses))
    assert standing.state is state
    assert state_in_words(state) in verdict_in_words(standing)


def test_without_three_seeds_there_is_no_verdict():
    experiment = experiment_of("batch-size")
    runs = three_seeds(experiment, (2.0, 1.0, 1.0))
    assert standing_of(experiment, runs[:-1]).state is State.UNDECIDED
    assert standing_of(experiment, []).state is State.UNRECORDED


def test_a_file_that_has_grown_is_read_again(tmp_path):
    experiment = experiment_of("averaging")
    (setting,) = experiment.settings
    before = {one.experiment.name: one.state for one in standings(tmp_path)}
    assert set(before) == set(NAMES)
    assert set(before.values()) == {State.UNRECORDED}
    for seed in range(3):
        append_run(tmp_path / "averaging.jsonl", run_of(experiment, setting, seed))
    after = {one.experiment.name: one.state for one in standings(tmp_path)}
    assert after["averaging"] is State.NOT_HERE


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_has_its_words_figures_and_plan(name):
    experiment = experiment_of(name)
    words, published = WORDS[name], PUBLISHED[name]
    assert words.claim.endswith(".")
    assert published.figures
    assert all(one.where for one in published.figures)
    # No text says how it came out: the rule does.
    for text in (words.claim, words.differs, words.smaller):
        assert not re.search(r"reproduc|contrary|confirm|refut", text, re.IGNORECASE)
    names = setting_names(experiment)
    assert len(set(names.values())) == len(experiment.settings)
    plan = smaller_plan(experiment)
    assert plan.runs()
    assert read_plan(write_plan(plan)).runs() == plan.runs()


@pytest.mark.parametrize("name", NAMES)
def test_every_finding_is_drawn_from_its_runs(name):
    experiment = experiment_of(name)
    runs = three_seeds(experiment, [1.0] * len(experiment.settings))
    standing = standing_of(experiment, runs)
    panels = panels_of(standing, runs_of(standing))
    assert panels
    for panel in panels:
        assert len(panel.bands) == len(experiment.settings)
    # A setting without a run has neither a row nor a line.
    fewer = standing_of(experiment, runs[:3])
    assert len(runs_of(fewer)) == 1
    assert endings(fewer, runs_of(fewer)).count("<tr>") == 2
    assert {len(panel.bands) for panel in panels_of(fewer, runs_of(fewer))} == {1}


def test_what_no_run_has_measured_has_no_panel_and_strange_settings_their_own_names():
    plain = experiment_of("learning-rate")
    strange = replace(plain, settings=(Setting("masks"), Setting("no masks", averaged=2)))
    assert set(setting_names(strange).values()) == {"masks", "no masks"}
    runs = [
        replace(run, events={**run.events, "accuracy": [None, None]})
        for run in three_seeds(plain, [1.0] * 4)
    ]
    standing = standing_of(plain, runs)
    titles = [panel.title for panel in panels_of(standing, runs_of(standing))]
    assert "learning rate" in titles
    assert "held-out tokens right" not in titles


def band(*middle, spread=0.0):
    values = np.array(middle, np.float32)
    places = np.arange(10, 10 * len(middle) + 1, 10, dtype=np.float32)
    return Band(places, values, values - spread, values + spread)


BANDS = PanelWords("{middle} ({low} to {high})", "all", "loss", "steps to", "never")
LOSSES = Panel("loss", "step", (band(4, 2, 1, spread=0.5), band(5, 4, 3)), logarithmic=True)


def drawn(*panels, to_a_loss=False):
    chart = band_panels(["a", "b"], panels, BANDS, FigureTheme(), to_a_loss=to_a_loss)
    return chart.to_dict()


def test_a_panel_draws_every_band_and_tells_it_exactly():
    spec = drawn(LOSSES)
    area, line, targets = spec["vconcat"][0]["layer"]
    rows = line["data"]["values"]
    assert [row["middle"] for row in rows if row["setting"] == "a"] == [4, 2, 1]
    assert (rows[0]["low"], rows[0]["high"]) == (3.5, 4.5)
    assert area["encoding"]["y2"]["field"] == "high"
    told = targets["data"]["values"]
    assert told[0]["said0"] == "4 (3.5 to 4.5)"
    assert told[0]["said1"] == "5"  # one seed, or all alike
    assert [(one["from"], one["till"]) for one in told] == [(10, 15), (15, 25), (25, 30)]


def test_a_wanted_loss_lies_within_reach_and_its_steps_are_counted_in_the_browser():
    spec = drawn(LOSSES, to_a_loss=True)
    wanted = next(one for one in spec["params"] if one["name"] == "wanted")
    assert wanted["bind"]["min"] <= wanted["value"] <= wanted["bind"]["max"]
    assert wanted["value"] == pytest.approx(2)  # the median of 1 and 3
    bars = spec["vconcat"][1]["layer"][0]
    assert "wanted" in bars["transform"][0]["calculate"]


def test_panels_with_missing_bands_are_refused():
    with pytest.raises(ValueError, match="bands"):
        drawn(Panel("loss", "step", (band(1),)))


def test_the_table_holds_what_is_drawn_in_the_digits_that_were_recorded():
    gone = Band(*(np.array([10, 20], np.float32), *[np.array([0.1, np.nan], np.float32)] * 3))
    table = values_of(["a", "b"], [Panel("loss", "step", (gone, None))])
    assert list(zip(*table.values(), strict=True)) == [("loss", "a", 10.0, 0.1, 0.1, 0.1)]


def test_how_far_the_loss_still_fell_at_the_end_is_the_median_of_the_seeds():
    experiment = experiment_of("batch-size")
    setting = experiment.settings[0]

    def ending(seed, *losses, **changes):
        return run_of(experiment, setting, seed, values=losses, **changes)

    runs = [ending(0, 2.0, 1.9), ending(1, 2.0, 1.5), ending(2, 2.0, 2.5)]
    assert fall_at_end(runs) == pytest.approx(0.1)
    # By the share of the steps, and without what never came to an end.
    assert math.isnan(fall_at_end(runs, share=0.6))
    broken = ending(3, 2.0, None, reason="diverged")
    assert fall_at_end([runs[1], broken]) == pytest.approx(0.5)
    assert math.isnan(fall_at_end([broken]))


def test_the_lab_of_the_recorded_plan_is_smaller():
    for name in NAMES:
        recorded = settings_of(experiment_of(name), experiment_of(name).settings[0], 0)
        base = smaller_plan(experiment_of(name)).base
        assert base.task is recorded.task
        assert base.steps < recorded.steps or name == "first-gradients"


def test_what_is_said_of_radam_is_its_formula():
    """Liu et al. 2020, section 4: the rectification, at the second beta of torch's RAdam."""
    beta, text = 0.999, WORDS["warm-up"].differs
    longest = 2 / (1 - beta) - 1

    def factor(step):
        power = beta**step
        now = longest - 2 * step * power / (1 - power)
        if now <= 5:
            return 0.0
        ratio = (now - 4) * (now - 2) * longest / ((longest - 4) * (longest - 2) * now)
        return math.sqrt(ratio)

    for step in (100, STEPS, 5_000):
        assert f"{factor(step):.2f} at step {step:,}" in text.replace("only ", "")
    most = max(factor(step) * (1 - step / STEPS) for step in range(1, STEPS))
    assert f"never above {math.ceil(100 * most) / 100:.2f} of the peak" in text


def test_what_is_said_of_the_length_of_runs_is_theirs():
    batch = max(one.lab["batch"] for one in experiment_of("batch-size").settings)
    reads = STEPS * batch / TRAINED_PAIRS
    assert f"{STEPS:,} steps of {batch} read each {reads:.0f} times" in WORDS["batch-size"].differs
    for name in ("warm-up", "learning-rate"):
        assert WORDS[name].differs.startswith(f"{STEPS:,} steps")
    assert f"the last 160 of {STEPS:,} steps" in WORDS["averaging"].differs


@pytest.mark.parametrize("depth", [2, 8])
def test_what_is_said_of_the_first_pre_norm_loss_is_measured(depth):
    experiment = experiment_of("first-gradients")
    setting = next(one for one in experiment.settings if one.name == f"pre-norm, {depth} layers")
    run = ExperimentRun(setting, settings_of(experiment, setting, 0), "cpu")
    batch = run.held_out
    assert run._held_out()[0] == pytest.approx(60, abs=4)
    with torch.no_grad():
        memory = run.model.encode(batch.source, batch.source_keep)
        states = run.model.decode(batch.inputs, memory, memory_keep=batch.source_keep)
        guesses = run.model.score_words(states).argmax(-1)
    seen = batch.labels != IGNORED
    assert (guesses == batch.inputs)[seen].all()
