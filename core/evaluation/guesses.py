"""How good guesses at hidden pieces are."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from core.evaluation.options import Figures


def ranks(logits: Tensor, labels: Tensor) -> Tensor:
    """How many classes score as well as the right one or better: a tie is no right guess.

    Args:
        logits: ``[position, class]``; a score that is no number counts as better.
        labels: the right class, ``[position]``.

    Returns:
        0 for the first guess, ``[position]``.
    """
    return (~(logits < logits.gather(1, labels[:, None]))).sum(1) - 1


class Guesses:
    """Collects guesses, batch by batch."""

    def __init__(self) -> None:
        self._scores: list[Tensor] = []  # a position: [rank, nats, is it a whole word]

    def add(self, logits: Tensor, labels: Tensor, whole: Tensor) -> None:
        """Take in one batch.

        Args:
            logits: ``[position, vocabulary]``.
            labels: the original pieces, ``[position]``.
            whole: whether each is a whole word, boolean ``[position]``.
        """
        logits = logits.float()
        nats = functional.cross_entropy(logits, labels, reduction="none")
        rank = ranks(logits, labels)
        self._scores.append(torch.stack([rank.float(), nats, whole.float()], dim=1).cpu())

    def figures(self, name: str = "", *, words: bool = True) -> Figures:
        """``top1``, ``top5``, ``loss`` in mean nats and ``places``.

        Args:
            name: put before the name of each figure.
            words: whether to tell the shares of whole words too, ``None`` where there are none.
        """
        rank, nats, whole = torch.cat(self._scores).unbind(1)
        figures: Figures = {
            f"{name}top1": _share(rank < 1),
            f"{name}top5": _share(rank < 5),
            f"{name}loss": float(nats.mean()) if len(nats) else None,
            f"{name}places": len(rank),
        }
        if words:
            of_words = rank[whole.bool()]
            figures |= {
                f"{name}whole_word_top1": _share(of_words < 1),
                f"{name}whole_word_top5": _share(of_words < 5),
                f"{name}whole_word_places": len(of_words),
            }
        return figures


def _share(right: Tensor) -> float | None:
    return float(right.float().mean()) if len(right) else None
