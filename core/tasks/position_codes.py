"""What a model knows of positions, read from its hook points: a table, or terms of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Positions, StackConfig
from core.errors import SequenceTooLongError
from core.hooks import capture, to_host
from core.hooks.sites import at_layer
from core.models.blocks.relative_attention import distances
from core.models.permutation import CONTENT
from core.tasks.errors import NotReadError
from core.tasks.forward import POSITIONS, encode, forward, read_only
from core.tokenisation import Encoding

MOST_POSITIONS = 512
MOST_SCORED_TOKENS = 48  # of a text whose position terms are kept for every head
POSITION_SCORES = "encoder.layers.*.attention.score.position_scores"


@dataclass(frozen=True)
class PositionTable:
    """Rows of a position table.

    Attributes:
        rows: ``[position, width]``, read-only, as they pass the hook point.
        limit: how many positions the model has.
        kind: where they come from.
    """

    rows: NDArray[np.float32]
    limit: int
    kind: Positions


@dataclass(frozen=True)
class PositionScores:
    """What positions add to the scores of every head.

    Attributes:
        scores: ``[layer, head, query, key]``, read-only. One layer where all share a bias (T5).
        encoding: the tokens that were read; ``None`` where the content does not count.
        buckets: T5: in how many classes distances fall.
        max_distance: T5: from this distance on all are alike.
    """

    scores: NDArray[np.float32]
    encoding: Encoding | None = None
    buckets: int | None = None
    max_distance: int | None = None


@torch.inference_mode()
def position_table(checkpoint: Checkpoint, positions: int, *, start: int = 0) -> PositionTable:
    """Read what a model adds to its tokens at ``start``, ``start + 1``, ...

    Args:
        checkpoint: a model with a position table, learned or computed.
        positions: how many rows, at least one.
        start: the first position.

    Raises:
        SequenceTooLongError: the model has no row for the last of them.
        NotReadError: the model has no such table.
    """
    config = checkpoint.config.embedding
    end, limit = start + positions, config.max_positions
    if config.positions is Positions.NONE:
        raise NotReadError("position table", checkpoint.config.system)
    if end > limit:
        raise SequenceTooLongError(end, limit)
    embedding: Any = checkpoint.model.embedding
    device = next(checkpoint.model.parameters()).device
    # Rows do not depend on the tokens, as long as none is padding.
    ids = torch.full((1, positions), _ordinary_id(checkpoint), device=device)
    with capture((POSITIONS,), keep=to_host) as trace:
        embedding(ids, start=start)
    return PositionTable(read_only(trace[POSITIONS][0]), limit, config.positions)


@torch.inference_mode()
def distance_bias(checkpoint: Checkpoint, positions: int) -> PositionScores:
    """Read what T5's encoder adds to the scores of every pair of positions.

    Args:
        checkpoint: a model whose encoder has one relative bias for all layers.
        positions: how many tokens.

    Raises:
        NotReadError: the model has none.
        SequenceTooLongError: more than ``MOST_POSITIONS``.
    """
    encoder = checkpoint.config.encoder
    bias = encoder.shared_bias if encoder is not None else None
    if bias is None:
        raise NotReadError("relative bias", checkpoint.config.system)
    if positions > MOST_POSITIONS:
        raise SequenceTooLongError(positions, MOST_POSITIONS)
    model: Any = checkpoint.model
    stack = model.encoder
    # The layers would run to no use: the bias is there before the first.
    with capture(("encoder.position_bias",), keep=to_host) as trace:
        stack.position_bias(stack.relative_bias(positions, positions))
    scores = read_only(trace["encoder.position_bias"])  # [1, head, query, key]: one "layer"
    return PositionScores(scores, buckets=bias.buckets, max_distance=bias.max_distance)


def position_scores(checkpoint: Checkpoint, text: str) -> PositionScores:
    """Read the position term of XLNet's scores, scaled as it enters them.

    The term is the product of a query with the wave of a distance; Transformer-XL's terms (b) and
    (d) together (Dai et al. 2019, section 3.3). So it depends on the text, and is read from it: of
    at most ``MOST_SCORED_TOKENS`` tokens.

    Args:
        checkpoint: an XLNet.
        text: what a person typed.

    Raises:
        NotReadError: the model has no such term.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    stack = _relative_stack(checkpoint)
    encoding = encode(checkpoint, text).up_to(MOST_SCORED_TOKENS)
    ran = forward(checkpoint, encoding, sites=(POSITION_SCORES,))
    scores: Tensor = ran.trace.stacked(POSITION_SCORES, CONTENT, layers=stack.depth)[:, 0]
    return PositionScores(read_only(scores * stack.layer.attention.score_scale), encoding)


@torch.inference_mode()
def constant_position_scores(checkpoint: Checkpoint, positions: int) -> PositionScores:
    """Read the part of XLNet's position term that is the same in every text, scaled.

    It is a learned bias times the wave of a distance: Transformer-XL's term (d) (Dai et al. 2019,
    section 3.3). The term of a query of zeros is that part alone, so each layer's attention is
    asked for one, which stands in the middle of ``2 * positions - 1`` tokens and so meets every
    distance once. Of two positions, key minus query::

        its row  -1  0  1        query 0   0  1
                                 query 1  -1  0

    Args:
        checkpoint: an XLNet.
        positions: how many tokens.

    Raises:
        NotReadError: the model has no such term.
        SequenceTooLongError: more than ``MOST_POSITIONS``.
    """
    stack = _relative_stack(checkpoint)
    if positions > MOST_POSITIONS:
        raise SequenceTooLongError(positions, MOST_POSITIONS)
    model: Any = checkpoint.model
    device, width = model.query_start.device, stack.layer.width
    keys, middle = 2 * positions - 1, positions - 1
    nothing = torch.zeros(1, keys, width, device=device)
    waves = distances(keys, keys, width, device)
    position = torch.tensor([[middle]], device=device)
    with capture((POSITION_SCORES,), keep=to_host) as trace:
        for number, layer in enumerate(model.encoder.layers):
            with at_layer(number):
                layer.attention(nothing[:, :1], nothing, distance=waves, positions=position)
    curves = trace.stacked(POSITION_SCORES, layers=stack.depth)[
        :, 0, :, 0
    ]  # [layer, head, distance]
    at = torch.arange(positions)
    scores = curves[:, :, at - at[:, None] + middle]  # [layer, head, query, key]
    return PositionScores(read_only(scores * stack.layer.attention.score_scale))


def _relative_stack(checkpoint: Checkpoint) -> StackConfig:
    stack = checkpoint.config.encoder
    if checkpoint.config.system != "xlnet" or stack is None:
        raise NotReadError("position term", checkpoint.config.system)
    return stack


def _ordinary_id(checkpoint: Checkpoint) -> int:
    tokenizer = checkpoint.tokenizer
    return next(one for one in range(tokenizer.vocabulary_size) if one != tokenizer.pad_id)
