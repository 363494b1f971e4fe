"""Who may attend to whom: one boolean object with one meaning."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Mask:
    """Allowed pairs of query and key.

    Masks are combined as booleans and meet the scores once: two added minimum biases would
    overflow to minus infinity.

    Attributes:
        keep: boolean ``[batch or 1, 1, query or 1, key]``, True where the query may attend.
        only_causal: whether that says no more than "no key after its query", with as many keys as
            queries: fused kernels know this mask by heart and skip what it hides.
    """

    keep: Tensor
    only_causal: bool = False

    @classmethod
    def padding(cls, keep: Tensor) -> Mask:
        """Hide padded keys from every query; ``keep`` is boolean ``[batch, key]``."""
        return cls(keep[:, None, None, :])

    @classmethod
    def causal(
        cls,
        queries: int,
        keys: int,
        device: torch.device | None = None,
        window: int | None = None,
    ) -> Mask:
        """Hide the future. With more keys than queries, the first keys are the past.

        Two queries after one remembered key, ``causal(2, 3)``, and with a window of two keys::

                    key 0  key 1  key 2            key 0  key 1  key 2
            query 0   x      x      .      query 0   x      x      .
            query 1   x      x      x      query 1   .      x      x

        Args:
            queries: the last of the keys' tokens.
            keys: how many.
            device: of the mask.
            window: keys that a query sees, its own included (Beltagy et al. 2020, "Longformer",
                section 3.1); ``None`` for all.
        """
        past = keys - queries
        keep = torch.ones(queries, keys, dtype=torch.bool, device=device).tril(diagonal=past)
        if window is None or window >= keys:
            return cls(keep[None, None], only_causal=queries == keys)
        return cls(keep.triu(diagonal=past - window + 1)[None, None])

    def __and__(self, other: Mask) -> Mask:
        """Allow only what both allow."""
        return Mask(self.keep & other.keep)

    def apply(self, scores: Tensor) -> Tensor:
        """Set forbidden scores ``[batch, head, query, key]`` to the lowest finite number.

        Finite, so that a row without any allowed key stays free of NaN. Such a row becomes
        uniform, which says nothing: :meth:`empty_rows` marks it.
        """
        return scores.masked_fill(~self.keep, torch.finfo(scores.dtype).min)

    def empty_rows(self) -> Tensor:
        """Boolean ``[batch or 1, query or 1]``: True for queries that may attend to nothing."""
        return ~self.keep.any(dim=-1)[:, 0]
