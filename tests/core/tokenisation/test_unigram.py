"""Unigram vocabularies: what is kept, and with which probabilities."""

import math

import pytest
from tokenizers import normalizers, pre_tokenizers

from core.tokenisation.unigram import learn_unigram

# "from" is frequent, and so are its parts "fro" (frost, frog, ...) and "m" in other words.
TEXTS = ["from from from from from frost frog froth frozen am him them m m m m"] * 50


def learn(size: int, texts: list[str] = TEXTS) -> list[tuple[str, float]]:
    return learn_unigram(
        texts,
        size,
        normaliser=normalizers.NFKC(),
        cutter=pre_tokenizers.Metaspace(),
        least_count=2,
    )


def test_a_frequent_word_stays_whole_though_its_parts_are_frequent() -> None:
    pieces = [piece for piece, _ in learn(26)]
    assert "▁from" in pieces
    assert len(pieces) == 26


def test_every_character_is_a_piece_even_where_there_is_no_room_for_more() -> None:
    characters = {char for text in TEXTS for char in text.replace(" ", "▁")}
    for size in (1, 20, 40):
        pieces = {piece for piece, _ in learn(size)}
        assert characters <= pieces
        assert len(pieces) <= max(size, len(characters))


def test_scores_are_logarithms_of_shares_of_the_likeliest_cuts() -> None:
    found = learn(40)
    scores = dict(found)
    assert sum(map(math.exp, scores.values())) == pytest.approx(1)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    # Every text has 16 words, all of them pieces: five of them are "from", three "m" after others.
    assert scores["▁from"] - scores["▁frog"] == pytest.approx(math.log(5))
    assert scores["▁m"] - scores["▁frog"] == pytest.approx(math.log(4))


def test_no_piece_reaches_across_a_cut_or_is_longer_than_sixteen() -> None:
    found = learn(400, ["incomprehensibilities of incomprehensibilities"] * 9)
    assert all("▁" not in piece[1:] and len(piece) <= 16 for piece, _ in found)


def test_the_same_texts_give_the_same_pieces() -> None:
    assert learn(30) == learn(30)
