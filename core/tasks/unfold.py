"""How one attention weight comes about, from the query and the key to the softmax.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import finfo

from core.checkpoints import Checkpoint
from core.hooks import Trace
from core.tasks.errors import NoSuchTokenError
from core.tasks.forward import encode, forward, one_stack, require_heads
from core.tasks.recording import read_only
from core.tokenisation import Encoding

Numbers = NDArray[np.float32]

POINTS = ("query", "key", "scores", "masked_scores", "pattern")


@dataclass(frozen=True)
class Weight:
    """One weight and every number before it.

    Attributes:
        products: the query's features times the key's, ``[head_size]``; their sum is ``dot``.
        dot: query . key.
        scale: factor on it.
        bias: what is added to ``scale * dot``: for the position of the two, in XLNet for the key
            alone and for the segments, too; ``None`` in a model without such terms.
        score: of the key for this query.
        allowed: whether the query may look at this key.
        masked_score: the score that the softmax sees.
        largest: masked score of the row's best key.
        exponential: ``exp(masked_score - largest)``.
        total: sum of the exponentials of all keys of the row.
        weight: as it passed the pattern's hook point, ``exponential / total`` up to rounding.
    """

    products: Numbers
    dot: float
    scale: float
    bias: float | None
    score: float
    allowed: bool
    masked_score: float
    largest: float
    exponential: float
    total: float
    weight: float


@dataclass(frozen=True)
class UnfoldedCell(Weight):
    """A :class:`Weight` and where it was found, all numbers of one forward pass.

    Attributes:
        layer, head: counted from 0.
        query, key: positions of the two tokens, counted from 0 with special tokens.
        encoding: exactly the tokens that ran.
        seconds: wall time of the pass.
        device: where it ran.
    """

    layer: int
    head: int
    query: int
    key: int
    encoding: Encoding
    seconds: float
    device: str


def unfold(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    layer: int,
    head: int,
    query: int,
    key: int,
    cut: bool = False,
) -> UnfoldedCell:
    """Take the weight that a token of a text puts on another one apart.

    Args:
        checkpoint: a loaded model of one side; of XLNet, the content stream.
        text: what a person typed.
        pair: a second text, or ``None``.
        layer: counted from 0.
        head: counted from 0.
        query: position of the token that looks.
        key: position of the token that is looked at.
        cut: leave out the end of the longer text until both fit, instead of refusing.

    Raises:
        NoSuchHeadError: a head that the model does not have.
        NotOneSidedError: the model has two sides.
        NoSuchTokenError: a position that the text does not have.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    require_heads(checkpoint, [(layer, head)])
    encoding = encode(checkpoint, text, pair, cut=cut)
    for position in (query, key):
        if not 0 <= position < len(encoding):
            raise NoSuchTokenError(position, len(encoding))
    side, stack = one_stack(checkpoint)
    site = f"{side}.layers.{layer}.attention"
    sites = tuple(f"{site}.{name}" for name in POINTS)
    ran = forward(checkpoint, encoding, sites=sites)
    parts = weight_at(
        ran.trace,
        site,
        head=head,
        query=query,
        key=key,
        scale=stack.layer.attention.score_scale,
        precision=finfo(next(checkpoint.model.parameters()).dtype).eps,
    )
    return UnfoldedCell(
        **vars(parts),
        layer=layer,
        head=head,
        query=query,
        key=key,
        encoding=encoding,
        seconds=ran.seconds,
        device=ran.device,
    )


def weight_at(
    trace: Trace, site: str, *, head: int, query: int, key: int, scale: float, precision: float
) -> Weight:
    """Take a weight of one recorded attention apart.

    Args:
        trace: has ``POINTS`` of the attention, batches of one.
        site: of the attention.
        head, query, key: which weight.
        scale, precision: see :func:`weight_of`.
    """
    features = trace[f"{site}.query"][0], trace[f"{site}.key"][0]
    group = head * len(features[1]) // len(features[0])  # several heads may share their keys
    maps = {
        name: trace[f"{site}.{name}"][0, group if name == "key" else head].numpy()
        for name in POINTS
    }
    return weight_of(
        maps["query"][query],
        maps["key"],
        maps["scores"][query],
        maps["masked_scores"][query],
        maps["pattern"][query],
        key=key,
        scale=scale,
        precision=precision,
    )


def weight_of(
    query: Numbers,
    keys: Numbers,
    scores: Numbers,
    masked_scores: Numbers,
    pattern: Numbers,
    *,
    key: int,
    scale: float,
    precision: float = float(np.finfo(np.float32).eps),
) -> Weight:
    """Take one weight of a row apart; sums are formed in float64.

    Args:
        query: features of the token that looks, ``[head_size]``.
        keys: features of all tokens, ``[key, head_size]``.
        scores: the row's scores, ``[key]``.
        masked_scores: the same after the mask, ``[key]``.
        pattern: the row's weights, ``[key]``.
        key: which of them.
        scale: factor on query . key.
        precision: relative rounding error of the numbers that the model computes with.
    """
    terms = keys.astype(np.float64) * query.astype(np.float64)  # [key, head_size]
    rest = scores - scale * terms.sum(axis=1)
    # What rounding alone can leave of a sum of so many terms: more than that is a position bias.
    rounding = (query.size + 2) * precision * scale * np.abs(terms).sum(axis=1)
    exponentials = np.exp(masked_scores.astype(np.float64) - masked_scores.max())
    return Weight(
        products=read_only(keys[key] * query),
        dot=float(terms[key].sum()),
        scale=scale,
        bias=float(rest[key]) if (np.abs(rest) > rounding).any() else None,
        score=float(scores[key]),
        allowed=bool(masked_scores[key] == scores[key]),
        masked_score=float(masked_scores[key]),
        largest=float(masked_scores.max()),
        exponential=float(exponentials[key]),
        total=float(exponentials.sum()),
        weight=float(pattern[key]),
    )
