"""The mean of the last savings."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.training.averages import Averages, mean_of
from core.training.loop import LoopSettings
from core.training.plan import Pretraining
from core.training.pretrain import pretrain
from core.training.state import ResumeError


def numbered(value: float) -> nn.Linear:
    model = nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(value)
    return model


def averaged(averages: Averages, value: float, step: int) -> float:
    model = numbered(value)
    with averages.including(model, step) as mean:
        found = {float(one) for value in mean.state_dict().values() for one in value.flatten()}
    assert model.weight[0, 0].item() == value, "the model itself goes on as it was"
    assert len(found) == 1
    return found.pop()


def test_the_mean_is_that_of_the_last_ones_and_only_these_are_kept(tmp_path: Path) -> None:
    averages = Averages(tmp_path, 3)
    found = [averaged(averages, value, step) for step, value in enumerate([1, 3, 8, 16, 0])]
    assert found == [1.0, 2.0, 4.0, 9.0, 8.0]
    assert len(list(tmp_path.iterdir())) == 3
    assert averaged(Averages(tmp_path, 3), 2.0, 9) == 6.0, "also in another process"


def test_a_step_that_is_saved_again_counts_once(tmp_path: Path) -> None:
    averages = Averages(tmp_path, 3)
    averaged(averages, 2.0, 4)
    averaged(averages, 100.0, 6)
    assert averaged(averages, 4.0, 6) == 3.0


def test_one_saving_is_no_mean_and_leaves_no_file(tmp_path: Path) -> None:
    model = numbered(1.0)
    with Averages(tmp_path, 1).including(model, 1) as mean:
        assert mean is model
    assert not list(tmp_path.iterdir())


def test_many_small_numbers_are_added_up_exactly() -> None:
    states = [{"weight": torch.tensor([1e8 + 8 * n, 1.0])} for n in range(5)]
    assert mean_of(states)["weight"].tolist() == [1e8 + 16, 1.0]


def test_a_refused_checkpoint_adds_nothing_and_a_damaged_one_is_said(tmp_path: Path) -> None:
    averages = Averages(tmp_path, 2)
    with pytest.raises(ValueError, match="refused"), averages.including(numbered(1.0), 1):
        raise ValueError("refused")
    assert not list(tmp_path.iterdir())
    (tmp_path / "weights-000000000001.safetensors").write_bytes(b"nothing")
    with pytest.raises(ResumeError, match="damaged"), averages.including(numbered(1.0), 2):
        pass


def test_a_run_exports_the_mean_of_its_savings(
    tiny_checkpoint: Checkpoint, corpus_file: Path, tmp_path: Path
) -> None:
    def run(name: str, **changes: Any) -> dict[str, torch.Tensor]:
        plan = Pretraining(
            corpus=[corpus_file],
            folder=tmp_path / name,
            out=tmp_path / f"{name}-checkpoint",
            seconds=None,
            batch_tokens=640,
            settings=LoopSettings(peak_rate=1e-2, report_every=1),
            **{"steps": 6, **changes},
        )
        list(pretrain(tiny_checkpoint, plan))
        policy = LoadPolicy(roots=(tmp_path,))
        return load_checkpoint(str(plan.out), device="cpu", policy=policy).model.state_dict()

    mean = run("mean", average=2, save_steps=3)
    kept = sorted((tmp_path / "mean").glob("weights-*"))
    assert [path.name for path in kept] == [f"weights-{step:012d}.safetensors" for step in (3, 6)]
    last = run("last")
    three, six = (load_file(path) for path in kept)
    for name, value in mean.items():
        torch.testing.assert_close(six[name].half().float(), last[name])
        torch.testing.assert_close(value, ((three[name] + six[name]) / 2).half().float())
    run("mean", average=2, steps=3)
    kept = sorted((tmp_path / "mean").glob("weights-*"))
    assert [path.name for path in kept] == ["weights-000000000003.safetensors"], "a fresh run"
