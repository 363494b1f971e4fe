"""Which pairs are held out: by English alone, near-identical sentences together."""

import lzma
from pathlib import Path

import pytest

from core.training.corpora import CorpusError
from core.training.parallel import (
    english_key,
    held_out_pairs,
    is_held_out,
    read_pairs,
    training_pairs,
)

SENTENCES = [f"Sentence number {n} is here." for n in range(6400)]


@pytest.mark.parametrize(
    "other", ["dont GO", " Don\N{RIGHT SINGLE QUOTATION MARK}t  go! ", "Don't go.", "“Don't” go"]
)
def test_near_identical_sentences_have_one_key(other: str) -> None:
    assert english_key(other) == english_key("Don't go!") == "dont go"
    assert is_held_out(other) == is_held_out("Don't go!")


def test_other_words_have_other_keys() -> None:
    assert english_key("Do not go") != english_key("Don't go")
    assert english_key("a b") != english_key("ab")


def test_about_one_in_64_is_held_out_always_the_same() -> None:
    held = [sentence for sentence in SENTENCES if is_held_out(sentence)]
    assert 70 < len(held) < 130  # 100 are expected, give or take 10
    assert held[:3] == [SENTENCES[n] for n in (11, 48, 103)]


def test_training_and_measuring_share_no_english(tmp_path: Path) -> None:
    path = tmp_path / "de.tsv.xz"
    lines = [f"{one}\tSatz {n}" for n, one in enumerate(SENTENCES[:200])]
    lines += [f"{one.upper()}\tAnderer Satz {n}" for n, one in enumerate(SENTENCES[:200])]
    path.write_bytes(lzma.compress("\n".join(lines).encode()))
    train, test = training_pairs(path), held_out_pairs(path)
    assert len(train) + len(test) == len(read_pairs(path)) == 400
    assert len(test) == 2 * len({english_key(english) for english, _ in test}) > 0
    assert not {english_key(english) for english, _ in train} & {
        english_key(english) for english, _ in test
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"one\ttwo\n\none two\n", "line 3 of"),
        (b"one\ttwo\tthree\n", "line 1 of"),
        (b"one\t \n", "line 1 of"),
        (b"\xff\t\xff\n", "not UTF-8"),
        (b"Two\tZwei\n", "no pair for measuring"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "de.tsv"
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=said):
        held_out_pairs(path)


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="No such file"):
        read_pairs(tmp_path / "none.tsv")
    damaged = tmp_path / "de.tsv.xz"
    damaged.write_bytes(lzma.compress(b"One\tEins\n" * 99)[:50])
    with pytest.raises(CorpusError, match="damaged"):
        read_pairs(damaged)
