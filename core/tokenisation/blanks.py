"""The special tokens of texts with blanks: sentinels, and tokens that say how long a blank is.

Blank ``k`` is ``<extra_id_k>``, whatever its id (T5's run down). Behind it may stand a size token,
``<size_8>`` for eight words; a vocabulary has them for some sizes, and the nearest one in ratio
stands for the others. Behind the sentinel of a free blank stands none, as in T5's own training: it
is as long as the model makes it::

    text     The ___2___ on the ___ ___*___.
    source   ▁The <extra_id_0> <size_2> ▁on ▁the <extra_id_1> <size_1> <extra_id_2> . </s>
    target   <extra_id_0> ▁cat ▁sat <extra_id_1> ▁mat <extra_id_2> ▁by ▁the ▁fire <extra_id_3> </s>

Sentinels: Raffel et al. 2020, "Exploring the Limits of Transfer Learning", section 3.1.4. Size
tokens are our own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from core.tokenisation.tokenizer import Tokenizer

SPACE = "▁"
SIZES = (*range(1, 17), 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 192, 256, 384, 512)

_SIZE = re.compile(r"<size_([1-9][0-9]{0,5})>")


def sentinel(blank: int) -> str:
    """The token of a blank, counted from 0."""
    return f"<extra_id_{blank}>"


def size_token(words: int) -> str:
    """The token that says so many words."""
    return f"<size_{words}>"


def size_tokens(sizes: Iterable[int] = SIZES) -> tuple[str, ...]:
    """The tokens that a vocabulary gets for texts with blanks."""
    return tuple(map(size_token, sizes))


def sentinel_ids(tokenizer: Tokenizer) -> tuple[int, ...]:
    """The ids of a vocabulary's sentinels, that of blank 0 first; none if it has none."""
    vocabulary = tokenizer.inner.get_vocab()
    found: list[int] = []
    while (number := vocabulary.get(sentinel(len(found)))) is not None:
        found.append(number)
    return tuple(found)


def sizes_of(tokenizer: Tokenizer) -> dict[int, int]:
    """The sizes that a vocabulary has a token for, with the ids of these."""
    return {
        int(found[1]): number
        for piece, number in tokenizer.inner.get_vocab().items()
        if (found := _SIZE.fullmatch(piece))
    }


def nearest_size(words: int, sizes: Collection[int]) -> int:
    """The size nearest to a number of words in ratio; of two, the smaller."""
    return min(sizes, key=lambda size: (max(size / words, words / size), size))
