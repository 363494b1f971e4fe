"""The input of a model: its terms, their sum, and its limits."""

import pytest
import torch
from torch.nn import functional

from core.config import EmbeddingConfig
from core.errors import SequenceTooLongError
from core.hooks import capture, name_hook_points
from core.models.blocks.build import build_embedding
from core.models.blocks.embedding import Embedding

CONFIG = EmbeddingConfig(vocabulary=20, width=6, max_positions=8, segments=2)


def build(config: EmbeddingConfig = CONFIG) -> Embedding:
    torch.manual_seed(1)
    embedding = build_embedding(config).eval().requires_grad_(False)
    name_hook_points(embedding)
    return embedding


def test_the_terms_add_up_and_are_normalised() -> None:
    embedding = build()
    ids = torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])
    with capture(["*"]) as trace:
        output = embedding(ids, segments)
    assert embedding.segment_table is not None
    tokens, positions, parts = trace["tokens"], trace["positions"], trace["segments"]
    assert torch.equal(tokens[0, 1], tokens[0, 3])
    assert torch.equal(tokens[1, 0], embedding.token_table.weight[5])
    assert positions.shape == (1, 4, 6)
    assert torch.equal(positions[0], embedding.get_parameter("position_table.table.weight")[:4])
    assert torch.equal(parts[0, 2], embedding.segment_table.weight[1])
    torch.testing.assert_close(trace["sum"], tokens + positions + parts)
    expected = functional.layer_norm(trace["sum"], (6,), eps=1e-12)
    torch.testing.assert_close(output, expected)
    assert torch.equal(trace["output"], output)


def test_segments_are_the_first_by_default() -> None:
    embedding, ids = build(), torch.tensor([[3, 1, 4]])
    assert torch.equal(embedding(ids), embedding(ids, torch.zeros_like(ids)))
    assert not torch.allclose(embedding(ids), embedding(ids, torch.ones_like(ids)))


def test_a_model_without_segments_has_no_table() -> None:
    embedding = build(EmbeddingConfig(vocabulary=20, width=6, max_positions=8, segments=0))
    assert embedding.segment_table is None
    with capture(["tokens", "positions", "sum"]) as trace:
        embedding(torch.tensor([[3, 1, 4]]))
    torch.testing.assert_close(trace["sum"], trace["tokens"] + trace["positions"])


def test_the_last_position_can_be_used_and_no_more() -> None:
    embedding = build()
    assert embedding(torch.zeros(1, 8, dtype=torch.long)).shape == (1, 8, 6)
    with pytest.raises(SequenceTooLongError) as caught:
        embedding(torch.zeros(1, 9, dtype=torch.long))
    assert (caught.value.tokens, caught.value.limit) == (9, 8)
    assert str(caught.value) == "the text has 9 tokens, but the model reads at most 8"
