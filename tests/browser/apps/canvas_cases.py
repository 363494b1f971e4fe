"""Maps for the browser tests of the attention canvas: the page draws them, the tests know them."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from app.parts.attention_payload import MapSet, Suggestion

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
    suggestions: Sequence[Suggestion] = (),
    seed: int = 0,
) -> MapSet:
    """Maps of a text over itself."""
    special = [token.startswith("[") for token in tokens]
    weights = softmax_maps(layers, heads, len(tokens), len(tokens), seed=seed)
    return MapSet("encoder", weights, tokens, tokens, "", special, special, suggestions=suggestions)


def words(count: int) -> list[str]:
    """A text of any length, with a special token at each end."""
    return ["[CLS]", *(f"word{index}" for index in range(count - 2)), "[SEP]"]


def several_sets() -> list[MapSet]:
    """An encoder of two layers, a decoder of four, and cross maps of 9 rows by 5 columns."""
    source, target = words(5), words(9)
    return [
        MapSet("encoder", softmax_maps(2, 3, 5, 5), source, source, "Encoder"),
        MapSet("decoder", softmax_maps(4, 2, 9, 9), target, target, "Decoder"),
        MapSet(
            "cross",
            softmax_maps(4, 2, 9, 5),
            target,
            source,
            "Cross",
            query_label="decoder",
            key_label="encoder",
        ),
    ]


def masked_set() -> MapSet:
    """A causal mask over six tokens whose first row may see nothing."""
    cells = np.triu(np.ones((6, 6), dtype=np.bool_))
    weights = np.where(cells, 0, softmax_maps(2, 2, 6, 6))
    weights = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-9)
    weights[:, :, 0] = np.nan
    tokens = words(6)
    return MapSet("decoder", weights, tokens, tokens, masked_cells=cells)


CASES: dict[str, Callable[[], list[MapSet]]] = {
    "sentence": lambda: [square_set(SENTENCE, 6, 12, SUGGESTIONS)],
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
def case_of(name: str) -> list[MapSet]:
    """The sets of a case, made once."""
    return CASES[name]()
