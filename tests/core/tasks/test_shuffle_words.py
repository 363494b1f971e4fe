"""Without positions an encoder's output is a permutation of itself; with them it is not."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, load_checkpoint
from core.errors import MissingHeadError
from core.tasks import fill_mask
from core.tasks.errors import NoMaskError, TooManyWordsError
from core.tasks.shuffle_words import MOST_WORDS, moved_tokens, shuffle_words, shuffled_order

TEXT = "The animal didn't cross the street because it was tired."


@pytest.fixture(scope="module")
def bert() -> Checkpoint:
    return load_checkpoint("bert", device="cpu")


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_positions_shuffled_words_give_shuffled_vectors(
    bert: Checkpoint, seed: int
) -> None:
    found = shuffle_words(bert, TEXT, mask_words=(10,), seed=seed)
    without, with_them = found.without_positions, found.with_positions
    assert without.largest < 1e-4  # of numbers of size 1 to 10, through six layers in float32
    assert without.turned.max() < 1e-5
    assert without.attention < 1e-5
    assert without.guesses < 1e-4
    assert [one.token for one in without.before] == [one.token for one in without.after]
    assert with_them.largest > 0.1
    assert with_them.turned.max() > 0.01
    assert with_them.attention > 0.01
    assert with_them.guesses > 0.01


def test_the_words_are_the_same_in_another_order(tiny_checkpoint: Checkpoint) -> None:
    found = shuffle_words(tiny_checkpoint, TEXT, mask_words=(3,), seed=4)
    assert sorted(found.order) == list(range(len(found.encoding.spans)))
    assert list(found.order) != sorted(found.order)
    assert sorted(found.sources) == list(range(len(found.encoding)))
    ids = found.encoding.ids
    assert found.shuffled.ids == tuple(ids[source] for source in found.sources)
    assert (found.shuffled.ids[0], found.shuffled.ids[-1]) == (ids[0], ids[-1])
    # A word's pieces stay together and in their order.
    words = [word for word in found.shuffled.words if word is not None]
    assert words == [word for word in found.order for _ in found.encoding.tokens_of(word)]
    assert found.encoding.ids[found.masked] == tiny_checkpoint.tokenizer.mask_id


def test_with_positions_the_text_as_typed_is_read_as_everywhere(
    tiny_checkpoint: Checkpoint,
) -> None:
    found = shuffle_words(tiny_checkpoint, TEXT, mask_words=(3,))
    (mask, *_rest) = fill_mask(tiny_checkpoint, TEXT, mask_words=(3,), top=3).masks
    said, expected = found.with_positions.before, mask.predictions
    assert [one.token for one in said] == [one.token for one in expected]
    assert [one.probability for one in said] == pytest.approx(
        [one.probability for one in expected], rel=1e-5
    )


def test_seeds_and_sizes() -> None:
    assert shuffled_order(1, 0) == (0,)
    assert {shuffled_order(2, seed) for seed in range(9)} == {(1, 0)}
    assert shuffled_order(9, 3) == shuffled_order(9, 3) != shuffled_order(9, 4)
    with pytest.raises(TooManyWordsError):
        shuffled_order(MOST_WORDS + 1, 0)


def test_tokens_follow_their_words(tiny_checkpoint: Checkpoint) -> None:
    encoding = replace(
        tiny_checkpoint.tokenizer.encode("The cat", None, limit=32),
        ids=(2, 9, 8, 7, 3),
        words=(None, 0, 0, 1, None),
    )
    assert moved_tokens(encoding, (1, 0)) == (0, 3, 1, 2, 4)


def test_what_cannot_be_shuffled_is_named(tiny_checkpoint: Checkpoint, xlnet: Checkpoint) -> None:
    with pytest.raises(NoMaskError):
        shuffle_words(tiny_checkpoint, TEXT)
    with pytest.raises(MissingHeadError):
        shuffle_words(xlnet, TEXT, mask_words=(1,))


def test_an_intervention_leaves_the_model_as_it_was(tiny_checkpoint: Checkpoint) -> None:
    one, other = (shuffle_words(tiny_checkpoint, TEXT, mask_words=(3,)) for _ in range(2))
    assert np.array_equal(one.with_positions.turned, other.with_positions.turned)
    assert torch.is_inference_mode_enabled() is False
