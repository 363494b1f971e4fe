"""What models predict on top of their bodies."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate, Activation


class MaskedLanguageHead(nn.Module):
    """Scores every word piece at every position.

    The output matrix is the token table itself, handed in at each call: tied weights that are
    stored once cannot come apart.

    Hook point: ``logits`` ``[batch, token, vocabulary]``.
    Source: Devlin et al. 2019, "BERT", section 3.1, task 1.
    """

    def __init__(
        self, width: int, vocabulary: int, activation: Activation, norm_epsilon: float
    ) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.activation = Activate(activation)
        self.norm = nn.LayerNorm(width, eps=norm_epsilon)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.logits = HookPoint()

    def forward(self, hidden: Tensor, token_table: Tensor) -> Tensor:
        """``[..., width]`` with the table ``[vocabulary, width]`` to ``[..., vocabulary]``."""
        features = self.norm(self.activation(self.dense(hidden)))
        return self.logits(functional.linear(features, token_table, self.bias))


class Pooler(nn.Module):
    """A dense layer with tanh over the first token: a summary of the whole input.

    Hook point: ``output`` ``[batch, width]``.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.output = HookPoint()

    def forward(self, hidden: Tensor) -> Tensor:
        """``[batch, token, width]`` to ``[batch, width]``."""
        return self.output(torch.tanh(self.dense(hidden[:, 0])))


class NextSentenceHead(nn.Module):
    """Does the second segment follow the first? Column 0: yes, column 1: no.

    Hook point: ``logits`` ``[batch, 2]``.
    Source: Devlin et al. 2019, "BERT", section 3.1, task 2.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, 2)
        self.logits = HookPoint()

    def forward(self, pooled: Tensor) -> Tensor:
        """``[batch, width]`` to ``[batch, 2]``."""
        return self.logits(self.dense(pooled))
