"""``train`` as a person runs it, on a model that takes a second."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from core.__main__ import BAD_INPUT, INTERRUPTED, main
from core.checkpoints import LoadPolicy, load_checkpoint
from core.objectives.bert_pretraining import BertPretraining

FIELDS = {"event", "step", "losses", "rate", "gradient_norm", "tokens", "seconds", "progress"}


class Train:
    """Runs the verb in this process; ``name`` is the folder of the run."""

    def __init__(
        self, start: Path, corpus: Path, folder: Path, captured: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._captured = captured
        self.options = {
            "--start": str(start),
            "--corpus": str(corpus),
            "--steps": "6",
            "--report-every": "2",
            "--batch-tokens": "640",
        }

    def __call__(self, name: str, *flags: str, objective: str = "mlm", **changes: str) -> int:
        options = {
            **self.options,
            "--run": str(self.folder / name),
            "--out": str(self.out(name)),
            **{f"--{key.replace('_', '-')}": value for key, value in changes.items()},
        }
        words = [word for pair in options.items() for word in pair if word]
        try:
            return main(["train", objective, *words, *flags])
        except SystemExit as error:  # argparse
            return int(str(error.code))

    def out(self, name: str) -> Path:
        return self.folder / f"{name}-checkpoint"

    def printed(self) -> tuple[str, str]:
        captured = self._captured.readouterr()
        return captured.out, captured.err

    def events(self, name: str) -> list[dict[str, Any]]:
        text = (self.folder / name / "events.jsonl").read_text(encoding="utf-8")
        assert text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]

    def weights(self, name: str) -> dict[str, torch.Tensor]:
        policy = LoadPolicy(roots=(self.folder,))
        return load_checkpoint(str(self.out(name)), device="cpu", policy=policy).model.state_dict()


@pytest.fixture
def train(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Train:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    return Train(tiny_checkpoint_folder, corpus_file, tmp_path, capsys)


def test_events_are_json_lines_and_the_last_is_printed(train: Train) -> None:
    assert train("run") == 0
    out, errors = train.printed()
    events = train.events("run")
    assert [event["step"] for event in events] == [2, 4, 6]
    assert all(event.keys() == FIELDS for event in events)
    assert json.loads(out) == events[-1]
    assert events[-1]["progress"] == 1.0
    assert len(errors.splitlines()) == 3
    assert errors.startswith("step 2  loss ")
    assert train.weights("run")


def test_stopping_and_resuming_is_one_run_with_one_file_of_events(train: Train) -> None:
    assert train("whole") == 0
    assert train("run", stop_after="0") == 0
    assert [event["step"] for event in train.events("run")] == [2]
    assert train("run", "--resume") == 0
    assert [event["step"] for event in train.events("run")] == [2, 4, 6]
    whole, resumed = train.weights("whole"), train.weights("run")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    train.printed()
    assert train("run", "--resume") == 0
    assert train.printed() == ("", ""), "it is over"


def test_a_fresh_run_begins_a_fresh_file_of_events(train: Train) -> None:
    for _ in range(2):
        assert train("run") == 0
    assert [event["step"] for event in train.events("run")] == [2, 4, 6]


def test_a_run_can_be_limited_by_seconds(train: Train) -> None:
    assert train("run", steps="", **{"--steps": ""}) == BAD_INPUT
    train.options.pop("--steps")
    assert train("run", seconds="0.5") == 0
    last = train.events("run")[-1]
    assert last["progress"] == 1.0
    assert 0.5 <= last["seconds"] < 20


def test_interrupting_saves_the_run(train: Train, monkeypatch: pytest.MonkeyPatch) -> None:
    real = BertPretraining.batch

    def batch(self: BertPretraining, step: int) -> Any:
        if step == 3:
            raise KeyboardInterrupt
        return real(self, step)

    with monkeypatch.context() as patch:
        patch.setattr(BertPretraining, "batch", batch)
        assert train("run") == INTERRUPTED
    assert train("run", "--resume") == 0
    assert train("whole") == 0
    whole, resumed = train.weights("whole"), train.weights("run")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"corpus": "/no/such/text.txt"}, "/no/such/text.txt: No such file"),
        ({"start": "no such model"}, "no such model"),
        ({"start": "../.."}, "is not a checkpoint"),
        ({"steps": "0"}, "steps must be from 1 to 1,000,000,000, not 0"),
        ({"steps": "-3"}, "1,000,000,000, not -3"),
        ({"steps": "many"}, "many"),
        ({"seconds": "5"}, "not allowed with"),
        ({"rate": "0"}, "learning rate must be from 1e-12 to 100, not 0.0"),
        ({"rate": "nan"}, "learning rate must be from 1e-12 to 100, not nan"),
        ({"warm_up": "1"}, "warm-up must be from 0 to 0.999999, not 1.0"),
        ({"clip": "-1"}, "norm must be at least 1e-09, not -1.0"),
        ({"batch_tokens": "-5"}, "tokens of a batch must be from 1"),
        ({"dropout": "1.5"}, "dropout must be from 0 to 0.999, not 1.5"),
        ({"weight_decay": "-1"}, "weight decay"),
        ({"report_every": "0"}, "between two events must be"),
        ({"save_every": "-1"}, "two savings must be from 0 to 1,000,000,000, not -1.0"),
        ({"stop_after": "-1"}, "a run stops must be from 0 to 1,000,000,000, not -1.0"),
        ({"seed": "-1"}, "a seed is a whole number"),
        ({"seed": "9" * 30}, "a seed is a whole number"),
        ({"objective": "bake"}, "bake"),
    ],
)
def test_bad_input_gets_one_plain_line(train: Train, changes: dict[str, str], said: str) -> None:
    assert train("run", **changes) == BAD_INPUT
    out, errors = train.printed()
    assert out == ""
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert said in errors
    assert not train.out("run").exists()


def test_too_small_a_corpus_and_nothing_to_resume(train: Train, tmp_path: Path) -> None:
    scrap = tmp_path / "scrap.txt"
    scrap.write_text("The cat sat.\n")
    assert train("run", corpus=str(scrap)) == BAD_INPUT
    assert "shorter than one input of 320 tokens" in train.printed()[1]
    scrap.write_text("\n")
    assert train("run", corpus=str(scrap)) == BAD_INPUT
    assert "holds no text" in train.printed()[1]
    assert train("run", "--resume") == BAD_INPUT
    assert "no saved run" in train.printed()[1]


def test_bad_input_leaves_an_earlier_run_alone(train: Train) -> None:
    assert train("run") == 0
    events = train.events("run")
    assert train("run", corpus="/no/such/text.txt") == BAD_INPUT
    assert train.events("run") == events
