"""The one training loop: yields events and takes no callbacks.

Whoever consumes the events (a page, the command line, a test) stops the run by not asking for
the next one.

A step may read several batches: ``accumulate`` of them in each of the processes that train together
(``core.training.processes``). Its losses are those of one large batch: the sum over all positions
that count, divided by their number in all batches and processes. Every process draws all batches of
a step and reads its own, so that one generator, the same everywhere, decides what the model sees,
and N processes read what one process with N times the accumulation reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from core.bounds import require
from core.errors import HeadlightError
from core.models.blocks.attention import fused_attention
from core.training.interrupts import interrupts_later
from core.training.optimisers import set_rate
from core.training.processes import processes
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
        """The batch of this number; they are asked for one after the other."""
        ...

    def shapes(self) -> Iterable[_Batch]:
        """One batch of every shape that will come, to compile for; changes no later batch."""
        ...

    def losses(
        self, model: _Model, batch: _Batch, counts: Mapping[str, Tensor] | None = None
    ) -> Mapping[str, Tensor]:
        """Scalar losses by name; ``loss`` is the one to minimise.

        Where ``counts`` says how many positions of each term all batches of a step have together,
        sums are divided by that: the losses of the batches then add up to those of the step.
        """
        ...

    def counts(self, batch: _Batch) -> Mapping[str, Tensor]:
        """How many positions each term of a batch counts; asked for where batches are added up."""
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

    @classmethod
    def read_file(cls, path: Path) -> list[StepEvent]:
        """The events of a file that has one a line, as :meth:`as_json` gives them."""
        told = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return [cls(**{name: one[name] for name in cls.__dataclass_fields__}) for one in told]


@dataclass(frozen=True)
class LoopSettings:
    """How to train.

    Attributes:
        peak_rate: highest learning rate.
        schedule: how the rate rises to it and falls.
        clip: largest gradient norm.
        accumulate: batches a step, in each process.
        report_every: steps between two events.
        compiled: whether to compile the step.
        half: whether to compute in bfloat16 where that is safe.
    """

    peak_rate: float
    schedule: Schedule = field(default_factory=Schedule)
    clip: float = 1.0
    accumulate: int = 1
    report_every: int = 50
    compiled: bool = False
    half: bool = False

    def __post_init__(self) -> None:
        require(
            peak_rate=self.peak_rate,
            clip=self.clip,
            accumulate=self.accumulate,
            report_every=self.report_every,
        )


class _Losses(nn.Module):
    """The losses of one batch as a module: what is compiled, and what processes share."""

    def __init__(self, model: nn.Module, objective: Objective[Any, Any]) -> None:
        super().__init__()
        self.model = model
        self.objective = objective

    def forward(self, batch: Any, counts: Mapping[str, Tensor] | None) -> Mapping[str, Tensor]:
        return self.objective.losses(self.model, batch, counts)


class _Step:
    """Forward and backward over the batches of one step."""

    def __init__(
        self, model: nn.Module, objective: Objective[Any, Any], settings: LoopSettings
    ) -> None:
        self.model = model
        self.objective = objective
        self.processes = processes()
        self.batches = settings.accumulate * self.processes.count
        self.half = settings.half
        self.device = next(model.parameters()).device
        self.module = _Losses(model, objective)
        if settings.compiled:
            self.module.compile(dynamic=False)
        self.shared: DistributedDataParallel | None = None
        if self.processes.count > 1:
            # A batch need not use every head: the others wait for no gradient of theirs then.
            self.shared = DistributedDataParallel(
                self.module, broadcast_buffers=False, find_unused_parameters=True
            )

    def __call__(self, batches: Sequence[Any]) -> dict[str, Tensor]:
        """Add gradients of the step's losses; returns this process's share of them."""
        own = batches[self.processes.rank :: self.processes.count]
        counts = None if len(batches) == 1 else self._counts(batches)
        nothing = torch.zeros((), device=self.device)
        sums = {} if counts is None else dict.fromkeys(["loss", *counts], nothing)
        for number, batch in enumerate(own, start=1):
            with self._unless_last(number == len(own)):
                for name, value in self._backward(batch, counts).items():
                    sums[name] = sums[name] + value if name in sums else value
        return sums

    def losses(self, shares: Mapping[str, Tensor]) -> dict[str, float]:
        """The losses of all processes, as numbers: a look that makes the CPU wait for the GPU."""
        return {name: float(value) for name, value in self.processes.add_up(shares).items()}

    def progress(self, budget: Budget, state: RunState) -> float:
        """Share of the run that is over, the same for all: clocks differ, steps do not."""
        progress = budget.progress(state.step)
        return progress if budget.seconds is None else self.processes.agree(progress, self.device)

    def _backward(self, batch: Any, counts: Mapping[str, Tensor] | None) -> dict[str, Tensor]:
        half: AbstractContextManager[Any] = (
            torch.autocast(self.device.type, torch.bfloat16) if self.half else nullcontext()
        )
        with half, fused_attention():
            losses = (self.shared or self.module)(batch, counts)
        # Gradients of several processes are averaged where their sum is wanted.
        loss = losses["loss"]
        (loss if self.processes.count == 1 else loss * self.processes.count).backward()
        return {name: value.detach() for name, value in losses.items()}

    def _counts(self, batches: Sequence[Any]) -> dict[str, Tensor]:
        # The terms of all batches, so that every process names the same; but each counts its own.
        counts: dict[str, Tensor] = {}
        for number, batch in enumerate(batches):
            mine = number % self.processes.count == self.processes.rank
            for name, count in self.objective.counts(batch).items():
                counts[name] = counts.get(name, torch.zeros_like(count)) + count * mine
        return self.processes.add_up(counts)

    def _unless_last(self, last: bool) -> AbstractContextManager[Any]:
        # Processes exchange gradients once a step, with the last batch.
        return nullcontext() if self.shared is None or last else self.shared.no_sync()


def _compile_all(shapes: int) -> None:
    # After eight shapes torch would run the others as they are.
    limits = torch._dynamo.config
    limits.recompile_limit = max(limits.recompile_limit, shapes + 1)


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
    step = _Step(model, objective, settings)

    if settings.compiled:
        # Dropout draws here too: the steps must not notice.
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            shapes = list(objective.shapes())
            _compile_all(len(shapes))
            for batch in shapes:
                step([batch] * step.batches)
                optimiser.zero_grad(set_to_none=True)

    budget.start()
    progress = step.progress(budget, state)
    while progress < 1.0:
        with interrupts_later():
            rate = settings.peak_rate * settings.schedule.factor(progress)
            set_rate(optimiser, rate)
            first = state.step * step.batches
            batches = [objective.batch(first + number) for number in range(step.batches)]
            shares = step(batches)
            norm = nn.utils.clip_grad_norm_(parameters, settings.clip)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            state.step += 1
            state.tokens += sum(batch.tokens for batch in batches)
            state.seconds = budget.elapsed
            progress = step.progress(budget, state)
        if state.step % settings.report_every == 0 or progress >= 1.0:
            # Numbers are fetched only here: each look makes the CPU wait for the GPU.
            values = step.losses(shares)
            if not (math.isfinite(values["loss"]) and math.isfinite(norm)):
                raise DivergedError(state.step)
            yield StepEvent(
                state.step, values, rate, float(norm), state.tokens, state.seconds, progress
            )
