"""Held-out figures of a causal model: how many bits it needs for a byte of text.

How it is counted. Every document is its text as it is read (:mod:`core.training.corpora`): its
paragraphs with a line break between each two. Documents stand one after the other, each followed by
the end token, as in the training, with one more end token at the very start, which is only read.
Every token of this row is predicted exactly once, the ends of the documents included: their nats
count, though they are no bytes. The bytes are those of the texts in UTF-8.

The model reads windows of the row. Of the first, all tokens count; each later one starts half a
window on, and only tokens count that none before it has counted, so that more than half a window is
read before each of these, perhaps of other documents, as in the training.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.evaluation.options import Figures, Options
from core.models.blocks.attention import fused_attention
from core.objectives.causal_lm import pack_documents
from core.objectives.pieces import end_id
from core.training.corpora import CorpusError, TokenCorpus, as_written, read_documents

_BATCH_TOKENS = 2048


@dataclass(frozen=True)
class CausalFigures:
    """Measured on held-out text.

    Attributes:
        bits_per_byte: of all tokens, over the bytes of the texts.
        nats_per_token: mean over all tokens.
        top1: share of tokens that are the first guess.
        top5: share that is among the first five.
        tokens: predicted, ends of documents included.
        bytes: of the texts.
        documents: of the text.
        window: tokens that the model reads at once.
        least_context: tokens that are read before each, but for those of the first window.
        seconds: wall time.
    """

    bits_per_byte: float
    nats_per_token: float
    top1: float
    top5: float
    tokens: int
    bytes: int
    documents: int
    window: int
    least_context: int
    seconds: float


class Window(NamedTuple):
    """A stretch of the row: it reads ``start`` to ``end`` and counts from ``counted`` on.

    The token at position ``p`` predicts that at ``p + 1``; the positions are those of the readers.
    """

    start: int
    counted: int
    end: int


def sliding_windows(tokens: int, length: int) -> list[Window]:
    """Windows in which each of so many readers counts exactly once.

    Ten readers, windows of four::

        reads 0 1 2 3   counts 0 1 2 3
              2 3 4 5          4 5
              4 5 6 7          6 7
              6 7 8 9          8 9
    """
    windows = [Window(0, 0, min(length, tokens))]
    stride = length // 2
    while (counted := windows[-1].end) < tokens:
        end = min(counted + stride, tokens)
        windows.append(Window(end - length, counted, end))
    return windows


@torch.inference_mode()
def measure_next_words(model: Any, row: Tensor, *, length: int) -> Tensor:
    """Predict every token of a row but the first.

    Args:
        model: causal, in evaluation mode, with a language head.
        row: token ids ``[token]``, on the model's device.
        length: tokens of a window.

    Returns:
        ``[token - 1, 2]`` on the CPU: how many pieces score at least as well as the right one, and
        its nats.
    """
    found: list[Tensor] = []
    with fused_attention():
        for windows in _batches(sliding_windows(len(row) - 1, length)):
            ids = torch.stack([row[one.start : one.end] for one in windows]).long()
            hidden = model.decode(ids)  # [window, token, width]
            counts = torch.cat(
                [
                    hidden[number, one.counted - one.start :]  # [counted, width]
                    for number, one in enumerate(windows)
                ]
            )
            labels = torch.cat([row[one.counted + 1 : one.end + 1] for one in windows]).long()
            scores = model.score_words(counts).float()  # [counted, vocabulary]
            nats = functional.cross_entropy(scores, labels, reduction="none")
            # Behind every piece that scores as well, or no number: a tie is no right guess.
            rank = (~(scores < scores.gather(1, labels[:, None]))).sum(1) - 1
            found.append(torch.stack([rank.float(), nats], dim=1).cpu())
    return torch.cat(found)


def _batches(windows: list[Window]) -> Iterator[list[Window]]:
    """Windows of one length together; only the first one may count more than the others."""
    length = windows[0].end - windows[0].start
    rows = max(1, _BATCH_TOKENS // length)
    yield windows[:1]
    for first in range(1, len(windows), rows):
        yield windows[first : first + rows]


def evaluate_causal(checkpoint: Checkpoint, options: Options) -> Figures:
    """Measure a causal model on the whole of a text.

    Raises:
        ConfigError: no text is given, or the model cannot read so many tokens at once.
        MissingHeadError: the model predicts no next words.
        CorpusError: the text cannot be read, or there is none.
    """
    config, tokenizer = checkpoint.config, checkpoint.tokenizer
    if options.text is None:
        raise ConfigError(f"a model of the system {config.system} needs --text")
    if Head.LANGUAGE not in config.heads:
        raise MissingHeadError("next words")
    positions = config.embedding.max_positions
    length = positions if options.context is None else options.context
    if not 2 <= length <= positions:
        raise ConfigError(f"this model reads 2 to {positions} tokens at once, not {length}")
    began = time.monotonic()
    documents = list(read_documents(options.text))
    if not documents:
        raise CorpusError("the corpus holds no text")
    corpus = TokenCorpus.from_texts(documents, tokenizer.inner)
    end = end_id(tokenizer)
    row = functional.pad(pack_documents(corpus, end), (1, 0), value=end)
    device = next(checkpoint.model.parameters()).device
    ranks, nats = measure_next_words(checkpoint.model, row.to(device), length=length).unbind(1)
    size = sum(len("".join(as_written(paragraphs)).encode()) for paragraphs in documents)
    total = float(nats.double().sum())
    return asdict(
        CausalFigures(
            bits_per_byte=total / math.log(2) / size,
            nats_per_token=total / len(nats),
            top1=float((ranks < 1).float().mean()),
            top5=float((ranks < 5).float().mean()),
            tokens=len(nats),
            bytes=size,
            documents=len(documents),
            window=length,
            least_context=length - length // 2 + 1,
            seconds=time.monotonic() - began,
        )
    )
