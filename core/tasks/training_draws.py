"""What a model of BERT's family reads and has to say while it learns, on one text, drawn by seed.

Each system by its own objective of :mod:`core.objectives`; no model runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.objectives.masking import Masked, MaskingRule, mask_tokens
from core.objectives.permutation_orders import OrderRule, draw_orders
from core.objectives.pieces import continuations, ordinary_ids
from core.objectives.span_masking import SpanLengths, mask_spans
from core.objectives.static_masking import StaticMasking
from core.objectives.word_order import StructPretraining, shuffle_unmasked
from core.tasks.errors import EpochsOutOfRangeError, NoObjectiveError
from core.tasks.forward import encode
from core.tokenisation import Encoding, readable

MAX_READINGS = 40
STATIC_COPIES = 10  # Liu et al. 2019, "RoBERTa", section 4.1, on BERT's data


class Mark(Enum):
    """What is asked of the model at a token."""

    MASK = "mask"  # name it; a mask stands there
    RANDOM = "random"  # name it; another token stands there
    KEPT = "kept"  # name it; it stands there itself
    MOVED = "moved"  # name it; a token of the same trigram stands there
    NEXT = "next"  # name it from those before it in the order
    SOFT = "soft"  # spread over the vocabulary as the teacher does


@dataclass(frozen=True)
class DrawnToken:
    """One token of one reading.

    Attributes:
        piece: what the model reads there, readable.
        mark: what is asked; ``None`` for nothing.
        rank: among those predicted in an order, from 1; ``None`` where there is none.
        span: number of the span it belongs to, from 1; 0 for none.
    """

    piece: str
    mark: Mark | None = None
    rank: int | None = None
    span: int = 0


@dataclass(frozen=True)
class TrainingDraws:
    """A text in several readings.

    Attributes:
        encoding: the text as it is.
        system: whose objective it is.
        readings: what is read each time, one entry a token.
        copies: after so many readings the same come again; 0 where every one is new.
    """

    encoding: Encoding
    system: str
    readings: tuple[tuple[DrawnToken, ...], ...]
    copies: int


@dataclass(frozen=True)
class _Setting:
    """What every objective needs."""

    checkpoint: Checkpoint
    ids: Tensor  # [1, token]
    ordinary: Tensor  # [1, token]
    candidates: Tensor
    generator: torch.Generator

    @property
    def mask_id(self) -> int:
        return self.checkpoint.tokenizer.mask_id

    @cached_property
    def continues(self) -> Tensor:
        """True where a token continues the word before it, ``[1, token]``."""
        return continuations(self.checkpoint.tokenizer)[self.ids]

    def hide(self) -> Masked:
        return mask_tokens(
            self.ids,
            self.ordinary,
            rule=MaskingRule(),
            ordinary_ids=self.candidates,
            generator=self.generator,
            mask_id=self.mask_id,
        )

    def tokens(
        self, masked: Masked, *, others: Mark | None = None, spans: Tensor | None = None
    ) -> list[DrawnToken]:
        """Every token of hidden words; ``others`` is asked of all that are not hidden."""
        named = set(masked.positions[0][masked.weights[0] > 0].tolist())
        read, original = masked.ids[0].tolist(), self.ids[0].tolist()
        number = [0] * len(read) if spans is None else spans[0].tolist()
        return [
            DrawnToken(
                self.piece(read[at]),
                self._mark(read[at], original[at]) if at in named else others,
                span=number[at],
            )
            for at in range(len(read))
        ]

    def piece(self, number: int) -> str:
        tokenizer = self.checkpoint.tokenizer
        return readable(tokenizer.token(number), byte_level=tokenizer.byte_level)

    def _mark(self, read: int, original: int) -> Mark:
        if read == original:  # a random token may happen to be the original
            return Mark.KEPT
        return Mark.MASK if read == self.mask_id else Mark.RANDOM


def training_draws(
    checkpoint: Checkpoint, text: str, *, seed: int = 0, readings: int = 12
) -> TrainingDraws:
    """Draw what a system's objective makes of a text, reading after reading.

    Args:
        checkpoint: of a system of BERT's family; its vocabulary cuts the text.
        text: what a person typed.
        seed: of all random draws; the same draws on every device.
        readings: how often the text comes, 1 to ``MAX_READINGS``.

    Raises:
        EpochsOutOfRangeError: too few or too many readings.
        NoObjectiveError: another system.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`core.tasks.attend`.
    """
    if not 1 <= readings <= MAX_READINGS:
        raise EpochsOutOfRangeError(readings, MAX_READINGS)
    system, tokenizer = checkpoint.config.system, checkpoint.tokenizer
    if system != "bert" and system not in _DRAW:
        raise NoObjectiveError(system)
    encoding = encode(checkpoint, text)
    ids = torch.tensor([encoding.ids])
    setting = _Setting(
        checkpoint,
        ids,
        ~torch.tensor([encoding.special]) & (ids != tokenizer.mask_id),
        ordinary_ids(tokenizer),
        torch.Generator().manual_seed(seed % 2**63),
    )
    if system == "bert":
        drawn, copies = _bert(setting, readings), STATIC_COPIES
    else:
        drawn, copies = [_DRAW[system](setting) for _ in range(readings)], 0
    return TrainingDraws(encoding, system, tuple(map(tuple, drawn)), copies)


def _bert(setting: _Setting, readings: int) -> list[list[DrawnToken]]:
    """Devlin et al. 2019, section 3.1; ten masks a text, drawn before the training."""
    masking = StaticMasking(
        setting.ids,
        setting.ordinary,
        copies=STATIC_COPIES,
        ordinary_ids=setting.candidates,
        generator=setting.generator,
        mask_id=setting.mask_id,
    )
    first = torch.tensor([0])
    return [setting.tokens(masking.masked(first, reading)) for reading in range(readings)]


def _dynamic(setting: _Setting) -> list[DrawnToken]:
    """Liu et al. 2019, "RoBERTa", section 4.1."""
    return setting.tokens(setting.hide())


def _distilled(setting: _Setting) -> list[DrawnToken]:
    """Sanh et al. 2019, "DistilBERT", section 2: the teacher is asked everywhere."""
    return setting.tokens(setting.hide(), others=Mark.SOFT)


def _spans(setting: _Setting) -> list[DrawnToken]:
    """Joshi et al. 2020, "SpanBERT", section 3.1."""
    drawn = mask_spans(
        setting.ids,
        setting.ordinary,
        setting.continues,
        rule=MaskingRule(),
        lengths=SpanLengths(),
        ordinary_ids=setting.candidates,
        generator=setting.generator,
        mask_id=setting.mask_id,
    )
    return setting.tokens(drawn.masked, spans=drawn.spans.number)


def _shuffled(setting: _Setting) -> list[DrawnToken]:
    """Wang et al. 2020, "StructBERT", section 2.2."""
    masked = setting.hide()
    tokens = setting.tokens(masked)
    shuffled = shuffle_unmasked(
        masked, setting.ordinary, share=StructPretraining.trigrams, generator=setting.generator
    )
    for position in shuffled.positions[0][shuffled.weights[0] > 0].tolist():
        tokens[position] = DrawnToken(setting.piece(int(shuffled.ids[0, position])), Mark.MOVED)
    return tokens


def _permuted(setting: _Setting) -> list[DrawnToken]:
    """Yang et al. 2019, "XLNet", sections 2.2 and 2.3: nothing is replaced."""
    orders = draw_orders(setting.ordinary, rule=OrderRule(), generator=setting.generator)
    tokens = [DrawnToken(setting.piece(number)) for number in setting.ids[0].tolist()]
    targets = orders.targets[0][orders.weights[0] > 0].tolist()
    for rank, position in enumerate(sorted(targets, key=orders.rank[0].tolist().__getitem__), 1):
        tokens[position] = DrawnToken(tokens[position].piece, Mark.NEXT, rank)
    return tokens


_DRAW: dict[str, Callable[[_Setting], list[DrawnToken]]] = {
    "roberta": _dynamic,
    "albert": _dynamic,
    "mtdnn": _dynamic,
    "distilbert": _distilled,
    "spanbert": _spans,
    "structbert": _shuffled,
    "xlnet": _permuted,
}
