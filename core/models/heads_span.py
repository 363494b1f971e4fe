"""The head of SpanBERT's own objective: a hidden token from the two tokens around its span."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import Activation
from core.hooks.point import HookPoint
from core.models.blocks.activations import Activate
from core.models.blocks.weights import Linear, Table
from core.models.encoder import EncoderBody


class SpanBoundaryHead(nn.Module):
    """Scores every piece for a position in a span, from the span's boundaries and the position.

    With the state ``l`` left of the span, ``r`` right of it and a vector ``p`` for the how-manieth
    token of the span it is: ``h = norm(gelu(A [l; r; p]))``, ``y = norm(gelu(B h))``, and ``y``
    meets the token table.

    Hook point: ``logits`` ``[batch, position, vocabulary]``.
    Source: Joshi et al. 2020, "SpanBERT", section 3.2; the sizes of ``p`` and the bias of every
    piece are those of the released training code.

    Args:
        width: of the hidden states and of the token table.
        vocabulary: rows of the table.
        positions: how many tokens of a span have a vector.
        position_width: features of these vectors.
        norm_epsilon: of both norms.
    """

    def __init__(
        self,
        width: int,
        vocabulary: int,
        *,
        positions: int = 20,
        position_width: int = 200,
        norm_epsilon: float = 1e-12,
    ) -> None:
        super().__init__()
        self.position_table = Table(positions, position_width)
        self.first = Linear(2 * width + position_width, width)
        self.first_norm = nn.LayerNorm(width, eps=norm_epsilon)
        self.second = Linear(width, width)
        self.second_norm = nn.LayerNorm(width, eps=norm_epsilon)
        self.activation = Activate(Activation.GELU)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.logits = HookPoint()

    def forward(self, left: Tensor, right: Tensor, offset: Tensor, token_table: Tensor) -> Tensor:
        """Score the hidden tokens.

        Args:
            left: states of the last tokens before the spans, ``[batch, position, width]``.
            right: states of the first tokens after them, likewise.
            offset: tokens of the span before this one, ``[batch, position]``.
            token_table: ``[vocabulary, width]``.
        """
        joined = torch.cat([left, right, self.position_table(offset)], dim=-1)
        features = self.first_norm(self.activation(self.first(joined)))  # [batch, position, width]
        features = self.second_norm(self.activation(self.second(features)))
        return self.logits(functional.linear(features, token_table, self.bias))


class SpanTrainee(nn.Module):
    """A model of the BERT family beside the boundary head, which is needed in training only.

    Args:
        model: a body that scores words.
        positions: as in :class:`SpanBoundaryHead`.
    """

    def __init__(self, model: EncoderBody, *, positions: int = 20) -> None:
        super().__init__()
        self.model = model
        tables = model.config.embedding
        self.boundary = SpanBoundaryHead(
            tables.width,
            tables.vocabulary,
            positions=positions,
            norm_epsilon=tables.norm_epsilon,
        )

    def encode(self, ids: Tensor, segments: Tensor | None, keep: Tensor | None) -> Tensor:
        """As :meth:`EncoderBody.encode`."""
        return self.model.encode(ids, segments, keep)

    def score_words(self, hidden: Tensor) -> Tensor:
        """As :meth:`EncoderBody.score_words`."""
        return self.model.score_words(hidden)

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
        """As :class:`SpanBoundaryHead`, with the model's token table."""
        return self.boundary(left, right, offset, self.model.embedding.token_table.weight)
