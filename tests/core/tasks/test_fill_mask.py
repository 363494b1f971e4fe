"""Guesses for hidden words."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, load_checkpoint
from core.config import Head
from core.errors import MissingHeadError, SequenceTooLongError
from core.tasks import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchWordError,
    TopOutOfRangeError,
    attend,
    fill_mask,
)
from core.tasks.fill_mask import likeliest

LAYERS, HEADS = 3, 4
SENTENCE = "The capital of France is [MASK]."


def test_probabilities_are_the_softmax_of_the_logits(tiny_checkpoint: Checkpoint) -> None:
    result = fill_mask(tiny_checkpoint, SENTENCE, top=100)
    (mask,) = result.masks
    assert result.encoding.tokens[mask.position] == "[MASK]"
    with torch.inference_mode():
        ids = torch.tensor([result.encoding.ids])
        logits = tiny_checkpoint.model(ids).logits[0, mask.position]
    expected = logits.softmax(-1)
    assert len(mask.predictions) == 100
    probabilities = [prediction.probability for prediction in mask.predictions]
    assert probabilities == sorted(probabilities, reverse=True)
    for token, probability in mask.predictions:
        at = tiny_checkpoint.tokenizer.id(token)
        assert probability == pytest.approx(expected[at].item(), abs=1e-6)


def test_every_mask_is_answered_at_its_own_position(tiny_checkpoint: Checkpoint) -> None:
    result = fill_mask(tiny_checkpoint, "[MASK] cat [MASK] on", "the [MASK]", top=3)
    assert [mask.position for mask in result.masks] == [1, 3, 7]
    assert [mask.word for mask in result.masks] == [0, 2, 5]
    assert len({mask.predictions for mask in result.masks}) == 3
    assert all(len(mask.predictions) == 3 for mask in result.masks)


def test_a_hidden_word_of_k_pieces_becomes_k_masks(tiny_checkpoint: Checkpoint) -> None:
    result = fill_mask(tiny_checkpoint, "The cats didn't sleep", mask_words=[2])
    pieces = result.encoding.tokens_of(2)
    assert len(pieces) >= 3
    assert tuple(mask.position for mask in result.masks) == pieces
    assert {mask.word for mask in result.masks} == {2}
    assert result.texts == (f"The cats {' '.join(['[MASK]'] * len(pieces))} sleep",)
    assert result.encoding.spellings[2] == "didn't"


@pytest.mark.parametrize(
    ("text", "pair", "words"),
    [
        ("The capital, of France.", None, [0, 1, 2]),
        ("The cat didn't", "sleep on CAFÉ mats!", [2, 5, 7]),
        ("a [MASK] cat😀 sat", None, [0, 2]),
        ("cafe\u0301 猫坐 שלום", None, [0, 2, 3]),
    ],
)
def test_the_text_as_it_ran_gives_the_same_answer_again(
    tiny_checkpoint: Checkpoint, text: str, pair: str | None, words: list[int]
) -> None:
    first = fill_mask(tiny_checkpoint, text, pair, mask_words=words)
    again = fill_mask(tiny_checkpoint, *first.texts)
    assert again.encoding.ids == first.encoding.ids
    assert [m.predictions for m in again.masks] == [m.predictions for m in first.masks]


def test_attention_is_that_of_the_masked_sentence(tiny_checkpoint: Checkpoint) -> None:
    hidden = fill_mask(tiny_checkpoint, "The cat sat", mask_words=[1], patterns=True)
    assert hidden.patterns is not None
    masked = attend(tiny_checkpoint, "The [MASK] sat").patterns
    np.testing.assert_allclose(hidden.patterns, masked, atol=1e-6)
    assert np.abs(hidden.patterns - attend(tiny_checkpoint, "The cat sat").patterns).max() > 1e-3
    assert fill_mask(tiny_checkpoint, SENTENCE).patterns is None


def test_ablating_heads_changes_this_answer_only(tiny_checkpoint: Checkpoint) -> None:
    before = fill_mask(tiny_checkpoint, SENTENCE).masks
    changed = fill_mask(tiny_checkpoint, SENTENCE, off=[(0, 1), (2, 3)]).masks
    assert changed != before
    assert fill_mask(tiny_checkpoint, SENTENCE).masks == before


@pytest.mark.parametrize("head", [(-1, 0), (0, -1), (LAYERS, 0), (0, HEADS)])
def test_a_head_outside_the_model_is_refused(
    tiny_checkpoint: Checkpoint, head: tuple[int, int]
) -> None:
    with pytest.raises(NoSuchHeadError, match="3 layers of 4 heads"):
        fill_mask(tiny_checkpoint, SENTENCE, off=[head])


def test_nothing_hidden_is_an_error_that_says_how_to_hide(tiny_checkpoint: Checkpoint) -> None:
    with pytest.raises(NoMaskError, match=r"\[MASK\]"):
        fill_mask(tiny_checkpoint, "the [mask] cat")


@pytest.mark.parametrize("word", [-1, 3])
def test_a_word_outside_the_text_is_refused(tiny_checkpoint: Checkpoint, word: int) -> None:
    with pytest.raises(NoSuchWordError) as caught:
        fill_mask(tiny_checkpoint, "the cat sat", mask_words=[0, word])
    assert (caught.value.word, caught.value.words) == (word, 3)


@pytest.mark.parametrize("top", [0, -5, 101])
def test_the_number_of_guesses_is_bounded(tiny_checkpoint: Checkpoint, top: int) -> None:
    with pytest.raises(TopOutOfRangeError):
        fill_mask(tiny_checkpoint, SENTENCE, top=top)


def test_three_hundred_masks_fit_and_more_than_the_positions_do_not(
    tiny_checkpoint: Checkpoint,
) -> None:
    assert len(fill_mask(tiny_checkpoint, "[MASK]" * 300).masks) == 300
    with pytest.raises(SequenceTooLongError):
        fill_mask(tiny_checkpoint, "[MASK]" * 400)
    assert len(fill_mask(tiny_checkpoint, "[MASK] " * 400, cut=True).masks) == 318


def test_a_model_without_the_head_says_so(tiny_checkpoint: Checkpoint) -> None:
    config = replace(tiny_checkpoint.config, heads=(Head.NEXT_SENTENCE,))
    with pytest.raises(MissingHeadError):
        fill_mask(replace(tiny_checkpoint, config=config), SENTENCE)


@pytest.mark.parametrize("name", ["albert", "roberta"])
def test_texts_with_masks_give_the_same_predictions_when_typed_in_again(name: str) -> None:
    checkpoint = load_checkpoint(name, device="cpu")
    text = 'She said: "Hello, world!" (it cost €5).'
    for word in range(len(fill_mask(checkpoint, text, mask_words=[0]).encoding.spans)):
        hidden = fill_mask(checkpoint, text, mask_words=[word])
        typed = fill_mask(checkpoint, *hidden.texts)
        assert typed.encoding.ids == hidden.encoding.ids
        assert [mask.predictions for mask in typed.masks] == [
            mask.predictions for mask in hidden.masks
        ]
        assert {mask.word for mask in hidden.masks} == {word}


def test_rows_without_a_piece_are_named(tiny_checkpoint: Checkpoint) -> None:
    piece = tiny_checkpoint.tokenizer.vocabulary_size + 2
    rows = piece + 1
    logits = torch.zeros(1, rows)
    logits[0, piece] = 9.0
    ((first, *_others),) = likeliest(logits, rows, tiny_checkpoint.tokenizer)
    assert first.token == f"row {piece}, no piece"
