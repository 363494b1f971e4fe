"""Cutting words step by step ends where the library ends."""

import json

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers

from core.errors import ConfigError
from core.tokenisation import Tokenizer
from core.tokenisation.merges import Match, Merge, merge_steps
from core.tokenisation.training import (
    BERT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    Frame,
    VocabularyKind,
    train_tokenizer,
)

TEXTS = (
    "The cat sat on the mat, 1234 times. It's a café in Paris and the cats were sleeping there.",
    "The capital of France is Paris. The animal didn't cross the street because it was tired.",
)
SAMPLES = (
    "The cats 1234 didn't sleep, 😀😀 café!",
    " the  street\nwas tired zzz",
    "capital😀 sleepings THE",
    "x" * 120,
    "a",
    "",
)
VOCABULARIES: dict[VocabularyKind, tuple[int, Frame]] = {
    VocabularyKind.WORD_PIECE: (150, BERT_FRAME),
    VocabularyKind.BPE: (150, BERT_FRAME),
    VocabularyKind.BYTE_LEVEL_BPE: (320, ROBERTA_FRAME),
    VocabularyKind.UNIGRAM: (90, T5_FRAME),
}


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("kind", VocabularyKind)
@pytest.mark.parametrize("apart", [False, True])
def test_the_pieces_are_those_of_the_library(kind: VocabularyKind, text: str, apart: bool) -> None:
    size, frame = VOCABULARIES[kind]
    tokenizer = train_tokenizer(
        kind, TEXTS * 6, size, frame=frame, digits_apart=apart, punctuation_apart=apart
    )
    expected = tokenizer.inner.encode(text, add_special_tokens=False).tokens
    assert [piece for word in merge_steps(text, tokenizer) for piece in word.pieces] == expected


def bpe(merges: list[tuple[str, str]], **options: object) -> Tokenizer:
    singles = dict.fromkeys("lowerns", 0)
    vocabulary = {piece: at for at, piece in enumerate(singles)}
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    inner = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges, **options))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer(inner)


def test_merges_are_replayed_in_the_order_in_which_they_were_learned() -> None:
    tokenizer = bpe([("w", "e"), ("l", "o"), ("we", "r"), ("lo", "wer")])
    (word,) = merge_steps("lower", tokenizer)
    assert word.start == ("l", "o", "w", "e", "r")
    assert word.merges == (
        Merge("w", "e", 0, 2, ("l", "o", "we", "r")),
        Merge("l", "o", 1, 0, ("lo", "we", "r")),
        Merge("we", "r", 2, 1, ("lo", "wer")),
        Merge("lo", "wer", 3, 0, ("lower",)),
    )
    # Greedy by the longest piece would find "lo" here too, but not because it comes first.
    assert merge_steps("low", tokenizer)[0].pieces == ("lo", "w")


def test_an_early_merge_can_keep_a_longer_piece_from_being_reached() -> None:
    tokenizer = bpe([("o", "w"), ("l", "o"), ("lo", "w")])
    (word,) = merge_steps("low", tokenizer)
    assert word.pieces == ("l", "ow")  # though "low" is a piece
    assert tokenizer.inner.encode("low").tokens == ["l", "ow"]


def test_the_leftmost_of_equal_pairs_is_first() -> None:
    (word,) = merge_steps("nnnn", bpe([("n", "n")]))
    assert [(merge.index, merge.pieces) for merge in word.merges] == [
        (0, ("nn", "n", "n")),
        (1, ("nn", "nn")),
    ]


def word_piece(*pieces: str) -> Tokenizer:
    vocabulary = {piece: at for at, piece in enumerate(["[UNK]", *pieces])}
    inner = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer(inner)


def test_word_pieces_are_the_longest_from_the_left() -> None:
    tokenizer = word_piece("un", "u", "##aff", "##able", "##a", "##ff")
    (word,) = merge_steps("unaffable", tokenizer)
    assert word.pieces == ("un", "##aff", "##able")
    assert word.matches == (
        Match(0, 2, tuple("unaffable"[:end] for end in range(9, 1, -1))),
        Match(2, 5, tuple("##" + "affable"[:end] for end in range(7, 2, -1))),
        Match(5, 9, ("##able",)),
    )


