"""Layer by layer: whose weights serve it, how far it moves the states, and what it attends to.

Lan et al. 2020, "ALBERT", section 3.1 and figure 1: all layers share one set of weights, and the
distance and the angle between what a layer reads and what it gives are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.tasks.forward import AttentionSite, encode, forward, one_stack, require_room
from core.tokenisation import Encoding


@dataclass(frozen=True)
class LayerStep:
    """One layer of the forward pass.

    Attributes:
        module: number of the module that serves it; the same number is the same weights.
        distance: length of what the layer adds, mean over tokens (L2).
        cosine: between what a token's state was and what it becomes, mean over tokens.
        apart: share of attention that lies elsewhere than in the layer before, mean over heads and
            tokens, in [0, 1]; ``None`` for the first layer.
    """

    module: int
    distance: float
    cosine: float
    apart: float | None


@dataclass(frozen=True, eq=False)
class LayerSteps:
    """All layers.

    Attributes:
        encoding: the text as it ran.
        steps: in the order of the forward pass.
        patterns: attention ``[layer, head, query, key]``, read-only.
        module_parameters: numbers that were learnt in one module, in their order.
    """

    encoding: Encoding
    steps: tuple[LayerStep, ...]
    patterns: NDArray[np.float32]
    module_parameters: tuple[int, ...]


def layer_steps(checkpoint: Checkpoint, text: str) -> LayerSteps:
    """Read a text and look at every layer.

    Args:
        checkpoint: a model of one side.
        text: what a person typed.

    Raises:
        NotOneStackError: the model is an encoder-decoder.
        EmptyTextError, TextTooLongError, SequenceTooLongError, TooManyWeightsError: as in
            :func:`core.tasks.attend`.
    """
    encoding = encode(checkpoint, text)
    side, stack = one_stack(checkpoint)
    require_room(AttentionSite.in_stack(side, stack, len(encoding)))
    sites = (f"{side}.layers.*.input", f"{side}.layers.*.output")
    ran = forward(checkpoint, encoding, sites=sites, patterns=True)
    assert ran.patterns is not None  # asked for
    before, after = (  # [layer, token, width]
        ran.trace.stacked(site, layers=stack.depth)[:, 0].numpy() for site in sites
    )
    added = np.linalg.norm(after - before, axis=-1).mean(-1)
    lengths = np.linalg.norm(before, axis=-1) * np.linalg.norm(after, axis=-1)
    cosines = ((before * after).sum(-1) / np.maximum(lengths, 1e-12)).mean(-1)
    apart = np.abs(np.diff(ran.patterns, axis=0)).sum(-1).mean((1, 2)) / 2
    layers = getattr(checkpoint.model, side).layers
    return LayerSteps(
        encoding,
        tuple(
            LayerStep(
                module,
                float(added[number]),
                float(cosines[number]),
                float(apart[number - 1]) if number else None,
            )
            for number, module in enumerate(stack.plan)
        ),
        ran.patterns,
        tuple(sum(one.numel() for one in layer.parameters()) for layer in layers),
    )
