"""What a decoder remembers between two steps: the keys and values of every layer."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

KeysValues = tuple[Tensor, Tensor]


class AttentionCache:
    """Keys and values of one attention, ``[batch, group, token, size]`` each."""

    def __init__(self) -> None:
        self.kept: KeysValues | None = None

    @property
    def length(self) -> int:
        """How many tokens are kept."""
        return 0 if self.kept is None else self.kept[0].shape[2]

    def extend(self, key: Tensor, value: Tensor) -> KeysValues:
        """Add the newest tokens; return everything kept so far."""
        if self.kept is not None:
            key = torch.cat([self.kept[0], key], dim=2)
            value = torch.cat([self.kept[1], value], dim=2)
        self.kept = (key, value)
        return self.kept

    def once(self, make: Callable[[], KeysValues]) -> KeysValues:
        """What an unchanging memory gives, computed in the first step only."""
        if self.kept is None:
            self.kept = make()
        return self.kept

    def reorder(self, rows: Tensor) -> None:
        """Keep the given rows of the batch, in their order: beams end and split."""
        if self.kept is not None:
            self.kept = (self.kept[0][rows], self.kept[1][rows])


class LayerCache:
    """The caches of one layer's attentions."""

    def __init__(self) -> None:
        self.attention, self.cross_attention = AttentionCache(), AttentionCache()


class Cache:
    """The caches of a stack, by the layer's number in the forward pass.

    Layers that share a module have different keys, so each has a cache of its own.
    """

    def __init__(self, depth: int) -> None:
        self.layers = [LayerCache() for _ in range(depth)]
        self._bias = torch.empty(0)

    @property
    def length(self) -> int:
        """How many tokens are kept."""
        return self.layers[0].attention.length

    def last_bias(self, keys: int, make: Callable[[int, int], Tensor]) -> Tensor:
        """The position bias of the last of so many positions, ``[1, head, 1, key]``.

        Only distances matter, so that of a longer text ends with that of a shorter one.

        Args:
            keys: positions, the last one included.
            make: gives the biases of the last queries among so many keys.
        """
        if self._bias.shape[-1] < keys:
            self._bias = make(1, 2 * keys)
        return self._bias[..., -keys:]

    def reorder(self, rows: Tensor, *, memory: bool = True) -> None:
        """Keep the given rows of the batch, in their order.

        Args:
            rows: their numbers.
            memory: whether they have other memories than the rows that stood there before.
        """
        for layer in self.layers:
            layer.attention.reorder(rows)
            if memory:
                layer.cross_attention.reorder(rows)
