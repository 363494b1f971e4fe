"""From scores to the probabilities of the next piece, and from those to a piece.

Sources: Fan et al. 2018, "Hierarchical Neural Story Generation", section 5.4 (top-k); Holtzman et
al. 2020, "The Curious Case of Neural Text Degeneration", section 3.1 (top-p).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.bounds import require


@dataclass(frozen=True)
class Sampling:
    """How the next piece is chosen.

    Attributes:
        temperature: divides the scores; below 1 likely pieces become likelier. 0 always takes the
            likeliest piece, the first of equal ones.
        top_k: only the k likeliest pieces stay, with all that equal the k-th; ``None`` for all.
        top_p: only the fewest likeliest pieces stay whose probabilities sum to at least p, counted
            after temperature and ``top_k``; ``None`` for all.

    Raises:
        OutOfBoundsError: a number out of its range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        require(temperature=self.temperature, top_k=self.top_k, top_p=self.top_p)

    @property
    def greedy(self) -> bool:
        """Whether always the likeliest is taken, so that nothing is random."""
        return self.temperature == 0.0 or self.top_k == 1


GREEDY = Sampling(temperature=0.0)


def next_token(scores: Tensor, sampling: Sampling = GREEDY) -> Tensor:
    """The probability with which each piece is drawn.

    Four pieces of the probabilities 0.5, 0.2, 0.2 and 0.1 become, with ``top_k=2``, 5/9, 2/9, 2/9
    and 0 (the third equals the second), and with ``top_p=0.6``, 5/7, 2/7, 0 and 0.

    Args:
        scores: ``[..., vocabulary]``; minus infinity for pieces that are not allowed.
        sampling: what to do to them.

    Returns:
        Of the same shape, float32, every row adding up to 1.
    """
    scores = scores.float()
    if sampling.temperature == 0.0:
        best = torch.zeros_like(scores)
        return best.scatter_(-1, scores.argmax(dim=-1, keepdim=True), 1.0)
    scores = scores / sampling.temperature
    if sampling.top_k is not None and sampling.top_k < scores.shape[-1]:
        least = scores.topk(sampling.top_k, dim=-1).values[..., -1:]
        scores = scores.masked_fill(scores < least, -torch.inf)
    probabilities = scores.softmax(dim=-1)
    if sampling.top_p is None or sampling.top_p == 1.0:
        return probabilities
    # A stable sort: of equal pieces the first ones stay.
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(dim=-1) - ordered  # of all likelier pieces
    ordered = ordered.masked_fill(before >= sampling.top_p, 0.0)
    kept = torch.zeros_like(probabilities).scatter_(-1, order, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def choose(
    scores: Tensor, sampling: Sampling = GREEDY, generator: torch.Generator | None = None
) -> Tensor:
    """One piece for every row: ``[row, vocabulary]`` to ``[row]``.

    Args:
        scores: as for :func:`next_token`.
        sampling: how to choose.
        generator: of all random draws, on any device; not needed where there are none.
    """
    if sampling.greedy:
        return scores.argmax(dim=-1)
    probabilities = next_token(scores, sampling)
    if generator is None:
        raise ValueError("sampling needs a generator")
    # On the generator's device: a seed then means the same text wherever the model runs.
    drawn = torch.multinomial(probabilities.to(generator.device), 1, generator=generator)
    return drawn[:, 0].to(scores.device)
