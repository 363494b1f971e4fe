"""Patterns of site names, and the name of a visit."""

import pytest
import torch
from torch import Tensor

from core.hooks import Site, capture
from core.models.architectures.bert import Bert

LAYER = "encoder.layers.3"


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        (f"{LAYER}.output", f"{LAYER}.output", True),
        (f"{LAYER}.output", "encoder.layers.*.output", True),
        ("encoder.layers.11.output", "encoder.layers.*.output", True),
        (f"{LAYER}.attention.output", "encoder.layers.*.output", False),
        (f"{LAYER}.attention.output", "*.output", False),
        (f"{LAYER}.attention.output", "encoder.layers.*.*.output", True),
        (f"{LAYER}.attention.masked_scores", "encoder.layers.*.attention.*scores", True),
        (f"{LAYER}.attention.scores", "encoder.layers.*.attention.*scores", True),
        (f"{LAYER}.attention.query", "encoder.layers.*.attention.*scores", False),
        (f"{LAYER}.attention.output", "**.output", True),
        (f"{LAYER}.attention.output", "encoder.**", True),
        ("embedding.output", "encoder.**", False),
        ("embedding.output", "**", True),
        ("embedding.output", "*", False),
        ("tokens", "*", True),
        ("embeddingxoutput", "embedding.output", False),
        ("embedding.output", "embedding", False),
        ("embedding.output", "embedding.[a-z]*", False),
    ],
)
def test_a_star_stops_at_a_dot_and_two_do_not(name: str, pattern: str, expected: bool) -> None:
    assert Site(name).matches(pattern) is expected


def test_the_outputs_of_the_layers_are_not_those_of_their_attention(
    bert: Bert, ids: Tensor
) -> None:
    pattern = "encoder.layers.*.output"
    with capture([pattern]) as trace, torch.inference_mode():
        hidden = bert.encode(ids)
    assert [record.site.name for record in trace.records] == [
        f"encoder.layers.{layer}.output" for layer in range(3)
    ]
    assert torch.equal(trace.stacked(pattern)[-1], hidden)
