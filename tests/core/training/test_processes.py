"""Two processes train as one that reads all their batches."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from core.__main__ import main
from core.checkpoints import LoadPolicy, load_checkpoint
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.hidden_words import PretrainingBatch
from core.training.processes import Processes, joined, processes
from tests.conftest import ROOT, free_port

STEPS = 5


def command(start: Path, corpus: Path, folder: Path, name: str, *flags: str) -> list[str]:
    options = {
        "--start": str(start),
        "--data": str(corpus),
        "--run": str(folder / name),
        "--out": str(folder / f"{name}-checkpoint"),
        "--steps": str(STEPS),
        "--report-every": "1",
        "--batch-tokens": "640",
        "--lr": "1e-2",
        "--device": "cpu",
    }
    return ["train", "mlm", *(word for pair in options.items() for word in pair), *flags]


def start_two(words: list[str]) -> list[subprocess.Popen[str]]:
    """As torchrun does, without what it takes itself to start."""
    shared = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
    }
    return [
        subprocess.Popen(
            [sys.executable, "-m", "core", *words],
            cwd=ROOT,
            env={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]


def finish(both: list[subprocess.Popen[str]]) -> list[str]:
    """What each has printed."""
    results = [one.communicate(timeout=240) for one in both]
    for one, (_, errors) in zip(both, results, strict=True):
        assert one.returncode == 0, errors
    return [out for out, _ in results]


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    policy = LoadPolicy(roots=(folder,))
    return load_checkpoint(str(folder), device="cpu", policy=policy).model.state_dict()


def test_without_torchrun_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    with joined() as device:
        assert device == torch.device("cpu")
        assert processes() == Processes(rank=0, count=1)
        assert processes().first
        with processes().first_goes_ahead():
            assert processes().agree(3.5, device) == 3.5


def test_two_processes_have_the_losses_of_one(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = BertPretraining.counts
    counts: list[float] = []

    def noted(self: BertPretraining, batch: PretrainingBatch) -> dict[str, torch.Tensor]:
        of_batch = real(self, batch)
        counts.append(float(of_batch["masked"]))
        return of_batch

    monkeypatch.setattr(BertPretraining, "counts", noted)

    def words(name: str, *flags: str) -> list[str]:
        return command(tiny_checkpoint_folder, corpus_file, tmp_path, name, *flags)

    # Two processes with two batches each: also the batches between which nothing is exchanged.
    both = start_two(words("two", "--accumulate", "2"))
    assert main(words("one", "--accumulate", "4")) == 0
    printed = finish(both)
    shares = [(counts[n] + counts[n + 2], counts[n + 1] + counts[n + 3]) for n in range(0, 20, 4)]
    assert any(first != second for first, second in shares), "of the two processes, step by step"
    one, two = events(tmp_path / "one"), events(tmp_path / "two")
    assert [event["step"] for event in two] == list(range(1, STEPS + 1)), "only one process writes"
    assert (json.loads(printed[0]), printed[1]) == (two[-1], "")
    for here, there in zip(two, one, strict=True):
        assert here["losses"] == pytest.approx(there["losses"], rel=1e-5)
        assert here["gradient_norm"] == pytest.approx(there["gradient_norm"], rel=1e-5)
        assert here["tokens"] == there["tokens"] == here["step"] * 4 * 640
    expected = weights(tmp_path / "one-checkpoint")
    for name, value in weights(tmp_path / "two-checkpoint").items():
        torch.testing.assert_close(value, expected[name], rtol=1e-3, atol=1e-4)  # float16


def test_two_processes_learn_labelled_tasks_as_one(
    tiny_checkpoint_folder: Path, tmp_path: Path
) -> None:
    lines = {
        "mood:single": "the cat sat\t0\nthe mat\t1\nopen\t2\n" * 3,
        "order:pair": "the cat\tsat\t1\nthe street\twas open\t0\n",
        "answers:ranking": "the cat\tsat\twas open\tthe mat\nthe street\twas open\tsat\n",
    }
    tasks: list[str] = []
    for task, text in lines.items():
        path = tmp_path / f"{task.replace(':', '-')}.tsv"
        path.write_text(text)
        tasks += ["--task", f"{task}:{path}"]

    def words(name: str, accumulate: int) -> list[str]:
        options = {
            "--start": tiny_checkpoint_folder,
            "--run": tmp_path / name,
            "--out": tmp_path / f"{name}-checkpoint",
            "--steps": STEPS,
            "--report-every": 1,
            "--batch-tokens": 8,
            "--lr": "1e-2",
            "--device": "cpu",
            "--accumulate": accumulate,
        }
        return ["train", "multitask", *tasks, *(str(w) for pair in options.items() for w in pair)]

    both = start_two(words("two", 2))
    assert main(words("one", 4)) == 0
    finish(both)
    # A head may rest in a whole step, in one process, or in the batch that gradients go with.
    steps = list(zip(events(tmp_path / "two"), events(tmp_path / "one"), strict=True))
    assert any(len(there["losses"]) < 1 + len(lines) for _, there in steps)
    for here, there in steps:
        assert here["losses"] == pytest.approx(there["losses"], rel=1e-4)
        assert here["gradient_norm"] == pytest.approx(there["gradient_norm"], rel=1e-4)
        assert here["tokens"] == there["tokens"]
    expected = weights(tmp_path / "one-checkpoint")
    for name, value in weights(tmp_path / "two-checkpoint").items():
        torch.testing.assert_close(value, expected[name], rtol=1e-3, atol=1e-4)  # float16
