"""The loop on a task small enough to follow by hand."""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.errors import ConfigError
from core.training.loop import DivergedError, LoopSettings, StepEvent, train
from core.training.optimisers import adamw
from core.training.schedules import Budget, Schedule
from core.training.state import RunState


@dataclass
class Points:
    x: Tensor
    y: Tensor

    @property
    def tokens(self) -> int:
        return len(self.x)


class Fit:
    """Find the plane that the points lie on; `factor(step)` distorts the loss."""

    name = "fit"

    def __init__(self, seed: int = 0) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.plane = torch.tensor([[1.0], [-2.0], [0.5]])
        self.steps: list[int] = []
        self.factors: dict[int, float] = {}

    def batch(self, step: int) -> Points:
        self.steps.append(step)
        x = torch.randn(10 + step % 2, 3, generator=self.generator)
        return Points(x, x @ self.plane)

    def shapes(self) -> list[Points]:
        raise AssertionError("asked for only to compile")

    def losses(
        self, model: nn.Module, batch: Points, counts: Mapping[str, Tensor] | None = None
    ) -> Mapping[str, Tensor]:
        squares = (model(batch.x) - batch.y).square().sum()
        squares = squares / (len(batch.x) if counts is None else counts["squares"])
        return {"loss": squares * self.factors.get(self.steps[-1], 1.0), "squares": squares}

    def counts(self, batch: Points) -> Mapping[str, Tensor]:
        return {"squares": torch.tensor(float(len(batch.x)))}


