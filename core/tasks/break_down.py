"""How one attention weight comes about, from the query and the key to the softmax.

Vaswani et al. 2017, "Attention Is All You Need", sections 3.2.1 and 3.2.3: within one text,
queries and keys come from the same tokens; in cross-attention, queries come from the target and
keys from the encoder's output.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.hooks import capture, to_host
from core.tasks.errors import NoSuchHeadError, NoSuchTokenError, NotReadError
from core.tasks.forward import inputs_of, one_stack, read_only

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
        allowed: whether the query may attend to this key.
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


def break_down(
    checkpoint: Checkpoint,
    ids: Sequence[int],
    target: Sequence[int] | None = None,
    *,
    segments: Sequence[int] | None = None,
    kind: str,
    layer: int,
    head: int,
    query: int,
    key: int,
) -> Weight:
    """Take the weight that one token puts on another one apart.

    Args:
        checkpoint: a loaded model with attention heads.
        ids: of the tokens that are read, as in :class:`core.tokenisation.Encoding`; of a model with
            two sides, those of the encoder.
        target: ids that the decoder beside an encoder reads, its start token first; ``None`` in any
            other model, and where its encoder is asked about.
        segments: of ``ids``, as in an encoding; ``None`` for one text.
        kind: of attention, the name of an :class:`core.tasks.attend.AttentionMap`; of XLNet, the
            content stream in the text's own order.
        layer, head: counted from 0.
        query: position of the token that attends: in ``target`` for the two kinds of a decoder
            beside an encoder, else in ``ids``.
        key: position of the token that is attended to: in ``target`` for the self-attention of such
            a decoder, else in ``ids``.

    Raises:
        NotReadError: the model reads no target.
        NoSuchHeadError: a head that the model does not have; a recurrent one has none.
        NoSuchTokenError: a position that the text does not have.
        SequenceTooLongError: more tokens than positions.
        ValueError: the model has no such kind of attention.
    """
    model, config = checkpoint.model, checkpoint.config
    if target is not None and not model.text_to_text:
        raise NotReadError("target", config.system)
    if model.recurrent:
        raise NoSuchHeadError(layer, head, 0, 0)
    side, module = ("decoder", "cross_attention") if kind == "cross" else (kind, "attention")
    if kind in model.streams[:1]:
        side, _stack = one_stack(checkpoint)
    stack = {"encoder": config.encoder, "decoder": config.decoder}.get(side)
    if stack is None or (kind == "cross" and not model.text_to_text):
        raise ValueError(f"A model of the system {config.system} has no attention {kind!r}.")
    depth, heads = stack.depth, stack.layer.attention.heads
    if not (0 <= layer < depth and 0 <= head < heads):
        raise NoSuchHeadError(layer, head, depth, heads)
    read = (target or ()) if model.text_to_text and side == "decoder" else ids
    for position, tokens in ((query, read), (key, ids if kind == "cross" else read)):
        if not 0 <= position < len(tokens):
            raise NoSuchTokenError(position, len(tokens))
    site = f"{side}.layers.{layer}.{module}"
    sites = [f"{site}.{name}" for name in POINTS]
    inputs = inputs_of(checkpoint, ids, segments, None if side == "encoder" else target)
    with torch.inference_mode(), capture(sites, keep=to_host) as trace:
        model.read(inputs, predict=False)
    key_heads = trace[f"{site}.key"].shape[1]  # several heads may share their keys
    heads_of = {"key": head * key_heads // heads}
    maps = {name: trace[f"{site}.{name}"][0, heads_of.get(name, head)].numpy() for name in POINTS}
    return weight_of(
        maps["query"][query],
        maps["key"],
        maps["scores"][query],
        maps["masked_scores"][query],
        maps["pattern"][query],
        key=key,
        scale=stack.layer.attention.score_scale,
        precision=torch.finfo(next(model.parameters()).dtype).eps,
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
        query: features of the token that attends, ``[head_size]``.
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
