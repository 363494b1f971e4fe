"""Learning merges: the worked example, and the same merges as the library learns."""

import json
import random

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from core.tokenisation.learning import learn_merges
from core.tokenisation.training import BERT_FRAME, END_OF_WORD, VocabularyKind, train_tokenizer

WORDS = {"low": 5, "lower": 2, "newest": 6}


def written_out(words: dict[str, int]) -> str:
    return " ".join(word for word, count in words.items() for _ in range(count))


def merges_of(inner: tokenizers.Tokenizer) -> list[tuple[str, str]]:
    return [(left, right) for left, right in json.loads(inner.to_str())["model"]["merges"]]


def library_merges(words: dict[str, int]) -> list[tuple[str, str]]:
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=10_000, show_progress=False)
    inner.train_from_iterator([written_out(words)], trainer)
    return merges_of(inner)


def trained_merges(words: dict[str, int]) -> list[tuple[str, str]]:
    """Those of a vocabulary for a model, in which ends of words are marked."""
    texts = [written_out(words)]
    return merges_of(
        train_tokenizer(VocabularyKind.BPE, texts, 10_000, frame=BERT_FRAME, least_count=1).inner
    )


def test_the_worked_example() -> None:
    first, second, third = learn_merges(WORDS, 3, shown=7)
    assert (first.left, first.right, first.piece, first.count) == ("w", "e", "we", 8)
    assert first.runners_up == (
        ("l", "o", 7),
        ("o", "w", 7),
        ("e", "s", 6),
        ("e", "w", 6),
        ("n", "e", 6),
        ("s", "t", 6),
        ("e", "r", 2),
    )
    assert first.words == (
        (("l", "o", "w"), 5),
        (("l", "o", "we", "r"), 2),
        (("n", "e", "we", "s", "t"), 6),
    )
    assert (second.piece, second.count) == ("lo", 7)
    assert {("o", "w", 5), ("o", "we", 2)} < {*second.runners_up}  # where "we" stands, no w is left
    assert third.runners_up == (
        ("n", "e", 6),
        ("s", "t", 6),
        ("we", "s", 6),
        ("lo", "w", 5),
        ("we", "r", 2),
        ("lo", "we", 2),
    )


def test_ends_of_words_are_marked() -> None:
    first = learn_merges({"at": 3, "ate": 1}, 1, end_of_word="</w>")[0]
    assert (first.left, first.right, first.count) == ("a", "t</w>", 3)
    assert first.words[1] == (("a", "t", "e</w>"), 1)


def test_pairs_that_overlap_are_joined_from_the_left() -> None:
    first = learn_merges({"aaa": 1, "aaaa": 1}, 1)[0]
    assert first.count == 2 + 3
    assert first.words == ((("aa", "a"), 1), (("aa", "aa"), 1))


def test_learning_ends_when_every_word_is_one_piece() -> None:
    learned = learn_merges({"abc": 1, "": 4}, 100)
    assert [step.piece for step in learned] == ["ab", "abc"]
    assert learn_merges({"a": 9}, 5) == []
    assert learn_merges({}, 5) == []


@pytest.mark.parametrize("seed", range(12))
def test_the_library_learns_the_same_merges(seed: int) -> None:
    generator = random.Random(seed)  # noqa: S311
    words = {
        "".join(generator.choices("abcdé", k=generator.randint(1, 7))): generator.randint(1, 6)
        for _ in range(generator.randint(3, 25))
    }
    learned = learn_merges(words, 10_000)
    assert len(learned) > 3
    assert [(step.left, step.right) for step in learned] == library_merges(words)
    marked = learn_merges(words, 10_000, end_of_word=END_OF_WORD)
    assert [(step.left, step.right) for step in marked] == trained_merges(words)


def test_a_vocabulary_of_a_real_sentence_has_the_same_merges() -> None:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    marked = learn_merges(words, 100, end_of_word=END_OF_WORD)
    assert [(step.left, step.right) for step in marked] == trained_merges(words)
    assert (marked[0].left, marked[0].right) == ("e", "s")
