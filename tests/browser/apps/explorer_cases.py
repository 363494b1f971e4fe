"""Maps for the browser tests of the attention explorer."""

from collections.abc import Callable
from functools import cache

from core.tasks import AttentionMap
from tests.attention_maps import attention_map, text_of
from tests.browser.apps.canvas_cases import SENTENCE, case_of, softmax_maps, square_set, words

# Two sentences with a word of two pieces in each.
PAIR = "[CLS] the cat was tire ##d . [SEP] it was sleep ##ing . [SEP]".split()
WORDS = ["the", "cat", "was", "tired", ".", "it", "was", "sleeping", "."]
WORD_OF = [None, 0, 1, 2, 3, 3, 4, None, 5, 6, 7, 7, 8, None]
SEGMENTS = [0] * 8 + [1] * 6


def pair_set() -> AttentionMap:
    """Maps of a pair of sentences over itself."""
    special = [token.startswith("[") for token in PAIR]
    text = text_of(PAIR, special=special, words=WORD_OF, spellings=WORDS, segments=SEGMENTS)
    return attention_map("encoder", softmax_maps(3, 4, len(PAIR), len(PAIR), seed=3), text)


CASES: dict[str, Callable[[], list[AttentionMap]]] = {
    "sentence": lambda: [square_set(SENTENCE, 6, 12)],
    # Every token another one, so that a note says which cell it is about.
    "words": lambda: [square_set(words(12), 3, 4, seed=5)],
    "pair": lambda: [pair_set()],
    "twice": lambda: [square_set(words(12), 3, 4, seed=5)],
}


@cache
def explorer_case(name: str) -> list[AttentionMap]:
    """The sets of a case, made once; those of the small canvas, too."""
    return CASES[name]() if name in CASES else case_of(name)
