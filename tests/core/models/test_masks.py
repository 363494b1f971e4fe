"""Masks: one meaning, combined as booleans, and nothing gets through."""

import pytest
import torch
from torch import Tensor

from core.models.blocks.masks import Mask


def as_text(mask: Mask) -> list[str]:
    return ["".join(".x"[int(cell)] for cell in row) for row in mask.keep[0, 0]]


def test_causal_hides_the_future() -> None:
    assert as_text(Mask.causal(3, 3)) == ["x..", "xx.", "xxx"]


def test_causal_with_a_past_sees_all_of_it() -> None:
    assert as_text(Mask.causal(2, 3)) == ["xx.", "xxx"]
    assert as_text(Mask.causal(1, 4)) == ["xxxx"]


def test_padding_and_causal_allow_what_both_allow() -> None:
    keep = torch.tensor([[True, True, False], [False, True, True]])
    mask = Mask.padding(keep) & Mask.causal(3, 3)
    assert mask.keep.shape == (2, 1, 3, 3)
    assert as_text(Mask(mask.keep[:1])) == ["x..", "xx.", "xx."]
    assert as_text(Mask(mask.keep[1:])) == ["...", ".x.", ".xx"]


def test_empty_rows_are_marked() -> None:
    keep = torch.tensor([[True, True, False], [False, True, True]])
    mask = Mask.padding(keep) & Mask.causal(3, 3)
    assert mask.empty_rows().tolist() == [[False, False, False], [True, False, False]]
    nothing = Mask.padding(torch.tensor([[False, False], [True, False]]))
    assert nothing.empty_rows().tolist() == [[True], [False]]  # one row stands for every query


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_row_without_any_key_is_finite_uniform_and_marked(dtype: torch.dtype) -> None:
    mask = Mask.padding(torch.tensor([[False, False, False, False]]))
    pattern = mask.apply(torch.randn(1, 2, 3, 4).to(dtype)).softmax(-1)
    assert torch.equal(pattern, torch.full_like(pattern, 0.25))
    assert mask.empty_rows().all()


@pytest.mark.parametrize("size", [1.0, 1e5, 1e15, 1e30])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_score_is_large_enough_to_get_through(size: float, sign: float) -> None:
    """Forbidden keys score highest, allowed ones lowest."""
    keep = torch.tensor([[True, False, True, False]])
    hidden, seen = sign * size, -size
    scores = torch.where(keep, torch.tensor(seen), torch.tensor(hidden)).expand(1, 2, 4, 4)
    pattern = Mask.padding(keep).apply(scores).softmax(-1)
    assert torch.equal(pattern[..., ~keep[0]], torch.zeros(1, 2, 4, 2))
    torch.testing.assert_close(pattern.sum(-1), torch.ones(1, 2, 4))


def test_allowed_scores_are_untouched() -> None:
    scores: Tensor = torch.randn(2, 3, 4, 4)
    mask = Mask.causal(4, 4)
    keep = mask.keep.expand_as(scores)
    assert torch.equal(mask.apply(scores)[keep], scores[keep])
    assert (mask.apply(scores)[~keep] == torch.finfo(torch.float32).min).all()


def test_a_window_hides_what_is_further_back() -> None:
    assert as_text(Mask.causal(4, 4, window=2)) == ["x...", "xx..", ".xx.", "..xx"]
    assert as_text(Mask.causal(2, 4, window=2)) == [".xx.", "..xx"]
    assert as_text(Mask.causal(2, 4, window=1)) == ["..x.", "...x"]
    wide = Mask.causal(4, 4, window=4)
    assert torch.equal(wide.keep, Mask.causal(4, 4).keep)
    assert wide.only_causal
    assert not Mask.causal(4, 4, window=3).only_causal
