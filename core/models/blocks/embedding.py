"""The input of a model: what a token is, where it stands, which sentence it belongs to."""

from __future__ import annotations

from torch import Tensor, nn

from core.hooks.point import HookPoint


class Embedding(nn.Module):
    """Sum of the token, position and segment terms, normalised, perhaps brought to another width.

    Hook points, all ``[batch or 1, token, width]``: ``tokens``, ``positions``, ``segments`` (the
    terms), ``sum``, ``output`` (after norm and dropout), ``projected`` (after the projection).

    Sources: Devlin et al. 2019, "BERT", section 3, figure 2; Lan et al. 2020, "ALBERT", section 3.1
    (the projection).
    """

    def __init__(
        self,
        *,
        token_table: nn.Embedding,
        position_table: nn.Module | None,
        segment_table: nn.Embedding | None,
        norm: nn.Module,
        dropout: nn.Module,
        projection: nn.Module | None = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.token_table = token_table
        self.position_table = position_table
        self.segment_table = segment_table
        self.norm = norm
        self.dropout = dropout
        self.projection = projection
        self.scale = scale
        self.tokens, self.positions, self.segments = HookPoint(), HookPoint(), HookPoint()
        self.sum, self.output, self.projected = HookPoint(), HookPoint(), HookPoint()

    def forward(self, ids: Tensor, segments: Tensor | None = None, start: int = 0) -> Tensor:
        """Embed token ids ``[batch, token]``; the result is ``[batch, token, width]``.

        Args:
            ids: token ids.
            segments: segment ids of the same shape; ``None`` for segment 0 everywhere.
            start: position of the first token, where earlier ones are kept in a cache.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        rows = self.token_table(ids)  # [batch, token, width]
        total = self.tokens(rows if self.scale == 1.0 else rows * self.scale)
        if self.position_table is not None:
            total = total + self.positions(self.position_table(ids, start))
        if self.segment_table is not None:
            if segments is None:
                segments = ids.new_zeros(ids.shape)
            total = total + self.segments(self.segment_table(segments))
        output = self.output(self.dropout(self.norm(self.sum(total))))
        return output if self.projection is None else self.projected(self.projection(output))
