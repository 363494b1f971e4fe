"""Maps for the browser tests of the attention explorer."""

from collections.abc import Callable
from functools import cache

from app.parts.attention_maps import MapSet
from tests.browser.apps.canvas_cases import SENTENCE, case_of, softmax_maps, square_set, words

# Two sentences with a word of two pieces in each.
PAIR = "[CLS] the cat was tire ##d . [SEP] it was sleep ##ing . [SEP]".split()
WORDS = ["the", "cat", "was", "tired", ".", "it", "was", "sleeping", "."]
WORD_OF = [None, 0, 1, 2, 3, 3, 4, None, 5, 6, 7, 7, 8, None]
SEGMENTS = [0] * 8 + [1] * 6


def pair_set() -> MapSet:
    """Maps of a pair of sentences over itself."""
    special = [token.startswith("[") for token in PAIR]
    weights = softmax_maps(3, 4, len(PAIR), len(PAIR), seed=3)
    return MapSet(
        "encoder",
        weights,
        PAIR,
        PAIR,
        query_special=special,
        key_special=special,
        query_words=WORD_OF,
        key_words=WORD_OF,
        query_word_texts=WORDS,
        key_word_texts=WORDS,
        query_segments=SEGMENTS,
        key_segments=SEGMENTS,
    )


CASES: dict[str, Callable[[], list[MapSet]]] = {
    "sentence": lambda: [square_set(SENTENCE, 6, 12)],
    # Every token another one, so that a note says which cell it is about.
    "words": lambda: [square_set(words(12), 3, 4, seed=5)],
    "pair": lambda: [pair_set()],
    "twice": lambda: [square_set(words(12), 3, 4, seed=5)],
}


@cache
def explorer_case(name: str) -> list[MapSet]:
    """The sets of a case, made once; those of the small canvas, too."""
    return CASES[name]() if name in CASES else case_of(name)
