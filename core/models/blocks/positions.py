"""Position terms of an embedding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.errors import SequenceTooLongError


class LearnedPositions(nn.Module):
    """A trained row for every position, as in BERT and GPT."""

    def __init__(self, max_positions: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_positions, width)

    def forward(self, ids: Tensor) -> Tensor:
        """The rows of positions 0, 1, ... for token ids ``[batch, token]``: ``[1, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than rows.
        """
        tokens, limit = ids.shape[1], self.table.num_embeddings
        if tokens > limit:
            raise SequenceTooLongError(tokens, limit)
        return self.table(torch.arange(tokens, device=ids.device))[None]
