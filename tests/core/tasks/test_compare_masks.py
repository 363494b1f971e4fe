"""One mask before and after a change."""

import pytest

from core.checkpoints import Checkpoint
from core.errors import HeadlightError
from core.tasks import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchMaskError,
    NoSuchWordError,
    TopOutOfRangeError,
    compare_masks,
    fill_mask,
)

SENTENCE = "The capital of France is Paris."
OFF = ((0, 1), (2, 3))


def probabilities(result, mask: int = 0) -> dict[str, float]:
    return dict(result.masks[mask].predictions)


def test_both_probabilities_are_those_of_fill_mask(tiny_checkpoint: Checkpoint) -> None:
    found = compare_masks(tiny_checkpoint, SENTENCE, mask_words=[1, 5], mask=1, off=OFF, top=4)
    before = fill_mask(tiny_checkpoint, SENTENCE, mask_words=[1, 5], top=100)
    after = fill_mask(tiny_checkpoint, SENTENCE, mask_words=[1, 5], top=100, off=OFF)
    assert found.masks == len(after.masks) > 1
    first, second = probabilities(before, 1), probabilities(after, 1)
    listed = {*list(first)[:4], *list(second)[:4]}
    assert {word for word, _, _ in found.words} == listed
    assert [max(one.before, one.after) for one in found.words] == sorted(
        (max(one.before, one.after) for one in found.words), reverse=True
    )
    for word, was, now in found.words:
        assert was == pytest.approx(first[word], abs=1e-6)
        assert now == pytest.approx(second[word], abs=1e-6)
    assert found.words != compare_masks(tiny_checkpoint, SENTENCE, mask_words=[1, 5], mask=1).words


def test_a_changed_text_is_read_with_its_own_masks(tiny_checkpoint: Checkpoint) -> None:
    changed = "The cat of France is [MASK]."
    found = compare_masks(tiny_checkpoint, SENTENCE, mask_words=[5], changed=changed)
    after = probabilities(fill_mask(tiny_checkpoint, changed, top=100))
    assert found.masks == 1
    for word, was, now in found.words:
        assert now == pytest.approx(after[word], abs=1e-6)
        assert was != now


def test_what_moved_is_half_of_all_differences(tiny_checkpoint: Checkpoint) -> None:
    # 100 words at most are listed of each, and the vocabulary has fewer than 200.
    found = compare_masks(tiny_checkpoint, SENTENCE, mask_words=[5], off=OFF, top=100)
    listed = sum(abs(one.after - one.before) for one in found.words) / 2
    assert 0 < listed <= found.moved < 1
    assert found.moved == pytest.approx(listed, abs=0.05)
    same = compare_masks(tiny_checkpoint, SENTENCE, mask_words=[5])
    assert same.moved == 0
    assert len(same.words) == 5


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"mask": 1}, NoSuchMaskError),
        ({"mask": -1}, NoSuchMaskError),
        ({"mask_words": ()}, NoMaskError),
        ({"changed": "no mask here"}, NoMaskError),
        ({"mask_words": (0, 5), "mask": 1, "changed": "one [MASK]"}, NoSuchMaskError),
        ({"mask_words": (99,)}, NoSuchWordError),
        ({"off": ((9, 9),)}, NoSuchHeadError),
        ({"top": 0}, TopOutOfRangeError),
    ],
)
def test_what_cannot_be_compared_is_named(
    tiny_checkpoint: Checkpoint, asked: dict[str, object], error: type[HeadlightError]
) -> None:
    with pytest.raises(error):
        compare_masks(tiny_checkpoint, SENTENCE, **{"mask_words": (5,), **asked})  # type: ignore[arg-type]