class Spy(torch.optim.SGD):
    """Plain descent that notes what it is given."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model.parameters(), lr=0.0)
        self.model = model
        self.norms: list[float] = []
        self.rates: list[float] = []

    def step(self, closure: Any = None) -> Any:
        gradients = [one.grad.flatten() for one in self.model.parameters() if one.grad is not None]
        self.norms.append(float(torch.cat(gradients).norm()))
        self.rates.append(self.param_groups[0]["lr"])
        return super().step(closure)


def plane() -> nn.Module:
    torch.manual_seed(0)
    return nn.Linear(3, 1).eval()


SETTINGS = LoopSettings(peak_rate=0.1, schedule=Schedule(warm_up=0.2), clip=1e9, report_every=3)


def test_events_come_in_their_rhythm_and_after_the_last_step() -> None:
    model, objective = plane(), Fit()
    events = list(train(model, objective, Spy(model), Budget(steps=7), SETTINGS))
    assert [event.step for event in events] == [3, 6, 7]
    assert objective.steps == list(range(7))
    assert [event.tokens for event in events] == [10 + 11 + 10, 63, 73]
    assert [event.progress for event in events] == pytest.approx([3 / 7, 6 / 7, 1.0])
    assert events[0].seconds <= events[1].seconds <= events[2].seconds
    assert all(event.losses.keys() == {"loss", "squares"} for event in events)
    assert model.training


def test_a_step_on_both_accounts_is_reported_once() -> None:
    model = plane()
    events = list(train(model, Fit(), Spy(model), Budget(steps=6), SETTINGS))
    assert [event.step for event in events] == [3, 6]


def test_the_rate_of_every_step_follows_the_schedule() -> None:
    model = plane()
    spy = Spy(model)
    events = list(train(model, Fit(), spy, Budget(steps=10), SETTINGS))
    expected = [0.0, 0.05, *(0.1 * (10 - step) / 8 for step in range(2, 10))]
    assert spy.rates == pytest.approx(expected)
    assert [event.rate for event in events] == [spy.rates[event.step - 1] for event in events]


def test_the_last_event_comes_however_the_clock_runs() -> None:
    class Ticking:
        now = 0.0

        def __call__(self) -> float:
            self.now += 0.3  # with every look, between any two lines
            return self.now

    for seconds in (1.0, 2.0, 3.1, 4.4, 5.0):
        model = plane()
        budget = Budget(seconds=seconds, clock=Ticking())
        settings = LoopSettings(peak_rate=0.1, report_every=1_000)
        events = list(train(model, Fit(), Spy(model), budget, settings))
        assert [event.progress for event in events] == [1.0]


def test_the_state_is_up_to_date_after_every_step_not_only_at_events() -> None:
    model, objective = plane(), Fit()
    state = RunState(step=4, tokens=100)
    objective.factors[8] = float("nan")
    with pytest.raises(DivergedError):
        list(train(model, objective, Spy(model), Budget(steps=9), SETTINGS, state))
    assert objective.steps == [4, 5, 6, 7, 8]
    assert state.step == 9
    assert state.tokens == 100 + 10 + 11 + 10 + 11 + 10


def test_asking_no_further_stops_and_leaves_the_model_usable() -> None:
    model, objective = plane(), Fit()
    events = train(model, objective, Spy(model), Budget(steps=1_000), SETTINGS)
    assert len(list(islice(events, 2))) == 2
    assert objective.steps == list(range(6)), "nothing runs ahead"
    assert all(one.grad is None for one in model.parameters())
    assert torch.isfinite(model(torch.ones(1, 3))).all()
    again = list(train(model, objective, Spy(model), Budget(steps=3), SETTINGS))
    assert again[-1].step == 3


def test_a_run_that_is_over_yields_nothing() -> None:
    model = plane()
    before = model(torch.ones(1, 3))
    assert list(train(model, Fit(), Spy(model), Budget(steps=5), SETTINGS, RunState(5))) == []
    assert torch.equal(model(torch.ones(1, 3)), before)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_stops_the_run(bad: float) -> None:
    model, objective = plane(), Fit()
    objective.factors[4] = bad
    with pytest.raises(DivergedError, match="step 6") as caught:  # noticed at the next event
        list(train(model, objective, Spy(model), Budget(steps=9), SETTINGS))
    assert caught.value.step == 6


def test_an_infinite_gradient_of_a_finite_loss_stops_the_run() -> None:
    class Root(Fit):
        def losses(
            self, model: nn.Module, batch: Points, counts: Mapping[str, Tensor] | None = None
        ) -> Mapping[str, Tensor]:
            return {"loss": (model(batch.x) * 0.0).abs().sqrt().sum()}

    model = plane()
    with pytest.raises(DivergedError, match="gradient"):
        list(train(model, Root(), Spy(model), Budget(steps=3), SETTINGS))


def test_gradients_are_clipped_to_the_norm_and_reported_as_they_were() -> None:
    def run(clip: float) -> tuple[list[StepEvent], Spy]:
        model = plane()
        spy = Spy(model)
        settings = LoopSettings(peak_rate=1e-6, clip=clip, report_every=1)
        return list(train(model, Fit(), spy, Budget(steps=5), settings)), spy

    free, unclipped = run(1e9)
    bound, clipped = run(0.01)
    norms = [event.gradient_norm for event in free]
    assert unclipped.norms == pytest.approx(norms)
    assert min(norms) > 0.5
    assert clipped.norms == pytest.approx([0.01] * 5, rel=1e-3)
    assert [event.gradient_norm for event in bound] == pytest.approx(norms, rel=1e-3)


class Joined(Fit):
    """Two batches of the task at once."""

    def batch(self, step: int) -> Points:
        one, two = super().batch(2 * step), super().batch(2 * step + 1)
        return Points(torch.cat([one.x, two.x]), torch.cat([one.y, two.y]))


def test_two_batches_of_a_step_are_one_batch_twice_as_large() -> None:
    def run(objective: Fit, accumulate: int) -> tuple[list[StepEvent], nn.Module]:
        model = plane()
        settings = LoopSettings(peak_rate=0.1, clip=1.0, report_every=1, accumulate=accumulate)
        return list(train(model, objective, adamw(model), Budget(steps=6), settings)), model

    one, many = Joined(), Fit()
    expected, whole = run(one, 1)
    found, added = run(many, 2)  # of 10 and 11 points: a mean of means would be another number
    assert many.steps == one.steps == list(range(12))
    assert [event.tokens for event in found] == [event.tokens for event in expected]
    for here, there in zip(found, expected, strict=True):
        assert here.losses == pytest.approx(there.losses, rel=1e-6)
        assert here.gradient_norm == pytest.approx(there.gradient_norm, rel=1e-6)
    for mine, other in zip(added.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-7)


def test_ctrl_c_within_a_step_waits_for_its_end() -> None:
    class Interrupted(Fit):
        def batch(self, step: int) -> Points:
            if step == 7:  # the second batch of the third step
                os.kill(os.getpid(), signal.SIGINT)
            return super().batch(step)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a shell begins without
    model, objective, state = plane(), Interrupted(), RunState()
    settings = LoopSettings(peak_rate=0.1, report_every=100, accumulate=3)
    with pytest.raises(KeyboardInterrupt):
        list(train(model, objective, adamw(model), Budget(steps=9), settings, state))
    assert state.step == 3
    assert objective.steps == list(range(9)), "all three batches of the step"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_loss_falls() -> None:
    model = plane()
    settings = LoopSettings(peak_rate=0.05, report_every=20)
    events = list(train(model, Fit(), adamw(model), Budget(steps=200), settings))
    assert events[-1].losses["loss"] < 0.01 * events[0].losses["loss"]


def test_bfloat16_keeps_the_weights_in_float32() -> None:
    seen = []

    class Noting(Fit):
        def losses(
            self, model: nn.Module, batch: Points, counts: Mapping[str, Tensor] | None = None
        ) -> Mapping[str, Tensor]:
            seen.append(model(batch.x).dtype)
            return super().losses(model, batch, counts)

    model = plane()
    settings = LoopSettings(peak_rate=0.1, half=True)
    list(train(model, Noting(), adamw(model), Budget(steps=2), settings))
    assert seen == [torch.bfloat16] * 2
    assert {one.dtype for one in model.parameters()} == {torch.float32}


def test_an_event_is_one_flat_json_object() -> None:
    event = StepEvent(3, {"loss": 1.5}, 0.1, 2.0, 30, 4.0, 0.5)
    assert event.as_json() == {
        "event": "step",
        "step": 3,
        "losses": {"loss": 1.5},
        "rate": 0.1,
        "gradient_norm": 2.0,
        "tokens": 30,
        "seconds": 4.0,
        "progress": 0.5,
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"peak_rate": 0.0}, "rate must be from 1e-12 to 100, not 0.0"),
        ({"peak_rate": -1.0}, "not -1.0"),
        ({"peak_rate": float("nan")}, "not nan"),
        ({"peak_rate": float("inf")}, "not inf"),
        ({"clip": 0.0}, "norm must be at least 1e-09, not 0.0"),
        ({"clip": float("nan")}, "not nan"),
        ({"report_every": 0}, "not 0"),
        ({"accumulate": 0}, "batches of a step must be from 1 to 10,000, not 0"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        LoopSettings(**{"peak_rate": 0.1, **changes})
