"""What models predict on top of their bodies."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import Activation, Head, ModelConfig
from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate
from core.models.blocks.weights import Linear


class MaskedLanguageHead(nn.Module):
    """Scores every word piece at every position.

    The output matrix is the token table itself, handed in at each call: tied weights that are
    stored once cannot come apart. A head that is not tied has a matrix of its own.

    Hook point: ``logits`` ``[batch, token, vocabulary]``.
    Source: Devlin et al. 2019, "BERT", section 3.1, task 1.

    Args:
        width: of the hidden states.
        vocabulary: rows of the table.
        activation: after the dense layer.
        norm_epsilon: of the norm after the activation.
        table_width: of the table, where it is another one (ALBERT, ELECTRA).
        tied: whether the token table is the output matrix.
    """

    def __init__(
        self,
        width: int,
        vocabulary: int,
        activation: Activation,
        norm_epsilon: float,
        table_width: int | None = None,
        *,
        tied: bool = True,
    ) -> None:
        super().__init__()
        table_width = width if table_width is None else table_width
        self.dense = Linear(width, table_width)
        self.activation = Activate(activation)
        self.norm = nn.LayerNorm(table_width, eps=norm_epsilon)
        self.own = None if tied else Linear(table_width, vocabulary, bias=False)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.logits = HookPoint()

    def forward(self, hidden: Tensor, token_table: Tensor) -> Tensor:
        """``[..., width]`` with the table ``[vocabulary, width]`` to ``[..., vocabulary]``."""
        features = self.norm(self.activation(self.dense(hidden)))  # [batch, token, table width]
        matrix = token_table if self.own is None else self.own.weight
        return self.logits(functional.linear(features, matrix, self.bias))


class Pooler(nn.Module):
    """A dense layer with tanh over the first token: a summary of the whole input.

    Hook point: ``output`` ``[batch, width]``.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = Linear(width, width)
        self.output = HookPoint()

    def forward(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, width]``."""
        return self.output(torch.tanh(self.dense(hidden[:, 0])))


class SequenceHead(nn.Module):
    """Sorts whole inputs into classes, from their summary.

    For BERT's next sentence, column 0 says that the second segment follows the first; for ALBERT's
    sentence order, that the two stand in their order.

    Hook point: ``logits`` ``[batch, class]``.
    Sources: Devlin et al. 2019, "BERT", section 3.1, task 2; Lan et al. 2020, "ALBERT", 3.1.
    """

    def __init__(self, width: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.dense = Linear(width, classes)
        self.logits = HookPoint()

    def forward(self, pooled: Tensor) -> Tensor:
        """``[batch, width]`` to ``[batch, class]``."""
        return self.logits(self.dense(self.dropout(pooled)))


class ReplacedTokenHead(nn.Module):
    """Was this token put in by a generator? One score for every position, positive for yes.

    Hook point: ``logits`` ``[batch, token]``.
    Source: Clark et al. 2020, "ELECTRA", section 2. Its D(x, t) is the probability of the original;
    the sigmoid of this score is that of a replacement, as in the released code.
    """

    def __init__(self, width: int, activation: Activation) -> None:
        super().__init__()
        self.dense = Linear(width, width)
        self.activation = Activate(activation)
        self.output = Linear(width, 1)
        self.logits = HookPoint()

    def forward(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, token]``."""
        return self.logits(self.output(self.activation(self.dense(hidden))).squeeze(-1))


class LanguageHead(nn.Module):
    """Scores every piece as the next one.

    Hook point: ``logits`` ``[batch, token, vocabulary]``.
    Source: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training", 3.1.

    Args:
        width: of the hidden states.
        vocabulary: pieces to choose from.
        tied: whether the token table is the output matrix; else it has one of its own.
        bias: whether every piece has a bias.
        scale: factor on the hidden states: 1 / sqrt(width) in T5 with a tied table.
    """

    def __init__(
        self,
        width: int,
        vocabulary: int,
        *,
        tied: bool = True,
        bias: bool = False,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.own = None if tied else Linear(width, vocabulary, bias=False)
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if bias else None
        self.scale = scale
        self.logits = HookPoint()

    def forward(self, hidden: Tensor, token_table: Tensor) -> Tensor:
        """``[..., width]`` with the table ``[vocabulary, width]`` to ``[..., vocabulary]``."""
        matrix = token_table if self.own is None else self.own.weight
        scaled = hidden if self.scale == 1.0 else hidden * self.scale
        return self.logits(functional.linear(scaled, matrix, self.bias))


def build_language_head(config: ModelConfig) -> LanguageHead | None:
    """The head that a configuration wants, if it wants one."""
    if Head.LANGUAGE not in config.heads:
        return None
    return LanguageHead(
        config.embedding.layer_width,
        config.embedding.vocabulary,
        tied=config.tied,
        bias=config.word_bias,
        scale=config.word_scale,
    )
