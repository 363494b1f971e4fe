"""What both sides of an encoder-decoder read: a person's text, and another or the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Head, ModelConfig
from core.decoding import UntilEnd, reader_of, write
from core.decoding.blanks import FilledBlanks
from core.errors import ConfigError, MissingHeadError, SequenceTooLongError
from core.tasks.errors import UnknownLanguageError
from core.tasks.fill_spans import BlankText, find_blanks, has_blanks, source_of
from core.tasks.forward import require_rows
from core.tokenisation import Encoding, Tokenizer
from core.tokenisation.blanks import sentinel_ids
from core.tokenisation.languages import languages_of


@dataclass(frozen=True)
class TwoTexts:
    """Two texts as the two sides read them.

    Attributes:
        source: what the encoder reads.
        target: what the decoder reads, its start token first, without the end: nothing follows it.
        ended: whether the target is complete.
    """

    source: Encoding
    target: Encoding
    ended: bool


class _OwnPieces(UntilEnd):
    """Every piece that the vocabulary has may be written: a model may have rows without one."""

    def __init__(self, tokenizer: Tokenizer, rows: int, device: torch.device) -> None:
        super().__init__([tokenizer.sep_id])
        self._known = torch.zeros(1, rows, dtype=torch.bool, device=device)
        pieces = set(tokenizer.inner.get_vocab().values()) - set(tokenizer.unwritten)
        known = [number for number in pieces if number < rows]
        self._known[:, known] = True

    def guided(self, rows: Sequence[int], scores: Tensor) -> Tensor:  # noqa: ARG002
        """The same in every text."""
        return scores.masked_fill(~self._known, -torch.inf)


def read_two_texts(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    cut: bool = False,
    target: str | None = None,
    language: str | None = None,
) -> TwoTexts:
    """Read both texts; arguments and errors as in :func:`core.tasks.attend`.

    A target that the model writes has at most as many pieces as :func:`longest_target` says, with
    blanks as many as these need.
    """
    config, tokenizer = checkpoint.config, checkpoint.tokenizer
    limit = config.embedding.max_positions
    blanks: BlankText | None = None
    marked = bool(sentinel_ids(tokenizer)) and pair is None
    known = languages_of(tokenizer)
    if language is not None and language not in known:
        raise UnknownLanguageError(language, tuple(known))
    if marked and has_blanks(text):
        blanks = find_blanks(text)
        source = tokenizer.decoded(source_of(blanks, tokenizer), typed=blanks.parts)
    else:
        room = limit if language is None else limit - 1
        source = tokenizer.encode(text, pair, limit=room if cut else None, cut=cut)
    if language is not None:
        source = source.after(known[language], tokenizer.token(known[language]))
    _require_positions(source, limit)
    require_rows(checkpoint, source.ids)
    if config.start_id is None:
        raise ConfigError(f"a model of the system {config.system} has no start token")
    ended = True
    if target is None:
        pieces, ended = _written(checkpoint, source, blanks, limit)
        read = tokenizer.decoded(pieces)
    elif marked and has_blanks(target):
        read = tokenizer.decoded(source_of(find_blanks(target), tokenizer, sized=False)[:-1])
    else:
        read = tokenizer.of_target.encode(target, limit=limit if cut else None, cut=cut)
        if read.special[-1]:
            read = read.up_to(len(read) - 1)
    start = config.start_id
    require_rows(checkpoint, read.ids)
    read = read.after(start, tokenizer.token(start))
    _require_positions(read, limit)
    return TwoTexts(source, read, ended)


def longest_target(config: ModelConfig, read: int) -> int:
    """How many pieces an encoder-decoder writes at most about a source of so many.

    Fifty more than were read, as Vaswani et al. 2017, section 6.1; of a short text fewer: twice as
    many and ten more. Behind a start token, the decoder has positions for all of them.
    """
    return min(2 * read + 10, read + 50, config.embedding.max_positions - 1)


def _require_positions(encoding: Encoding, limit: int) -> None:
    if len(encoding) > limit:
        raise SequenceTooLongError(len(encoding), limit)


def _written(
    checkpoint: Checkpoint, source: Encoding, blanks: BlankText | None, limit: int
) -> tuple[list[int], bool]:
    """The likeliest pieces, without the end, and whether they came to it."""
    if Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("next words")
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    device = next(model.parameters()).device
    rows = checkpoint.config.embedding.vocabulary
    guide: FilledBlanks | _OwnPieces
    if blanks is None:
        guide = _OwnPieces(tokenizer, rows, device)
        most = longest_target(checkpoint.config, len(source))
    else:
        guide = FilledBlanks(tokenizer, blanks.sizes, vocabulary=rows, device=device)
        most = min(guide.most, limit - 1)  # the start token takes one of the positions
    reader = reader_of(model, torch.tensor([source.ids], device=device))
    pieces: list[int] = []
    complete = False
    for step in write(reader, most=most, guide=guide):
        pieces += step.chosen
        complete = step.complete[0]
    if complete and pieces[-1] == tokenizer.sep_id:
        pieces.pop()
    return pieces, complete
