"""The input of a model: what a token is, where it stands, which sentence it belongs to."""

from __future__ import annotations

from torch import Tensor, nn

from core.hooks.point import HookPoint


class Embedding(nn.Module):
    """Sum of the token, position and segment terms, normalised.

    Hook points, all ``[batch or 1, token, width]``: ``tokens``, ``positions``, ``segments`` (the
    terms), ``sum``, ``output`` (after norm and dropout).

    Source: Devlin et al. 2019, "BERT", section 3, figure 2.
    """

    def __init__(
        self,
        *,
        token_table: nn.Embedding,
        position_table: nn.Module,
        segment_table: nn.Embedding | None,
        norm: nn.Module,
        dropout: nn.Module,
    ) -> None:
        super().__init__()
        self.token_table = token_table
        self.position_table = position_table
        self.segment_table = segment_table
        self.norm = norm
        self.dropout = dropout
        self.tokens, self.positions, self.segments = HookPoint(), HookPoint(), HookPoint()
        self.sum, self.output = HookPoint(), HookPoint()

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Embed token ids ``[batch, token]``; the result is ``[batch, token, width]``.

        Args:
            ids: token ids.
            segments: segment ids of the same shape; ``None`` for segment 0 everywhere.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        total = self.tokens(self.token_table(ids)) + self.positions(self.position_table(ids))
        if self.segment_table is not None:
            if segments is None:
                segments = ids.new_zeros(ids.shape)
            total = total + self.segments(self.segment_table(segments))
        return self.output(self.dropout(self.norm(self.sum(total))))
