"""Maps for the browser tests of the attention canvas: the page draws them, the tests know them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from app.parts.head_suggestions import Suggestion
from core.tasks import AttentionMap
from tests.attention_maps import attention_map, text_of

SENTENCE = [
    "[CLS]",
    *"the animal didn ' t cross the street because it was too tired .".split(" "),
    "[SEP]",
]
HOSTILE = "</script><img src=x onerror=alert(1)>"


def softmax_maps(*shape: int, seed: int = 0) -> Any:
    """Random maps with a few strong weights a row, as a trained model has them."""
    scores = 2.2 * np.random.default_rng(seed).standard_normal(shape)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


SUGGESTIONS = [
    Suggestion("looks one token back", "1.00", layer=0, head=2),
    Suggestion("looks at [CLS]", "0.88", layer=4, head=8),
]


def square_set(
    tokens: list[str],
    layers: int,
    heads: int,
    seed: int = 0,
) -> AttentionMap:
    """Maps of a text over itself."""
    text = text_of(tokens, special=[token.startswith("[") for token in tokens])
    patterns = softmax_maps(layers, heads, len(tokens), len(tokens), seed=seed)
    return attention_map("encoder", patterns, text)


def words(count: int) -> list[str]:
    """A text of any length, with a special token at each end."""
    return ["[CLS]", *(f"word{index}" for index in range(count - 2)), "[SEP]"]


def several_sets() -> list[AttentionMap]:
    """An encoder of two layers, a decoder of four, and cross maps of 9 rows by 5 columns."""
    source, target = words(5), words(9)
    return [
        attention_map("encoder", softmax_maps(2, 3, 5, 5), source),
        attention_map("decoder", softmax_maps(4, 2, 9, 9), target),
        attention_map("cross", softmax_maps(4, 2, 9, 5), target, source),
    ]


def masked_set() -> AttentionMap:
    """A causal mask over six tokens whose first row may see nothing."""
    cells = np.triu(np.ones((6, 6), dtype=np.bool_))
    weights = np.where(cells, 0, softmax_maps(2, 2, 6, 6))
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-9)
    weights[:, :, 0] = np.nan
    return attention_map("decoder", weights, words(6), masked=cells)


CASES: dict[str, Callable[[], list[AttentionMap]]] = {
    "sentence": lambda: [square_set(SENTENCE, 6, 12)],
    "layers": lambda: [square_set(SENTENCE, 6, 12)],
    "other": lambda: [square_set(SENTENCE, 6, 12, seed=1)],
    "twelve": lambda: [square_set(words(128), 12, 12)],
    "deep": lambda: [square_set(words(32), 24, 16)],
    "long": lambda: [square_set(words(512), 6, 12)],
    "sets": several_sets,
    "masked": lambda: [masked_set()],
    "hostile": lambda: [square_set(["[CLS]", HOSTILE, "שלום", "##ing", "👩‍🔬", "[SEP]"], 2, 4)],
    "one": lambda: [square_set(["word"], 1, 1)],
}


@cache
def case_of(name: str) -> list[AttentionMap]:
    """The sets of a case, made once."""
    return CASES[name]()
