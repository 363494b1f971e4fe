"""A small BERT whose heads differ visibly."""

import pytest
import torch
from torch import Tensor

from core.models.architectures.bert import Bert, bert_config
from core.models.registry import build

LAYERS, HEADS, WIDTH, VOCABULARY = 3, 4, 16, 40


@pytest.fixture
def bert() -> Bert:
    """Three layers of four heads; the deviation is large, so that patterns are not uniform."""
    torch.manual_seed(7)
    model = build(
        bert_config(
            vocabulary=VOCABULARY,
            layers=LAYERS,
            heads=HEADS,
            width=WIDTH,
            max_positions=32,
            initial_deviation=0.5,
        )
    )
    assert isinstance(model, Bert)
    return model.eval().requires_grad_(False)


@pytest.fixture
def ids() -> Tensor:
    """Two sentences of seven tokens."""
    return torch.randint(0, VOCABULARY, (2, 7), generator=torch.Generator().manual_seed(3))
