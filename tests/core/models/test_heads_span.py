"""The span boundary head, by hand from the formula of Joshi et al. 2020, section 3.2."""

import math

import pytest
import torch

from core.models.heads_span import SpanBoundaryHead


def gelu(value: float) -> float:
    return value * 0.5 * (1 + math.erf(value / math.sqrt(2)))


def normed(values: list[float], weight: list[float], bias: list[float]) -> list[float]:
    mean = sum(values) / len(values)
    variance = sum((one - mean) ** 2 for one in values) / len(values)
    scaled = [(one - mean) / math.sqrt(variance + 1e-12) for one in values]
    return [w * one + b for w, one, b in zip(weight, scaled, bias, strict=True)]


def test_a_token_from_two_boundaries_and_its_position() -> None:
    head = SpanBoundaryHead(3, 2, positions=2, position_width=1)
    with torch.no_grad():
        head.position_table.weight.copy_(torch.tensor([[0.0], [2.5]]))
        head.first.weight.zero_()
        head.first.weight[0, 0] = 1.0  # first feature of the left state ...
        head.first.weight[0, 6] = -1.0  # ... less the position
        head.first.weight[1, 5] = 2.0  # third feature of the right state
        head.first.bias.copy_(torch.tensor([0.0, 0.5, -0.25]))
        head.first_norm.weight.copy_(torch.tensor([1.0, 2.0, 3.0]))
        head.first_norm.bias.copy_(torch.tensor([0.5, 0.0, 0.0]))
        head.second.weight.copy_(torch.tensor([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
        head.second.bias.zero_()
        head.second_norm.weight.copy_(torch.tensor([1.0, 1.0, -1.0]))
        head.bias.copy_(torch.tensor([0.0, 7.0]))
    table = torch.tensor([[1.0, 2.0, 4.0], [0.0, 0.0, 1.0]])
    left, right = torch.tensor([[[3.0, 9.0, 9.0]] * 2]), torch.tensor([[[9.0, 9.0, 1.0]] * 2])
    found = head(left, right, torch.tensor([[0, 1]]), table)[0]
    for offset, position in enumerate((0.0, 2.5)):
        inner = [gelu(3.0 - position), gelu(2.0 + 0.5), gelu(-0.25)]
        h = normed(inner, [1.0, 2.0, 3.0], [0.5, 0.0, 0.0])
        y = normed([gelu(h[0] + h[1]), gelu(h[1]), gelu(h[2])], [1.0, 1.0, -1.0], [0.0] * 3)
        expected = [y[0] + 2 * y[1] + 4 * y[2], y[2] + 7.0]
        assert found[offset].tolist() == pytest.approx(expected, abs=1e-5)
    assert not torch.allclose(found[0], found[1], atol=0.1), "the place within the span matters"


def test_left_and_right_are_not_the_same() -> None:
    torch.manual_seed(0)
    head = SpanBoundaryHead(4, 6, position_width=3)
    one, other, table = torch.randn(1, 1, 4), torch.randn(1, 1, 4), torch.randn(6, 4)
    offset = torch.zeros(1, 1, dtype=torch.long)
    assert not torch.allclose(head(one, other, offset, table), head(other, one, offset, table))
