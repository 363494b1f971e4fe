"""What a run of the lab can be told, each within bounds that a laptop can bear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from typing import Any

from core.config import ModelConfig, NormPlacement, Positions, StackConfig
from core.errors import ConfigError
from core.lab.tasks import PADDING, START, WIDTH, Task, pairs_of
from core.models.architectures.transformer import transformer_config
from core.training.optimisers import Method
from core.training.schedules import Schedule, Shape

HEADS = 4
METHODS = (Method.ADAM, Method.ADAMW, Method.RADAM)

# Least and most of each number.
BOUNDS: dict[str, tuple[float, float]] = {
    "warm_up": (0, 1_000),
    "peak_rate": (1e-5, 3e-2),
    "steps": (10, 2_000),
    "batch": (4, 128),
    "width": (16, 128),
    "depth": (1, 8),
    "seed": (0, 999_999),
    "look_every": (1, 100),
}


@dataclass(frozen=True)
class LabSettings:
    """One run.

    Attributes:
        task: what is learnt.
        norm: where the layers' norms stand.
        method: how gradients become steps.
        warm_up: steps in which the rate rises to its peak.
        shape: of the rate afterwards.
        peak_rate: highest learning rate.
        steps: of the whole run.
        batch: pairs a step.
        width: features between the layers.
        depth: layers of the encoder, and of the decoder.
        seed: of the first weights and of the batches.
        look_every: steps between two looks at the held-out pairs.

    Raises:
        ConfigError: a number is out of its bounds, the warm-up is as long as the run, or there is
            none where the shape needs one.
    """

    task: Task = Task.NUMBERS
    norm: NormPlacement = NormPlacement.POST
    method: Method = Method.ADAM
    warm_up: int = 200
    shape: Shape = Shape.LINEAR
    peak_rate: float = 2e-3
    steps: int = 600
    batch: int = 32
    width: int = 64
    depth: int = 6
    seed: int = 0
    look_every: int = 10

    def __post_init__(self) -> None:
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            if not least <= value <= most:
                words = name.replace("_", " ")
                raise ConfigError(f"{words} must be from {least:g} to {most:g}, not {value:g}")
        if self.method not in METHODS:
            raise ConfigError(f"the lab has no optimiser {self.method.value}")
        if self.width % HEADS:
            raise ConfigError(f"a width of {self.width} cannot be shared by {HEADS} heads")
        if self.warm_up >= self.steps:
            raise ConfigError(
                f"a warm-up of {self.warm_up} steps leaves nothing of a run of {self.steps}"
            )
        _ = self.schedule  # which has bounds of its own

    @property
    def schedule(self) -> Schedule:
        """The learning rate as a function of progress."""
        return Schedule(self.shape, self.warm_up / self.steps)

    @property
    def model(self) -> ModelConfig:
        """A Transformer without dropout, its matrices drawn by what they read."""
        config = transformer_config(
            vocabulary=len(pairs_of(self.task).words),
            layers=self.depth,
            heads=HEADS,
            width=self.width,
            feed_forward=4 * self.width,
            max_positions=WIDTH,
            positions=Positions.INTERLEAVED,
            dropout=0.0,
            start_id=START,
            padding_id=PADDING,
            initial_deviation=1.0,
        )
        assert config.encoder is not None
        assert config.decoder is not None
        return replace(
            config,
            fan_in=True,
            encoder=self._with_norms(config.encoder),
            decoder=self._with_norms(config.decoder),
        )

    def _with_norms(self, stack: StackConfig) -> StackConfig:
        return replace(stack, layer=replace(stack.layer, placement=self.norm))

    def as_json(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            name: value.value if isinstance(value, Enum) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> LabSettings:
        """The inverse of :meth:`as_json`.

        Raises:
            ConfigError: an unknown name, or a value that the setting cannot have.
        """
        known = {one.name: getattr(cls(), one.name) for one in fields(cls)}
        read: dict[str, Any] = {}
        for name, value in values.items():
            if name not in known:
                raise ConfigError(f"the lab has no setting {name}")
            kind = type(known[name])
            try:
                read[name] = kind(value)
            except (TypeError, ValueError) as error:
                raise ConfigError(f"{name} cannot be {value!r}") from error
        return cls(**read)
