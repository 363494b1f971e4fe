"""Attention against a loop over heads, written out by hand."""

import math

import pytest
import torch
from torch import Tensor, nn

from core.config import AttentionConfig
from core.errors import FusedAttentionError
from core.hooks import Trace, capture, name_hook_points
from core.models.blocks.attention import Attention, DotProductScore, fused_attention
from core.models.blocks.masks import Mask

HEADS, SIZE, WIDTH = 2, 4, 6  # heads times size is not the width, as in T5


def build_attention(scale: float | None = None, dropout: float = 0.1) -> Attention:
    torch.manual_seed(5)
    attention = Attention(AttentionConfig(HEADS, SIZE, scale, dropout=dropout), WIDTH).eval()
    name_hook_points(nn.ModuleDict({"attention": attention}))
    return attention.requires_grad_(False)


def by_hand(attention: Attention, hidden: Tensor, memory: Tensor, scale: float) -> Tensor:
    """One sentence, one head and one query after the other."""
    outputs = []
    for query_number in range(len(hidden)):
        heads = []
        for head in range(HEADS):
            rows = slice(head * SIZE, (head + 1) * SIZE)

            def project(linear: nn.Linear, token: Tensor, rows: slice = rows) -> Tensor:
                return linear.weight[rows] @ token + linear.bias[rows]

            query = project(attention.query_projection, hidden[query_number])
            scores = [
                scale * float(query @ project(attention.key_projection, token)) for token in memory
            ]
            total = sum(math.exp(score) for score in scores)
            weights = [math.exp(score) / total for score in scores]
            heads.append(
                sum(
                    (
                        weight * project(attention.value_projection, token)
                        for weight, token in zip(weights, memory, strict=True)
                    ),
                    start=torch.zeros(SIZE),
                )
            )
        projection = attention.output_projection
        outputs.append(projection.weight @ torch.cat(heads) + projection.bias)
    return torch.stack(outputs)


@pytest.mark.parametrize(("scale", "factor"), [(None, 0.5), (1.0, 1.0)])
def test_three_tokens_by_hand(scale: float | None, factor: float) -> None:
    attention = build_attention(scale)
    hidden = torch.randn(2, 3, WIDTH)
    expected = torch.stack([by_hand(attention, one, one, factor) for one in hidden])
    torch.testing.assert_close(attention(hidden), expected)


def test_nine_queries_attend_to_five_others() -> None:
    attention = build_attention()
    hidden, memory = torch.randn(1, 9, WIDTH), torch.randn(1, 5, WIDTH)
    with capture(["attention.*"]) as trace:
        found = attention(hidden, memory=memory)
    torch.testing.assert_close(found[0], by_hand(attention, hidden[0], memory[0], 0.5))
    assert {record.site.name: tuple(record.value.shape) for record in trace.records} == {
        "attention.query": (1, HEADS, 9, SIZE),
        "attention.key": (1, HEADS, 5, SIZE),
        "attention.value": (1, HEADS, 5, SIZE),
        "attention.scores": (1, HEADS, 9, 5),
        "attention.masked_scores": (1, HEADS, 9, 5),
        "attention.pattern": (1, HEADS, 9, 5),
        "attention.mixed": (1, HEADS, 9, SIZE),
        "attention.output": (1, 9, WIDTH),
    }


def weights_of(attention: Attention, hidden: Tensor, **arguments: Tensor | Mask) -> Trace:
    with capture(["attention.*"]) as trace:
        attention(hidden, **arguments)
    return trace


def test_the_position_bias_comes_before_the_mask() -> None:
    attention, hidden = build_attention(), torch.randn(1, 4, WIDTH)
    mask = Mask.padding(torch.tensor([[True, True, True, False]]))
    bias = torch.randn(1, HEADS, 4, 4)
    bias[..., 3] = 1e9  # as large as it may be, it lifts no mask
    plain = weights_of(attention, hidden)
    biased = weights_of(attention, hidden, mask=mask, position_bias=bias)
    scores = plain["attention.scores"] + bias
    assert torch.equal(biased["attention.scores"], scores)
    assert torch.equal(biased["attention.masked_scores"], mask.apply(scores))
    torch.testing.assert_close(
        biased["attention.pattern"], mask.apply(scores).softmax(-1), atol=0.0, rtol=0.0
    )
    assert biased["attention.pattern"][..., 3].max() == 0.0


def test_padding_equals_leaving_out() -> None:
    attention, hidden = build_attention(), torch.randn(1, 5, WIDTH)
    mask = Mask.padding(torch.tensor([[False, True, True, True, False]]))
    torch.testing.assert_close(attention(hidden, mask=mask)[:, 1:4], attention(hidden[:, 1:4]))


def test_dropout_acts_on_the_weights_after_the_pattern() -> None:
    attention = build_attention(dropout=0.5).train()
    trace = weights_of(attention, torch.randn(1, 6, WIDTH))
    pattern, value = trace["attention.pattern"], trace["attention.value"]
    torch.testing.assert_close(pattern.sum(-1), torch.ones(1, HEADS, 6))
    assert not torch.allclose(trace["attention.mixed"], pattern @ value)


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("past", [0, 2])
def test_the_fused_kernel_hides_the_future_as_the_explicit_path_does(
    biased: bool, past: int
) -> None:
    attention = build_attention()
    hidden = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(1))
    memory = torch.randn(2, 5 + past, WIDTH, generator=torch.Generator().manual_seed(2))
    bias = torch.randn(5, 5 + past, HEADS).permute(2, 0, 1)[None] if biased else None
    for mask in (
        Mask.causal(5, 5 + past),
        Mask.causal(5, 5 + past) & Mask.padding(torch.arange(5 + past)[None] < 3 + past),
    ):
        explicit = attention(hidden, memory=memory, mask=mask, position_bias=bias)
        with fused_attention():
            fused = attention(hidden, memory=memory, mask=mask, position_bias=bias)
        torch.testing.assert_close(fused, explicit)


class Distance(DotProductScore):
    """Another way of scoring: minus the squared distance of query and key."""

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        return -torch.cdist(query, key).square()


@pytest.mark.parametrize("causal", [False, True])
def test_another_score_is_used_on_the_fused_path_too(causal: bool) -> None:
    attention, hidden = build_attention(), torch.randn(2, 5, WIDTH)
    mask = Mask.causal(5, 5) if causal else None
    by_products = attention(hidden, mask=mask)
    attention.score = Distance(1.0)
    explicit = attention(hidden, mask=mask)
    with fused_attention():
        fused = attention(hidden, mask=mask)
    assert torch.equal(fused, explicit)
    assert (explicit - by_products).abs().max() > 0.01
    with fused_attention(), pytest.raises(FusedAttentionError), capture(["attention.pattern"]):
        attention(hidden, mask=mask)
