"""Attention of one forward pass."""

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.errors import SequenceTooLongError
from core.models.blocks.attention import Attention
from core.tasks import attend
from core.tokenisation import EmptyTextError, TextTooLongError

LAYERS, HEADS, WIDTH, POSITIONS = 3, 4, 32, 320


def test_patterns_of_every_head(tiny_checkpoint: Checkpoint) -> None:
    result = attend(tiny_checkpoint, "The cat sat on the mat.")
    tokens = len(result.encoding)
    assert result.patterns.shape == (LAYERS, HEADS, tokens, tokens)
    assert result.patterns.dtype == np.float32
    np.testing.assert_allclose(result.patterns.sum(-1), 1.0, atol=1e-5)
    assert len(np.unique(result.patterns[:, :, 1, 1])) == LAYERS * HEADS  # no head twice
    assert result.device == "cpu"
    assert result.seconds > 0


def test_patterns_are_those_of_the_formula(tiny_checkpoint: Checkpoint) -> None:
    result = attend(tiny_checkpoint, "The cat", "The mat")
    embedding = tiny_checkpoint.model.get_submodule("embedding")
    first = tiny_checkpoint.model.get_submodule("encoder.layers.0.attention")
    assert isinstance(first, Attention)
    with torch.inference_mode():
        ids = torch.tensor([result.encoding.ids])
        hidden = embedding(ids, torch.tensor([result.encoding.segments]))
        query = first.query_projection(hidden).view(-1, HEADS, WIDTH // HEADS)
        key = first.key_projection(hidden).view(-1, HEADS, WIDTH // HEADS)
        scores = torch.einsum("qhs,khs->hqk", query, key) / (WIDTH // HEADS) ** 0.5
    np.testing.assert_allclose(result.patterns[0], scores.softmax(-1).numpy(), atol=1e-6)


def test_positions_are_rows_of_the_table(tiny_checkpoint: Checkpoint) -> None:
    result = attend(tiny_checkpoint, "the cat")
    table = tiny_checkpoint.model.get_parameter("embedding.position_table.table.weight")
    np.testing.assert_array_equal(result.positions, table[:4].detach().numpy())


def test_results_may_be_shared_but_not_changed(tiny_checkpoint: Checkpoint) -> None:
    result = attend(tiny_checkpoint, "the cat")
    with pytest.raises(ValueError, match="read-only"):
        result.patterns[0, 0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(result.positions)[0, 0] = 1.0


def test_text_up_to_the_last_position_fits_and_one_more_does_not(
    tiny_checkpoint: Checkpoint,
) -> None:
    assert len(attend(tiny_checkpoint, "the " * (POSITIONS - 2)).encoding) == POSITIONS
    with pytest.raises(SequenceTooLongError) as caught:
        attend(tiny_checkpoint, "the " * (POSITIONS - 1))
    assert (caught.value.tokens, caught.value.limit) == (POSITIONS + 1, POSITIONS)
    cut = attend(tiny_checkpoint, "the " * (POSITIONS + 8), cut=True)
    assert (len(cut.encoding), cut.encoding.cut) == (POSITIONS, 10)


def test_bad_texts(tiny_checkpoint: Checkpoint) -> None:
    with pytest.raises(EmptyTextError):
        attend(tiny_checkpoint, "  ")
    with pytest.raises(TextTooLongError):
        attend(tiny_checkpoint, "a" * 100_000)
    with pytest.raises(SequenceTooLongError):
        attend(tiny_checkpoint, "the " * 200, "cat " * 200)
