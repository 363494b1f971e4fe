"""Maps for the browser tests of the attention explorer."""

from app.components.attention_maps import MapSet
from tests.browser.apps.canvas_cases import SENTENCE, case_of, softmax_maps, square_set

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


def explorer_case(name: str) -> list[MapSet]:
    """The sets of a case; those of the small canvas, too."""
    if name == "pair":
        return [pair_set()]
    if name == "sentence":
        return [square_set(SENTENCE, 6, 12)]
    return case_of(name)
