"""The masking that BERT is trained with, on one text: every draw, and what the model makes of it.

Devlin et al. 2019, "BERT", section 3.1 and appendix A.1 (the 80/10/10 rule); Liu et al. 2019,
"RoBERTa: A Robustly Optimized BERT Pretraining Approach", section 4.1 (static or dynamic).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.models.blocks.attention import fused_attention
from core.models.body import Inputs
from core.objectives.masking import Masked, MaskingDraw, MaskingRule, draw_masking
from core.objectives.pieces import ordinary_ids
from core.tasks.errors import EpochsOutOfRangeError
from core.tasks.fill_mask import Prediction, likeliest, require_guesses
from core.tasks.forward import encode, scored_words
from core.tokenisation import Encoding, Tokenizer

MAX_EPOCHS = 40

_TOKENS_AT_ONCE = 2048  # of all epochs that run as one batch


class Corruption(Enum):
    """What became of a chosen token."""

    MASK = "mask"
    RANDOM = "random"
    KEPT = "kept"


@dataclass(frozen=True)
class ChosenToken:
    """A token that the model has to predict in one epoch.

    Attributes:
        position: counted from 0 with special tokens.
        draw: in [0, 1), what decided the corruption.
        corruption: what became of it; a random piece may happen to be the original.
        piece: what the model reads there, as it stands in the vocabulary.
        probability: what the model gives the original.
        guess: what the model puts first.
    """

    position: int
    draw: float
    corruption: Corruption
    piece: str
    probability: float
    guess: Prediction


@dataclass(frozen=True)
class MaskedEpoch:
    """One reading of the text.

    Attributes:
        uniforms: one a token, in [0, 1): the tokens with the smallest are chosen; ``None`` for
            special tokens and for masks that a person typed, which never are.
        chosen: in the order of the text.
    """

    uniforms: tuple[float | None, ...]
    chosen: tuple[ChosenToken, ...]


@dataclass(frozen=True)
class RandomMaskingResult:
    """The text in every epoch.

    Attributes:
        encoding: the text as it is, nothing hidden.
        epochs: in their order; all the same if the masking is static.
        rule: the shares that were drawn with.
        mask_token: what stands in the place of a hidden token.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        device: where the model ran.
    """

    encoding: Encoding
    epochs: tuple[MaskedEpoch, ...]
    rule: MaskingRule
    mask_token: str
    byte_level: bool
    device: str


@torch.inference_mode()
def random_masking(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    seed: int = 0,
    epochs: int = 1,
    dynamic: bool = True,
    cut: bool = False,
) -> RandomMaskingResult:
    """Mask a text at random as in training, once an epoch, and let the model guess.

    The same seed gives the same draws on every device, and the first epoch is the same whether
    the masking is dynamic or static.

    Args:
        checkpoint: a model with a masked-language head.
        text: what a person typed.
        pair: a second text, or ``None``.
        seed: of all random draws.
        epochs: how often the text is read, 1 to ``MAX_EPOCHS``.
        dynamic: draw anew in every epoch; otherwise one draw serves them all.
        cut: leave out the end of the longer text until both fit, instead of refusing.

    Raises:
        EpochsOutOfRangeError: too few or too many epochs.
        MissingHeadError: the model cannot guess words.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_guesses(checkpoint)
    if not 1 <= epochs <= MAX_EPOCHS:
        raise EpochsOutOfRangeError(epochs, MAX_EPOCHS)
    tokenizer, rule = checkpoint.tokenizer, MaskingRule()
    encoding = encode(checkpoint, text, pair, cut=cut)
    ids = torch.tensor([encoding.ids])  # [1, token]
    ordinary = ~torch.tensor([encoding.special]) & (ids != tokenizer.mask_id)
    generator = torch.Generator().manual_seed(seed % 2**63)
    candidates = ordinary_ids(tokenizer)
    # One after the other, not as a batch: more epochs then begin with the same ones.
    drawn = [
        draw_masking(ordinary, rule=rule, ordinary_ids=candidates, generator=generator)
        for _ in range(epochs if dynamic else 1)
    ]
    masked = [draw.apply(ids, rule=rule, mask_id=tokenizer.mask_id) for draw in drawn]
    guesses = _guess(checkpoint, encoding, masked)
    read = [_epoch(*parts, rule, tokenizer) for parts in zip(drawn, masked, guesses, strict=True)]
    return RandomMaskingResult(
        encoding=encoding,
        epochs=tuple(read if dynamic else read * epochs),
        rule=rule,
        mask_token=tokenizer.token(tokenizer.mask_id),
        byte_level=tokenizer.byte_level,
        device=str(next(checkpoint.model.parameters()).device),
    )


_Guesses = list[tuple[float, Prediction]]  # a position: the original's, and the first


def _guess(checkpoint: Checkpoint, encoding: Encoding, masked: Sequence[Masked]) -> list[_Guesses]:
    model = checkpoint.model
    device = next(model.parameters()).device
    ids = torch.cat([one.ids for one in masked]).to(device)  # [epoch, token]
    positions = torch.cat([one.positions for one in masked]).to(device)  # [epoch, position]
    labels = torch.cat([one.labels for one in masked]).to(device)
    segments = None
    if checkpoint.config.embedding.segments > 1:
        segments = torch.tensor([encoding.segments], device=device)  # [1, token]
    found: list[_Guesses] = []
    rows = max(1, _TOKENS_AT_ONCE // ids.shape[1])
    for some in torch.arange(len(ids), device=device).split(rows):
        of_each = None if segments is None else segments.expand(len(some), -1)
        with fused_attention():
            inputs = Inputs(ids[some], of_each)
            hidden = model.read(inputs, predict=False).hidden  # [epoch, token, width]
        for row, position, label in zip(hidden, positions[some], labels[some], strict=True):
            logits = scored_words(checkpoint, row[position])  # [position, vocabulary]
            given = logits.float().softmax(-1).gather(1, label[:, None])[:, 0].tolist()
            first = [one for (one,) in likeliest(logits, 1, checkpoint.tokenizer)]
            found.append(list(zip(given, first, strict=True)))
    return found


def _epoch(
    drawn: MaskingDraw, masked: Masked, guesses: _Guesses, rule: MaskingRule, tokenizer: Tokenizer
) -> MaskedEpoch:
    draws = drawn.corruption_draws[0]
    masks, replaces = rule.masks(draws), rule.replaces(draws)
    chosen = [
        ChosenToken(
            position=position,
            draw=draws[index].item(),
            corruption=_corruption(masks[index], replaces[index]),
            piece=tokenizer.token(int(masked.ids[0, position])),
            probability=probability,
            guess=guess,
        )
        for index, (position, (probability, guess)) in enumerate(
            zip(masked.positions[0].tolist(), guesses, strict=True)
        )
        if drawn.real[0, index]
    ]
    return MaskedEpoch(
        uniforms=tuple(uniform if uniform < 1 else None for uniform in drawn.uniforms[0].tolist()),
        chosen=tuple(sorted(chosen, key=lambda one: one.position)),
    )


def _corruption(masked: Tensor, replaced: Tensor) -> Corruption:
    if masked:
        return Corruption.MASK
    return Corruption.RANDOM if replaced else Corruption.KEPT
