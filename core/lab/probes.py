"""What is looked at while a model learns: gradients, Adam's own rates, heads, held-out pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.hooks import capture
from core.lab.tasks import PADDING
from core.models.encoder_decoder import EncoderDecoder
from core.objectives.losses import IGNORED
from core.objectives.text_to_text import TextToTextBatch

# The three kinds of attention by name, with the sites of their patterns.
KINDS = {
    "encoder": "encoder.layers.*.attention.pattern",
    "decoder": "decoder.layers.*.attention.pattern",
    "cross": "decoder.layers.*.cross_attention.pattern",
}
PROBED_PAIRS = 32  # over which the entropy of a head is a mean
_LEVELS = 255


def part_of(name: str) -> str:
    """The part of the model that a parameter belongs to.

    >>> part_of("decoder.layers.3.attention.query_projection.weight"), part_of("language.bias")
    ('decoder.3', 'embedding')
    """
    stack, *rest = name.split(".")
    return f"{stack}.{rest[1]}" if rest[0] == "layers" else "embedding"


def parts_of(model: EncoderDecoder) -> tuple[str, ...]:
    """The layers from the input to the output, after the embedding, whose table scores words too.

    What a pre-norm model has after its stacks counts to the embedding.
    """
    return tuple(dict.fromkeys(["embedding", *(part_of(n) for n, _ in model.named_parameters())]))


def gradient_norms(model: EncoderDecoder) -> dict[str, float]:
    """Euclidean norm of the gradient of every part, as it is now."""
    squares = dict.fromkeys(parts_of(model), 0.0)
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            squares[part_of(name)] += float(parameter.grad.square().sum())
    return {name: math.sqrt(square) for name, square in squares.items()}


def adaptive_variance(optimiser: torch.optim.Optimizer) -> float:
    """How far Adam's own rates lie apart: the variance of their natural logarithms.

    The adaptive rate of a weight is ``sqrt((1 - beta2^t) / v)``, with ``v`` the running mean of its
    squared gradients (Liu et al. 2020, "On the Variance of the Adaptive Learning Rate and Beyond",
    section 2). The logarithm makes the scale of gradients irrelevant, and has a variance at every
    step, where that of the rate itself is infinite at first. It is taken within each matrix or
    vector and averaged over all weights, those without any gradient so far (words not met) left
    out: not a number when there is no other.
    """
    total, count = 0.0, 0
    for moments in optimiser.state.values():
        squares = moments["exp_avg_sq"]
        found = squares[squares > 0].double()
        if len(found) > 1:
            # The bias correction and the root: a constant in the logarithm, and half of it.
            total += float(found.log().var(correction=0)) / 4 * len(found)
            count += len(found)
    return total / count if count else math.nan


def expected_variance(step: int, beta: float) -> float:
    """The same after ``step`` gradients by the theory, for a weight whose gradient is pure noise.

    Liu et al. 2020, section 3: the rate is then the root of a scaled inverse chi-square with as
    many degrees of freedom as their equation for the length of the mean says, from 1 at the first
    step to ``2 / (1 - beta) - 1``. The logarithm of a chi-square of ``r`` degrees has the variance
    ``trigamma(r / 2)``.

    >>> round(expected_variance(1, 0.98), 3), round(expected_variance(1000, 0.98), 4)
    (1.234, 0.0051)
    """
    power = beta**step
    length = 2 / (1 - beta) - 1 - 2 * step * power / (1 - power)
    return float(torch.polygamma(1, torch.tensor(length / 2, dtype=torch.float64))) / 4


@dataclass(frozen=True)
class HeldOutProbe:
    """What the held-out pairs say of the model at one step.

    Attributes:
        loss: nats a token of the targets.
        accuracy: share of the target tokens that come first, each after the right ones before it.
        whole: share of the targets all of whose tokens do.
        entropy: by kind, bits of each head's rows, ``[layer][head]``, mean over the rows of the
            probed pairs.
        patterns: by kind, the weights over the first pair, ``[layer, head, query, key]`` on the
            CPU.
    """

    loss: float
    accuracy: float
    whole: float
    entropy: Mapping[str, Any]
    patterns: Mapping[str, Tensor]


@torch.no_grad()
def probe_held_out(model: EncoderDecoder, batch: TextToTextBatch, losses: Tensor) -> HeldOutProbe:
    """Measure the model on held-out pairs; it is left as it was.

    Args:
        model: in whatever mode.
        batch: the pairs, of which the first is drawn and the first few are probed.
        losses: of the objective for this batch, a scalar.
    """
    training = model.training
    model.eval()
    try:
        first = TextToTextBatch(
            batch.source[:PROBED_PAIRS],
            None if batch.source_keep is None else batch.source_keep[:PROBED_PAIRS],
            batch.inputs[:PROBED_PAIRS],
            batch.labels[:PROBED_PAIRS],
        )
        with capture(list(KINDS.values())) as trace:
            _logits(model, first)
        logits = _logits(model, batch)
    finally:
        model.train(training)
    wanted = batch.labels != IGNORED
    right = (logits.argmax(-1) == batch.labels) | ~wanted
    patterns = {kind: trace.stacked(sites) for kind, sites in KINDS.items()}
    sources = first.source != PADDING  # [pair, token]
    targets = first.labels != IGNORED
    sizes = int(sources[0].sum()), int(targets[0].sum())
    return HeldOutProbe(
        float(losses),
        float((right & wanted).sum() / wanted.sum()),
        float(right.all(-1).float().mean()),
        {
            kind: _entropy(pattern, sources if kind == "encoder" else targets)
            for kind, pattern in patterns.items()
        },
        {
            kind: pattern[
                :,
                0,
                :,
                : sizes[kind != "encoder"],
                : sizes[kind == "decoder"],
            ].cpu()
            for kind, pattern in patterns.items()
        },
    )


def _logits(model: EncoderDecoder, batch: TextToTextBatch) -> Tensor:
    memory = model.encode(batch.source, batch.source_keep)
    return model.score_words(model.decode(batch.inputs, memory, memory_keep=batch.source_keep))


def _entropy(patterns: Tensor, queries: Tensor) -> list[list[float]]:
    # [layer, pair, head, query, key] and [pair, query] to [layer][head]
    bits = -torch.special.xlogy(patterns, patterns).sum(-1) / math.log(2)
    real = queries[None, :, None, :]
    means = (bits * real).sum((1, 3)) / real.sum((1, 3))
    found: list[list[float]] = means.double().cpu().tolist()
    return found


def as_levels(pattern: Tensor) -> bytes:
    """Weights from 0 to 1 as one byte each."""
    return bytes((pattern * _LEVELS).round().to(torch.uint8).contiguous().numpy())
