"""One side of a comparison: what a model attends to, and what it expects, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.config import Head
from core.tasks.attend import AttendResult, AttentionMap, attend
from core.tasks.errors import NotReadError
from core.tasks.fill_mask import Prediction, hide_words, likeliest, require_guesses
from core.tasks.forward import encode, forward, one_stack, require_heads
from core.tokenisation import Encoding

MOST_GUESSES = 100


@dataclass(frozen=True)
class Guess:
    """What a model expects at one position.

    Attributes:
        position: of the token whose row says it.
        word: number of the hidden word; ``None`` for the piece after the end of a text.
        predictions: the likeliest first, at most ``MOST_GUESSES``.
    """

    position: int
    word: int | None
    predictions: tuple[Prediction, ...]


@dataclass(frozen=True, eq=False)
class SideReading:
    """One pass.

    Attributes:
        attention: every kind of attention, as :func:`core.tasks.attend` gives it.
        guesses: of every mask, in the order of the tokens; of a model that continues texts, of the
            piece after the last one; else none.
        byte_level: whether the vocabulary spells bytes, which :func:`readable` asks for.
        marks_spaces: whether its pieces say where spaces are.
    """

    attention: AttendResult
    guesses: tuple[Guess, ...]
    byte_level: bool
    marks_spaces: bool


def read_side(
    checkpoint: Checkpoint,
    text: str,
    *,
    mask_words: Sequence[int] = (),
    off: Sequence[tuple[int, int]] = (),
    language: str | None = None,
) -> SideReading:
    """Read a text with words hidden and heads ablated.

    Args:
        checkpoint: a loaded model of any system.
        text: what a person typed.
        mask_words: numbers of words to hide, for a model that guesses hidden words.
        off: pairs of layer and head that add nothing, for a model of one side.
        language: into which one a model of two sides writes, as in :func:`attend`.

    Raises:
        MissingHeadError: words to hide, and the model does not guess them.
        NoSuchWordError: a word that the text does not have.
        NoSuchHeadError, NotOneStackError: heads that the model cannot go without.
        NotReadError, UnknownLanguageError, NoAttentionError, EmptyTextError, TextTooLongError,
        SequenceTooLongError, TooManyWeightsError: as in :func:`attend`.
    """
    config, tokenizer = checkpoint.config, checkpoint.tokenizer
    if mask_words:
        require_guesses(checkpoint)
    if (config.encoder is None) == (config.decoder is None):
        if off:
            require_heads(checkpoint, off)
        whole = attend(checkpoint, text, language=language)
        return SideReading(whole, (), tokenizer.byte_level, tokenizer.marks_spaces)
    if language is not None:
        raise NotReadError("language", config.system)
    encoding = hide_words(checkpoint, text, mask_words) if mask_words else encode(checkpoint, text)
    positions = _predicted_positions(checkpoint, encoding)
    name = (*checkpoint.model.streams, one_stack(checkpoint)[0])[0]
    head = checkpoint.model.word_site if positions else None
    ran = forward(checkpoint, encoding, off=off, patterns=True, head=head)
    assert ran.patterns is not None  # asked for
    assert ran.masked is not None
    shown = AttentionMap(
        name, encoding, encoding, ran.patterns, ran.masked, positions=ran.positions
    )
    found = likeliest(ran.logits[positions], MOST_GUESSES, tokenizer) if positions else []
    return SideReading(
        AttendResult(encoding, (shown,), ran.seconds, ran.device),
        tuple(
            Guess(position, encoding.words[position] if name == "encoder" else None, predictions)
            for position, predictions in zip(positions, found, strict=True)
        ),
        tokenizer.byte_level,
        tokenizer.marks_spaces,
    )


def _predicted_positions(checkpoint: Checkpoint, encoding: Encoding) -> list[int]:
    """Positions whose rows say what the model expects."""
    heads = checkpoint.config.heads
    if Head.MASKED_LANGUAGE in heads:
        mask = checkpoint.tokenizer.mask_id
        return [position for position, number in enumerate(encoding.ids) if number == mask]
    if checkpoint.model.causal and Head.LANGUAGE in heads:
        ordinary = [at for at, special in enumerate(encoding.special) if not special]
        return ordinary[-1:]
    return []
