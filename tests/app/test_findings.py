"""The page of the recorded runs without a browser."""

from dataclasses import replace
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.findings import standing
from app.sections.findings.standing import standing_of
from core.experiments.table import EXPERIMENTS, experiment_of
from tests.app.findings.test_findings_data import three_seeds

PAGE = "../pages/findings.py"


@pytest.fixture
def open_findings(open_page):
    def opened(query=None):
        page: AppTest = open_page(query)
        return page.switch_page(PAGE).run()

    return opened


@pytest.fixture
def with_losses(monkeypatch):
    """Let the page find these losses for batch sizes, and no other runs."""

    def told(losses):
        found = {
            name: standing_of(one, three_seeds(one, losses) if name == "batch-size" else [])
            for name, one in EXPERIMENTS.items()
        }
        monkeypatch.setattr(standing, "standings", lambda: tuple(found.values()))

    return told


def words_of(page):
    return "\n".join(str(block.proto.body) for block in page.get("html"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_finding_is_drawn(open_findings, name):
    page = open_findings({"finding": name})
    assert not page.exception
    assert page.title[0].value == "What training shows"
    assert experiment_of(name).source in words_of(page)


def test_what_is_no_finding_opens_the_first(open_findings):
    page = open_findings({"finding": "nonsense"})
    assert not page.exception
    assert experiment_of("warm-up").source in words_of(page)


@pytest.mark.parametrize(
    ("losses", "verdict", "title"),
    [
        ((2.0, 1.0, 1.0), "✓ reproduced: 2 of 2 parts hold", "What is different here"),
        ((1.0, 1.0, 1.0), "≈ not at this scale: 1 of 2 parts hold", "Why that may be"),
        ((1.0, 2.0, 2.0), "× contrary: 1 of 2 parts hold", "Why that may be"),
    ],
)
def test_the_verdict_on_the_page_follows_from_the_numbers(
    open_findings, with_losses, losses, verdict, title
):
    with_losses(losses)
    page = open_findings({"finding": "batch-size"})
    assert not page.exception
    assert verdict in words_of(page)
    assert title in words_of(page)
    # All of them still fell, from 2 to 1; only of a claim that failed is it a reason.
    said = "the held-out loss still fell by 1.00 with"
    assert (said in words_of(page)) == (title == "Why that may be")
    assert "not recorded yet: 6" in page.main.caption[0].value


def test_runs_that_had_come_to_rest_are_not_called_too_short(open_findings, monkeypatch):
    experiment = experiment_of("batch-size")
    runs = [
        replace(run, events={**run.events, "held_out_loss": [1.04, 1.0]}, jobs=seeds)
        for seeds, run in enumerate(three_seeds(experiment, (1.0, 1.0, 1.0)), start=1)
    ]
    monkeypatch.setattr(standing, "standings", lambda: (standing_of(experiment, runs),))
    words = words_of(open_findings({"finding": "batch-size"}))
    assert "no setting’s held-out loss fell by 0.05 or more" in words
    assert "9 runs side by side" in words
    # Above the pictures: where they come from.
    assert "Ours: 9 runs, seeds 0, 1, 2 · cpu, 1 thread · 3.0 to 3.0 s a run · commit " in words


def test_what_is_not_recorded_is_said_with_its_command(open_findings, with_losses):
    with_losses((1.0, 1.0, 1.0))
    page = open_findings({"finding": "averaging"})
    assert "– not recorded yet" in words_of(page)
    assert "python -m core experiments averaging" in words_of(page)


def test_a_damaged_file_is_said_in_words(open_findings, monkeypatch, tmp_path):
    (tmp_path / "warm-up.jsonl").write_text("{\n")
    monkeypatch.setattr(standing, "standings", partial(standing.standings, tmp_path))
    page = open_findings()
    assert not page.exception
    assert "Line 1 of" in page.error[0].value


def test_every_finding_has_a_scene():
    assert [scene.settings["finding"] for scene in scenes_of("findings")] == list(EXPERIMENTS)
