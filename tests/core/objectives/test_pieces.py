"""What is special, ordinary and continuing in a vocabulary, holes in its numbers included."""

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from core.objectives.pieces import (
    Specials,
    closing_punctuation,
    continuations,
    ordinary_ids,
    size_ids,
    specials_of,
)
from core.tokenisation import MissingTokenError, Tokenizer


def with_holes() -> Tokenizer:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat", "##s", "a"]
    vocabulary = {piece: 2 * number for number, piece in enumerate(pieces)}
    return Tokenizer(tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]")))


def test_special_tokens_have_their_ids() -> None:
    assert specials_of(with_holes()) == Specials(classify=4, separator=6, mask=8, padding=0)


def test_ordinary_is_everything_else_that_exists() -> None:
    assert ordinary_ids(with_holes()).tolist() == [10, 12, 14]


def test_pieces_that_continue_a_word_are_marked() -> None:
    assert continuations(with_holes()).nonzero()[:, 0].tolist() == [12]


def test_the_three_agree_on_a_real_vocabulary(word_pieces: Tokenizer) -> None:
    ordinary = ordinary_ids(word_pieces)
    assert len(ordinary) == word_pieces.vocabulary_size - 5
    continuing = continuations(word_pieces).nonzero()[:, 0].tolist()
    assert continuing
    assert set(continuing) < set(ordinary.tolist())
    assert all(word_pieces.token(number).startswith("##") for number in continuing)


@pytest.mark.parametrize(
    ("pre_tokenizer", "start"),
    [(pre_tokenizers.ByteLevel(), "\u0120"), (pre_tokenizers.Metaspace(), "\u2581")],
)
def test_where_starts_are_marked_the_others_continue(
    pre_tokenizer: pre_tokenizers.PreTokenizer, start: str
) -> None:
    vocabulary = {"<s>": 0, "</s>": 1, f"{start}the": 2, "the": 3, f"{start}": 4, "ing": 5}
    inner = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    inner.pre_tokenizer = pre_tokenizer
    inner.add_special_tokens(["<s>", "</s>"])
    continues = continuations(Tokenizer(inner))
    assert continues.tolist() == [False, False, False, True, False, True]


def test_closing_punctuation_is_told_by_unicode_category() -> None:
    pieces = [".", ",", "!?", "\u201d", "\u2581.", "a.", "a", "+", "\u2581", "<x>", "##-"]
    vocabulary = {piece: 3 * number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(tokenizers.Tokenizer(models.BPE(vocabulary, [])))
    assert closing_punctuation(tokenizer).nonzero()[:, 0].tolist() == [0, 3, 6, 9, 30]


def test_every_size_has_the_token_nearest_to_it_in_ratio() -> None:
    names = ["a", "<size_1>", "<size_4>", "<size_2>"]
    vocabulary = {name: 10 + number for number, name in enumerate(names)}
    tokenizer = Tokenizer(tokenizers.Tokenizer(models.BPE(vocabulary, [])))
    # Three is nearer to four (4/3) than to two (3/2).
    assert size_ids(tokenizer, 6).tolist() == [11, 11, 13, 12, 12, 12, 12]
    with pytest.raises(MissingTokenError):
        size_ids(with_holes(), 3)
