"""How well states of two sequences fit each other: the family of alignment scores.

Every score compares all states of one side, the queries, with all states of the other, the keys; a
softmax over the keys then makes weights of it.
"""

from __future__ import annotations

import math

from torch import Tensor, nn
from torch.nn import functional

from core.errors import ConfigError, SequenceTooLongError
from core.models.blocks.weights import Linear
from core.recurrent_config import Alignment


class AlignmentScore(nn.Module):
    """What all scores have in common: the part that depends on the keys alone is made once."""

    def prepare(self, keys: Tensor) -> Tensor:
        """Keys ``[batch, source, size]`` as :meth:`compare` wants them."""
        return keys

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """Queries ``[batch, target, size]`` and prepared keys to ``[batch, target, source]``."""
        raise NotImplementedError

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """``[batch, target, size]`` and ``[batch, source, size]`` to ``[batch, target, source]``.

        Raises:
            SequenceTooLongError: more keys than a location score has rows for.
        """
        return self.compare(query, self.prepare(keys))


class ContentScore(AlignmentScore):
    """score = s . h / (|s| |h|): the cosine of the angle between both.

    Source: Graves, Wayne and Danihelka 2014, "Neural Turing Machines", section 3.3.1, where a
    learned strength multiplies it.
    """

    def prepare(self, keys: Tensor) -> Tensor:
        """Keys of length 1."""
        return functional.normalize(keys, dim=-1)

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """See the class."""
        return functional.normalize(query, dim=-1) @ prepared.transpose(1, 2)


class AdditiveScore(AlignmentScore):
    """score = v . tanh(W s + U h).

    Source: Bahdanau, Cho and Bengio 2015, "Neural Machine Translation by Jointly Learning to Align
    and Translate", appendix A.1.2. Papers that write W [s; h] mean the same: W and U side by side.
    """

    def __init__(self, query_size: int, key_size: int, width: int) -> None:
        super().__init__()
        self.query_projection = Linear(query_size, width, bias=False)
        self.key_projection = Linear(key_size, width, bias=False)
        self.output = Linear(width, 1, bias=False)

    def prepare(self, keys: Tensor) -> Tensor:
        """U h, ``[batch, source, width]``: the same for every query."""
        return self.key_projection(keys)

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """See the class."""
        projected = self.query_projection(query)
        total = projected[:, :, None] + prepared[:, None]  # [batch, target, source, width]
        return self.output(total.tanh()).squeeze(-1)


class LocationScore(AlignmentScore):
    """score_i = (W s)_i: the query alone says where to attend, by position and not by content.

    Source: Luong, Pham and Manning 2015, "Effective Approaches to Attention-based Neural Machine
    Translation", equation 8.
    """

    def __init__(self, query_size: int, positions: int) -> None:
        super().__init__()
        self.positions = positions
        self.query_projection = Linear(query_size, positions, bias=False)

    def prepare(self, keys: Tensor) -> Tensor:
        """The keys, which only say how many they are."""
        if keys.shape[1] > self.positions:
            raise SequenceTooLongError(keys.shape[1], self.positions)
        return keys

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """See the class."""
        return self.query_projection(query)[:, :, : prepared.shape[1]]


class GeneralScore(AlignmentScore):
    """score = s . W h.

    Source: Luong, Pham and Manning 2015, section 3.1, "general".
    """

    def __init__(self, query_size: int, key_size: int) -> None:
        super().__init__()
        self.key_projection = Linear(key_size, query_size, bias=False)

    def prepare(self, keys: Tensor) -> Tensor:
        """W h, as wide as the queries."""
        return self.key_projection(keys)

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """See the class."""
        return query @ prepared.transpose(1, 2)


class DotScore(AlignmentScore):
    """score = s . h, or s . h / sqrt(size) if it is scaled.

    Sources: Luong, Pham and Manning 2015, section 3.1, "dot"; Vaswani et al. 2017, "Attention Is
    All You Need", section 3.2.1: without the division the variance grows with the size.
    """

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = scale

    def compare(self, query: Tensor, prepared: Tensor) -> Tensor:
        """See the class."""
        return query @ prepared.transpose(1, 2) * self.scale


def build_score(
    kind: Alignment, query_size: int, key_size: int, *, width: int = 256, positions: int = 512
) -> AlignmentScore:
    """The score of this kind.

    Args:
        query_size: features of a query.
        key_size: features of a key.
        width: between the two layers of the additive score.
        positions: most keys of the location score.

    Raises:
        ConfigError: the kind multiplies features one by one, and the two sizes differ.
    """
    if kind in (Alignment.CONTENT, Alignment.DOT, Alignment.SCALED_DOT) and query_size != key_size:
        raise ConfigError(
            f"the {kind.value} score needs two sides of one size, not {query_size} and {key_size}"
        )
    match kind:
        case Alignment.CONTENT:
            return ContentScore()
        case Alignment.ADDITIVE:
            return AdditiveScore(query_size, key_size, width)
        case Alignment.LOCATION:
            return LocationScore(query_size, positions)
        case Alignment.GENERAL:
            return GeneralScore(query_size, key_size)
        case Alignment.DOT:
            return DotScore()
        case Alignment.SCALED_DOT:
            return DotScore(1.0 / math.sqrt(key_size))
