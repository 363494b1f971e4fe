"""The one training loop: yields events and takes no callbacks.

Whoever consumes the events (a page, the command line, a test) stops the run by not asking for
the next one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from core.errors import ConfigError, HeadlightError
from core.training.optimisers import set_rate
from core.training.schedules import Budget, Schedule
from core.training.state import RunState

_Model = TypeVar("_Model", bound=nn.Module, contravariant=True)


class SizedBatch(Protocol):
    """What the loop needs to know of a batch."""

    @property
    def tokens(self) -> int:
        """Tokens the model reads."""
        ...


_Batch = TypeVar("_Batch", bound=SizedBatch)


class Objective(Protocol[_Model, _Batch]):
    """What a model is trained to do."""

    name: str

    def batch(self, step: int) -> _Batch:
        """The batch of a step."""
        ...

    def shapes(self) -> Iterable[_Batch]:
        """One batch of every shape that will come, to compile for; changes no later batch."""
        ...

    def losses(self, model: _Model, batch: _Batch) -> Mapping[str, Tensor]:
        """Scalar losses by name; ``loss`` is the one to minimise."""
        ...


class DivergedError(HeadlightError):
    """The loss or its gradient is no longer a number."""

    def __init__(self, step: int) -> None:
        super().__init__(
            f"the loss or its gradient is not a finite number at step {step};"
            " lower the learning rate"
        )
        self.step = step


@dataclass(frozen=True)
class StepEvent:
    """What happened at one step.

    Attributes:
        step: counted from 1.
        losses: by name, in nats.
        rate: learning rate of this step.
        gradient_norm: over all parameters, before clipping.
        tokens: read so far in this run.
        seconds: of training so far.
        progress: share of the run that is over.
    """

    step: int
    losses: dict[str, float]
    rate: float
    gradient_norm: float
    tokens: int
    seconds: float
    progress: float

    def as_json(self) -> dict[str, Any]:
        """Plain values for one line of an event file."""
        return {"event": "step", **asdict(self)}


@dataclass(frozen=True)
class LoopSettings:
    """How to train.

    Attributes:
        peak_rate: highest learning rate.
        schedule: how the rate rises to it and falls.
        clip: largest gradient norm.
        report_every: steps between two events.
        compiled: whether to compile the step.
        half: whether to compute in bfloat16 where that is safe.
    """

    peak_rate: float
    schedule: Schedule = field(default_factory=Schedule)
    clip: float = 1.0
    report_every: int = 50
    compiled: bool = False
    half: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.peak_rate < math.inf:
            raise ConfigError(f"the learning rate must be more than 0, not {self.peak_rate}")
        if not self.clip > 0.0:
            raise ConfigError(f"the largest gradient norm must be more than 0, not {self.clip}")
        if self.report_every < 1:
            raise ConfigError(f"an event comes every 1 step or more, not {self.report_every}")


def train(
    model: _Model,
    objective: Objective[_Model, _Batch],
    optimiser: torch.optim.Optimizer,
    budget: Budget,
    settings: LoopSettings,
    state: RunState | None = None,
) -> Iterator[StepEvent]:
    """Train until the budget is spent, yielding an event every few steps and after the last.

    Args:
        model: in training mode afterwards.
        objective: batches and losses.
        optimiser: over the model's parameters; its rate is set here.
        budget: steps or seconds.
        settings: how to train.
        state: where the run stands, kept up to date with every step; ``None`` for a fresh run.

    Raises:
        DivergedError: the loss or its gradient became infinite or not a number.
    """
    state = RunState() if state is None else state
    model.train()
    parameters = [one for one in model.parameters() if one.requires_grad]
    device = parameters[0].device
    losses_of: Callable[[_Model, _Batch], Mapping[str, Tensor]] = objective.losses
    if settings.compiled:
        losses_of = torch.compile(losses_of, dynamic=False)

    def forward_and_back(batch: _Batch) -> Mapping[str, Tensor]:
        half: AbstractContextManager[Any] = (
            torch.autocast(device.type, torch.bfloat16) if settings.half else nullcontext()
        )
        with half:
            losses = losses_of(model, batch)
        losses["loss"].backward()
        return losses

    if settings.compiled:
        # Dropout draws here too: the steps must not notice.
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            for batch in objective.shapes():
                forward_and_back(batch)
                optimiser.zero_grad(set_to_none=True)

    budget.start()
    progress = budget.progress(state.step)
    while progress < 1.0:
        rate = settings.peak_rate * settings.schedule.factor(progress)
        set_rate(optimiser, rate)
        batch = objective.batch(state.step)
        losses = forward_and_back(batch)
        norm = nn.utils.clip_grad_norm_(parameters, settings.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        state.step += 1
        state.tokens += batch.tokens
        state.seconds = budget.elapsed
        progress = budget.progress(state.step)
        if state.step % settings.report_every == 0 or progress >= 1.0:
            # Numbers are fetched only here: each look makes the CPU wait for the GPU.
            values = {name: float(value.detach()) for name, value in losses.items()}
            if not (math.isfinite(values["loss"]) and math.isfinite(norm)):
                raise DivergedError(state.step)
            yield StepEvent(
                state.step, values, rate, float(norm), state.tokens, state.seconds, progress
            )
