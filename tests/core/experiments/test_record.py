"""Recorded runs come back from their lines as they were written."""

import json
import math
import subprocess
from dataclasses import replace

import pytest

from core.experiments.record import (
    COLUMNS,
    RecordedRun,
    RecordError,
    append_run,
    commit_of,
    losses_of,
    read_runs,
)


def a_run(**changes):
    columns = {name: [1, 2] if name == "step" else [0.5, None] for name in COLUMNS}
    run = RecordedRun(
        experiment="warm-up",
        setting="one",
        seed=0,
        config={"task": "numbers", "longest": None},
        device="cpu",
        commit="0" * 40,
        torch="2.11",
        wall_seconds=1.5,
        processor_seconds=1.25,
        jobs=4,
        reason="finished",
        events=columns,
        first_norms={"embedding": 0.25},
        measures={"loss": 0.125},
    )
    return replace(run, **changes)


def test_a_run_comes_back_as_it_was(tmp_path):
    path = tmp_path / "deeper" / "runs.jsonl"
    runs = [a_run(), a_run(seed=1, setting="zwei — два")]
    assert read_runs(path) == []
    for run in runs:
        append_run(path, run)
    assert read_runs(path) == runs
    assert [run.identity for run in read_runs(path)] == [run.identity for run in runs]


def test_numbers_are_short_and_json_without_exceptions():
    run = a_run(events={name: [1 / 3, math.inf] for name in COLUMNS}, measures={"loss": math.nan})
    values = json.loads(run.as_line(), parse_constant=lambda word: pytest.fail(word))
    assert values["events"]["loss"] == [0.33333, None]
    assert values["measures"] == {"loss": None}
    assert values["config"] == {"task": "numbers", "longest": None}


def test_a_diverged_run_has_an_infinite_loss():
    assert a_run().loss() == 0.125
    assert a_run(reason="diverged").loss() == math.inf
    assert a_run(measures={"loss": None}).loss() == math.inf
    runs = [a_run(seed=1), a_run(seed=0, reason="diverged"), a_run(setting="other")]
    assert losses_of(runs, "one", "loss") == [math.inf, 0.125]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        '{"version":1}',
        '{"version":2}',
        "{",
        a_run().as_line().replace(":1,", ":9,"),
    ],
)
def test_a_line_that_is_no_run_is_refused_with_its_number(tmp_path, line):
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{a_run().as_line()}\n{line}\n")
    with pytest.raises(RecordError, match="line 2 of"):
        read_runs(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"events": {}}, "have the columns"),
        ({"events": {name: [1] * len(name) for name in COLUMNS}}, "differ in length"),
        ({"reason": "tired"}, "not 'tired'"),
    ],
)
def test_runs_that_make_no_sense_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        a_run(**changes)


def test_the_commit_says_whether_files_differ_from_it(tmp_path):
    def git(*words):
        told = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(told, cwd=tmp_path, check=True, capture_output=True)

    assert commit_of(tmp_path) == ""
    git("init")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-m", "one")
    clean = commit_of(tmp_path)
    assert len(clean) == 40
    (tmp_path / "file").write_text("two")
    assert commit_of(tmp_path) == f"{clean}+"