def test_one_position_without_a_match_makes_the_word_unknown() -> None:
    (word,) = merge_steps("unix", word_piece("un", "##i"))
    assert word.pieces == ("[UNK]",)
    assert word.matches[-1] == Match(3, 3, ("##x",))
    assert [match.start for match in word.matches] == [0, 2, 3]


def unigram(scores: dict[str, float]) -> Tokenizer:
    inner = tokenizers.Tokenizer(models.Unigram([("<unk>", 0.0), *scores.items()], unk_id=0))
    return Tokenizer(inner)


def test_segmentations_by_their_probability() -> None:
    scores = {"h": -3.0, "u": -3.0, "g": -3.0, "hu": -4.5, "ug": -3.5, "hug": -7.0}
    tokenizer = unigram(scores)
    (word,) = merge_steps("hug", tokenizer, top=9)
    assert [(one.pieces, one.score) for one in word.segmentations] == [
        (("h", "ug"), -6.5),
        (("hug",), -7.0),
        (("hu", "g"), -7.5),
        (("h", "u", "g"), -9.0),
    ]
    assert word.segmentations[0].scores == (-3.0, -3.5)
    assert word.pieces == ("h", "ug")
    assert tokenizer.inner.encode("hug").tokens == ["h", "ug"]
    assert len(merge_steps("hug", tokenizer, top=2)[0].segmentations) == 2


def test_segmentations_are_all_there_are() -> None:
    scores = dict.fromkeys("abc", -1.0) | {"ab": -1.7, "bc": -1.9, "abc": -2.9, "ca": -1.2}
    word = "abcabc"

    def ways(rest: str) -> list[tuple[str, ...]]:
        if not rest:
            return [()]
        return [
            (rest[:size], *way)
            for size in range(1, len(rest) + 1)
            if rest[:size] in scores
            for way in ways(rest[size:])
        ]

    every = sorted((sum(scores[piece] for piece in way) for way in ways(word)), reverse=True)
    (found,) = merge_steps(word, unigram(scores), top=len(every) + 5)
    assert [one.score for one in found.segmentations] == pytest.approx(every)
    assert len({one.pieces for one in found.segmentations}) == len(every)


def test_unknown_characters_side_by_side_are_one_piece_far_below_all_others() -> None:
    tokenizer = unigram({"a": -1.0, "b": -4.0})
    (word,) = merge_steps("a😀😀b", tokenizer)
    assert word.pieces == ("a", "😀😀", "b")
    assert word.segmentations[0].scores == (-1.0, 2 * (-4.0 - 10.0), -4.0)
    assert tokenizer.inner.encode("a😀😀b").tokens == ["a", "😀😀", "b"]


def test_segmentations_of_a_trained_vocabulary() -> None:
    size, frame = VOCABULARIES[VocabularyKind.UNIGRAM]
    tokenizer = train_tokenizer(VocabularyKind.UNIGRAM, TEXTS * 6, size, frame=frame)
    table = dict(json.loads(tokenizer.inner.to_str())["model"]["vocab"])
    words = merge_steps("The capital street", tokenizer, top=3)
    assert [word.word for word in words] == ["▁The", "▁capital", "▁street"]
    for word in words:
        assert 1 < len(word.segmentations) <= 3
        scores = [one.score for one in word.segmentations]
        assert scores == sorted(scores, reverse=True)
        assert all("".join(one.pieces) == word.word for one in word.segmentations)
        for one in word.segmentations:
            library = [table[piece] for piece in one.pieces]
            assert one.scores == pytest.approx(library)


def test_kinds_and_options_without_steps_are_named() -> None:
    with pytest.raises(ConfigError, match="WordLevel"):
        merge_steps("a", Tokenizer(tokenizers.Tokenizer(models.WordLevel({"a": 0}, "a"))))
    with pytest.raises(ConfigError, match="dropout"):
        merge_steps("low", bpe([("l", "o")], dropout=0.5))
