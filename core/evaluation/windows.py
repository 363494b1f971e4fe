"""Held-out text as inputs of one length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.evaluation.options import Options
from core.objectives.inputs import Inputs
from core.objectives.pieces import Specials
from core.training.corpora import CorpusError, TokenCorpus

_LEAST = 8  # tokens of a window; in less, there is little to go by


def held_out(checkpoint: Checkpoint, options: Options) -> TokenCorpus:
    """The text in the checkpoint's tokens, on its device.

    Raises:
        ConfigError: no text is given.
        core.training.corpora.CorpusError: it cannot be read.
    """
    if options.text is None:
        raise ConfigError(f"a model of the system {checkpoint.config.system} needs --text")
    device = next(checkpoint.model.parameters()).device
    return TokenCorpus.from_files([options.text], checkpoint.tokenizer.inner).to(device)


def choose_windows(
    corpus: TokenCorpus, length: int, most: int, generator: torch.Generator
) -> tuple[Tensor, int]:
    """Consecutive pieces of each document, rests included; of too many, some drawn at random.

    Args:
        corpus: held-out text.
        length: tokens an input, two special ones included.
        most: inputs that are read at most.
        generator: of all random draws, on the corpus's device.

    Returns:
        First token and number of tokens of each, in their order, ``[window, 2]``, and how many
        there would have been.

    Raises:
        CorpusError: no document is long enough.
    """
    room = length - 2
    spans = [
        (start, min(room, end - start))
        for first, end in pairwise(corpus.documents.tolist())
        for start in range(first, end, room)
    ]
    long_enough = [span for span in spans if span[1] >= _LEAST]
    if not long_enough:
        raise CorpusError(f"no document of the text has {_LEAST} tokens")
    found = torch.tensor(long_enough, device=corpus.tokens.device)
    order = torch.randperm(len(found), generator=generator, device=found.device)[:most]
    return found[order.sort().values], len(found)


def windows_of(
    corpus: TokenCorpus, spans: Tensor, length: int, specials: Specials, *, rows: int = 32
) -> Iterator[Inputs]:
    """Batches of ``[CLS] piece [SEP]``, padded.

    Args:
        corpus: the text.
        spans: see :func:`choose_windows`.
        length: tokens an input.
        specials: of the vocabulary.
        rows: inputs a batch.
    """
    position = torch.arange(length, device=spans.device)[None]
    for batch in spans.split(rows):
        start, size = batch[:, :1], batch[:, 1:]
        ordinary = (position > 0) & (position <= size)
        source = (start + position - 1).clamp(0, len(corpus.tokens) - 1)
        ids = torch.where(ordinary, corpus.tokens[source].long(), specials.padding)
        ids = torch.where(position == 0, specials.classify, ids)
        ids = torch.where(position == size + 1, specials.separator, ids)
        keep = position <= size + 1
        single = torch.full_like(batch[:, 0], -1)
        yield Inputs(ids, torch.zeros_like(ids), ordinary, keep, single)
