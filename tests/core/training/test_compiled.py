"""The compiled step: the same run, faster. On a GPU in bfloat16 too."""

from pathlib import Path

import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.training.loop import LoopSettings, StepEvent
from core.training.plan import Pretraining
from core.training.pretrain import pretrain

STEPS = 12  # a long input comes among the first ones


def run(
    start: Checkpoint, corpus: Path, folder: Path, *, compiled: bool, half: bool
) -> list[StepEvent]:
    plan = Pretraining(
        corpus=[corpus],
        folder=folder,
        out=folder / "checkpoint",
        steps=STEPS,
        seconds=None,
        batch_tokens=640,
        settings=LoopSettings(peak_rate=1e-3, report_every=1, compiled=compiled, half=half),
    )
    return list(pretrain(start, plan))


def losses(events: list[StepEvent]) -> list[float]:
    return [event.losses["loss"] for event in events]


@pytest.mark.slow
def test_compiling_changes_no_batch_and_no_loss(
    tiny_checkpoint: Checkpoint, corpus_file: Path, tmp_path: Path
) -> None:
    plain = run(tiny_checkpoint, corpus_file, tmp_path / "plain", compiled=False, half=False)
    compiled = run(tiny_checkpoint, corpus_file, tmp_path / "fast", compiled=True, half=False)
    assert [event.tokens for event in compiled] == [event.tokens for event in plain]
    assert losses(compiled) == pytest.approx(losses(plain), rel=1e-3)


@pytest.mark.gpu
def test_a_gpu_trains_compiled_in_bfloat16_and_resumes(
    tiny_checkpoint_folder: Path, corpus_file: Path, tmp_path: Path
) -> None:
    policy = LoadPolicy(roots=(tiny_checkpoint_folder,))
    start = load_checkpoint(str(tiny_checkpoint_folder), device="cuda", policy=policy)
    plain = run(start, corpus_file, tmp_path / "plain", compiled=False, half=False)
    fast = run(start, corpus_file, tmp_path / "fast", compiled=True, half=True)
    assert losses(fast) == pytest.approx(losses(plain), rel=0.05)

    settings = LoopSettings(peak_rate=1e-3, report_every=1, compiled=True, half=True)
    folder = tmp_path / "resumed"
    steps: list[StepEvent] = []
    for stop_after, resume in ((0.0, False), (None, True)):
        plan = Pretraining(
            corpus=[corpus_file],
            folder=folder,
            out=folder / "checkpoint",
            steps=STEPS,
            seconds=None,
            stop_after=stop_after,
            resume=resume,
            batch_tokens=640,
            settings=settings,
        )
        steps += pretrain(start, plan)
    assert [event.step for event in steps] == [event.step for event in fast]
    # Not bit for bit: a GPU adds up in an order of its own.
    assert losses(steps) == pytest.approx(losses(fast), rel=0.02)
    exported = load_checkpoint(
        str(folder / "checkpoint"), device="cuda", policy=LoadPolicy(roots=(folder,))
    )
    assert all(torch.isfinite(one).all() for one in exported.model.parameters())
