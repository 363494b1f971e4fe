"""How positions turn queries and keys, and how that is stretched for longer texts."""

from __future__ import annotations

from dataclasses import dataclass

from core.checks import require_positive
from core.errors import ConfigError


@dataclass(frozen=True)
class LinearScaling:
    """Every position divided by ``factor``.

    Source: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional
    Interpolation", section 2.3.
    """

    factor: float


@dataclass(frozen=True)
class DynamicScaling:
    """A larger ``theta`` for texts longer than those of the training, the longer the larger.

    Decoding step by step, a key keeps the angle that it had when it was read, as in transformers.

    Source: Peng et al. 2023, "YaRN", section 3.3 (dynamic NTK).
    """

    factor: float


@dataclass(frozen=True)
class Llama3Scaling:
    """Long waves divided by ``factor``, short ones left, those between in between: Llama 3.1.

    Attributes:
        factor: of the longest waves.
        low: waves of which fewer fit into ``trained_positions`` are divided.
        high: waves of which more fit are left.
        trained_positions: of the model before it learnt longer texts.
    """

    factor: float
    low: float
    high: float
    trained_positions: int

    def __post_init__(self) -> None:
        require_positive(self, "trained_positions")
        if not 0 < self.low < self.high:
            raise ConfigError(
                f"low frequencies end at {self.low:g}, high ones begin at {self.high:g}"
            )


@dataclass(frozen=True)
class YarnScaling:
    """As :class:`Llama3Scaling`, with a ramp over pairs of features and larger scores.

    Source: Peng et al. 2023, "YaRN", sections 3.2 and 3.4.

    Attributes:
        factor: by which the longest waves are divided.
        trained_positions: of the model before it learnt longer texts.
        fast: waves of which more fit into the trained positions are left.
        slow: waves of which fewer fit are divided.
        attention_factor: on both cosine and sine, so squared on the scores; ``None`` for the
            paper's ``0.1 * ln(factor) + 1``.
        whole: whether the ramp begins and ends at whole pairs.
    """

    factor: float
    trained_positions: int
    fast: float = 32.0
    slow: float = 1.0
    attention_factor: float | None = None
    whole: bool = True

    def __post_init__(self) -> None:
        require_positive(self, "trained_positions")
        if not 0 < self.slow < self.fast:
            raise ConfigError(f"slow waves end at {self.slow:g}, fast ones begin at {self.fast:g}")


RotaryScaling = LinearScaling | DynamicScaling | Llama3Scaling | YarnScaling


@dataclass(frozen=True)
class RotaryConfig:
    """Rotary positions, see :class:`core.models.blocks.rotary.RotaryPositions`.

    Attributes:
        theta: base of the wavelengths.
        positions: of the longest text that the checkpoint states.
        scaling: how the waves are stretched, if they are.
        features: of a head that are turned, the first ones; ``None`` for all (GPT-NeoX turns a
            quarter).
    """

    theta: float
    positions: int
    scaling: RotaryScaling | None = None
    features: int | None = None

    def __post_init__(self) -> None:
        require_positive(self, "positions")
        if self.theta <= 1.0:
            raise ConfigError(f"the base of rotary positions must exceed 1, not {self.theta:g}")
        if self.scaling is not None and self.scaling.factor < 1.0:
            raise ConfigError(
                f"positions are stretched by 1 or more, not by {self.scaling.factor:g}"
            )

    def turned(self, size: int) -> int:
        """How many features of a head of this size are turned."""
        return size if self.features is None else self.features

    @property
    def longest(self) -> int:
        """Tokens of the longest text; only dynamic scaling goes beyond what is stated."""
        if isinstance(self.scaling, DynamicScaling):
            return int(self.positions * self.scaling.factor)
        return self.positions
