"""How one attention weight of an encoder and a decoder comes about.

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3: queries, keys and values of the
encoder come from the source, those of the decoder from the target; in cross-attention the queries
come from the target, keys and values from the encoder's output.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from core.checkpoints import Checkpoint
from core.hooks import capture
from core.models.body import Inputs
from core.tasks.errors import NoSuchHeadError, NoSuchTokenError, NotReadError
from core.tasks.recording import to_host
from core.tasks.unfold import POINTS, Weight, weight_at


def unfold_sides(
    checkpoint: Checkpoint,
    source: Sequence[int],
    target: Sequence[int],
    *,
    kind: str,
    layer: int,
    head: int,
    query: int,
    key: int,
) -> Weight:
    """Take a weight of a model with two sides apart.

    Args:
        checkpoint: a loaded Transformer or T5.
        source: ids that the encoder reads.
        target: ids that the decoder reads, its start token first.
        kind: ``encoder``, ``decoder`` or ``cross``, as in :class:`core.tasks.attend.AttentionMap`.
        layer, head: counted from 0.
        query: position of the token that looks: in the source for ``encoder``, else in the target.
        key: position of the token that is looked at: in the target for ``decoder``, else in the
            source.

    Raises:
        NotReadError: the model reads no target.
        NoSuchHeadError: a head that the side does not have.
        NoSuchTokenError: a position that the text does not have.
        ValueError: no such kind.
    """
    model, config = checkpoint.model, checkpoint.config
    if not model.two_sided or model.recurrent:
        raise NotReadError("target", config.system)
    if kind not in ("encoder", "decoder", "cross"):
        raise ValueError(f"There is no kind of attention {kind!r}.")
    stack = config.encoder if kind == "encoder" else config.decoder
    assert stack is not None  # it has two
    depth, heads = stack.depth, stack.layer.attention.heads
    if not (0 <= layer < depth and 0 <= head < heads):
        raise NoSuchHeadError(layer, head, depth, heads)
    queries = len(source if kind == "encoder" else target)
    keys = len(target if kind == "decoder" else source)
    for position, count in ((query, queries), (key, keys)):
        if not 0 <= position < count:
            raise NoSuchTokenError(position, count)
    site = {
        "encoder": f"encoder.layers.{layer}.attention",
        "decoder": f"decoder.layers.{layer}.attention",
        "cross": f"decoder.layers.{layer}.cross_attention",
    }[kind]
    parameter = next(model.parameters())
    read, written = (torch.tensor([[*one]], device=parameter.device) for one in (source, target))
    sites = [f"{site}.{name}" for name in POINTS]
    with torch.inference_mode(), capture(sites, keep=to_host) as trace:
        model.read(Inputs(read, target=None if kind == "encoder" else written), predict=False)
    return weight_at(
        trace,
        site,
        head=head,
        query=query,
        key=key,
        scale=stack.layer.attention.score_scale,
        precision=torch.finfo(parameter.dtype).eps,
    )
