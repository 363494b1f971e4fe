"""The least and the most of every number that a person sets: one table.

Numbers that depend on a model or a text, such as a word to hide, are refused where these are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.errors import ConfigError


class OutOfBoundsError(ConfigError):
    """A number that is too small, too large, or no number."""

    def __init__(self, name: str, value: float, wanted: str) -> None:
        super().__init__(f"{name} must be {wanted}, not {value}")
        self.name = name
        self.value = value
        self.wanted = wanted


@dataclass(frozen=True)
class Bounds:
    """What a number may be.

    Attributes:
        name: as the refusal begins.
        least: inclusive.
        most: inclusive.
        or_zero: whether 0 is allowed beside them.
    """

    name: str
    least: float
    most: float
    or_zero: bool = False

    def __str__(self) -> str:
        """As in: must be 0 or from 0.001 to 100."""
        if self.most == math.inf:
            return f"at least {_said(self.least)}"
        return f"{'0 or ' if self.or_zero else ''}from {_said(self.least)} to {_said(self.most)}"

    def check(self, value: float) -> None:
        """Refuse what lies outside; NaN does.

        Raises:
            OutOfBoundsError: it does.
        """
        if not (self.least <= value <= self.most or (self.or_zero and value == 0)):
            raise OutOfBoundsError(self.name, value, str(self))


def _said(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


_LONGEST = 1_000_000_000  # steps, seconds, inputs: more than anybody waits for
_TEXTS = 10_000_000  # examples, tokens of a batch
_SIZE = 65_536  # features; the tables of released models are smaller
_FEW = 10_000

BOUNDS: dict[str, Bounds] = {
    # Sampling. Scores are divided by the temperature: by less they would leave float32.
    "temperature": Bounds("the temperature", 0.001, 100.0, or_zero=True),
    "sampled_temperature": Bounds("the temperature", 0.001, 100.0),
    "top_k": Bounds("top-k", 1, 1_000_000),
    "top_p": Bounds("top-p", 1e-6, 1.0),
    # Evaluation.
    "windows": Bounds("the number of inputs (--windows)", 1, _LONGEST),
    "judged": Bounds("the number of pairs or examples (--judged)", 0, _LONGEST),
    "evaluated_length": Bounds("the length of an input (--length)", 10, 1_000_000),
    "context": Bounds("the tokens read at once (--context)", 2, 1_000_000),
    # Files, vocabularies, experiments.
    "examples": Bounds("the number of examples (--examples)", 1, _TEXTS),
    "kept_pieces": Bounds("the pieces to keep (--vocabulary)", 1, 1_000_000),
    "vocabulary": Bounds("the size of a vocabulary", 1, 1_000_000),
    "sentinels": Bounds("the number of tokens for blanks (--sentinels)", 0, 1_000),
    "alphabet": Bounds("the characters that become pieces (--alphabet)", 1, 1_000_000),
    "limit_mb": Bounds("the megabytes of text (--limit-mb)", 1e-6, 1e6),
    "seeds": Bounds("the number of seeds", 1, _FEW),
    "jobs": Bounds("the runs side by side (--jobs)", 1, 1_000),
    # Sizes of a fresh model.
    "layers": Bounds("the number of layers", 1, 1_000),
    "width": Bounds("the width", 1, _SIZE),
    "heads": Bounds("the number of heads", 1, 1_000),
    "feed_forward": Bounds("the width of the feed-forward network", 1, 4 * _SIZE),
    "positions": Bounds("the number of positions", 1, 1_000_000),
    # Training.
    "steps": Bounds("the number of steps", 1, _LONGEST),
    "seconds": Bounds("the seconds of a run", 1e-3, float(_LONGEST)),
    "stop_after": Bounds("the seconds after which a run stops", 0.0, float(_LONGEST)),
    "save_every": Bounds("the seconds between two savings", 0.0, float(_LONGEST)),
    "save_steps": Bounds("the steps between two savings", 1, _LONGEST),
    "average": Bounds("the number of savings whose mean is exported", 1, 1_000),
    "report_every": Bounds("the steps between two events", 1, _LONGEST),
    "peak_rate": Bounds("the learning rate", 1e-12, 100.0),
    "warm_up": Bounds("the share of warm-up", 0.0, 0.999_999),
    "warm_up_steps": Bounds("the steps of warm-up", 0, _LONGEST),
    "cycles": Bounds("the number of half waves", 1, 100),
    "growth": Bounds("the growth of half waves", 1, 10),
    "weight_decay": Bounds("the weight decay", 0.0, 100.0),
    "clip": Bounds("the largest gradient norm", 1e-9, math.inf),
    "batch_tokens": Bounds("the tokens of a batch", 1, _TEXTS),
    "length": Bounds("the tokens of a text", 2, 1_000_000),
    "accumulate": Bounds("the batches of a step", 1, _FEW),
    "dropout": Bounds("dropout", 0.0, 0.999),
    "words_share": Bounds("the share of hidden words", 1e-6, 0.999_999),
    "generator_share": Bounds("the heads of which a generator has one", 1, 1_000),
    "generator_temperature": Bounds("the highest temperature of samples", 1.0, 100.0),
}


def require(**numbers: float | None) -> None:
    """Refuse numbers that lie outside what :data:`BOUNDS` says of their names; ``None`` is none.

    Raises:
        OutOfBoundsError: one does.
    """
    for name, value in numbers.items():
        if value is not None:
            BOUNDS[name].check(value)
