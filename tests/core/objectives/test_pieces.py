"""What is special, ordinary and continuing in a vocabulary, holes in its numbers included."""

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from core.objectives.pieces import (
    Specials,
    continuations,
    ordinary_ids,
    sentinel_ids,
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


def test_sentinels_and_sizes_are_found_by_their_names() -> None:
    names = ["a", "<extra_id_1>", "<extra_id_0>", "<size_1>", "<size_4>", "<size_2>"]
    vocabulary = {name: 10 + number for number, name in enumerate(names)}
    tokenizer = Tokenizer(tokenizers.Tokenizer(models.BPE(vocabulary, [])))
    assert sentinel_ids(tokenizer).tolist() == [12, 11]
    assert size_ids(tokenizer, 6).tolist() == [13, 13, 15, 15, 14, 14, 14]
    with pytest.raises(MissingTokenError):
        size_ids(with_holes(), 3)
