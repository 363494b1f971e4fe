"""All numbers of one pass as an ``.npz`` file, which numpy opens without pickles."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from core.tasks.attend import AttendResult
from core.tokenisation import Encoding


def write_npz(
    file: Path | IO[bytes], result: AttendResult, *, checkpoint: str, revision: str
) -> None:
    """Write the arrays of a result, uncompressed.

    - Of the whole: ``texts``, ``spellings`` of their words, ``checkpoint``, ``revision``, ``kinds``
      (names of the kinds of attention) and, where the tokens were read in an order, ``order``.
    - One entry a token: ``tokens`` as they stand in the vocabulary, ``pieces`` (readable), ``ids``,
      ``offsets`` ``[token, 2]`` (characters of the token's own text), ``segments``, ``words``
      (number of the word, -1 for none), ``special``. What a decoder beside an encoder read has the
      same entries, ``texts`` and ``spellings`` too, with ``target.`` before their names.
    - Of a model with one kind of attention: ``patterns`` ``[layer, head, query, key]``, ``masked``
      ``[query, key]`` (True where the query may not see the key) and, where the model has them,
      ``bias`` ``[head, query, key]`` and ``positions`` ``[token, width]``. Of several kinds, one a
      kind: ``patterns.encoder``, ``masked.cross``.
    - ``logits``, where the result has them: scores of every piece ``[token, vocabulary]``, of a
      discriminator those of being replaced ``[token]``; see :class:`AttendResult`.

    Numbers are float32, counts int32.

    Args:
        file: where to; a path is taken as it is named.
        result: what was recorded.
        checkpoint: name of the model.
        revision: of its files.
    """
    arrays: dict[str, Any] = _columns(result.encoding, "")
    arrays["checkpoint"] = _strings((checkpoint,))[0]
    arrays["revision"] = _strings((revision,))[0]
    arrays["kinds"] = _strings(tuple(one.name for one in result.maps))
    if result.target is not None:
        arrays |= _columns(result.target, "target.")
    if result.order is not None:
        arrays["order"] = np.array(result.order, dtype=np.int32)
    if result.logits is not None:
        arrays["logits"] = result.logits
    for one in result.maps:
        alone = result.target is None and len(result.maps) == 1
        kind = "" if alone else f".{one.name}"
        recorded = {
            "patterns": one.patterns,
            "masked": one.masked,
            "bias": one.bias,
            "positions": None if one.name == "cross" else one.positions,  # the decoder's again
        }
        arrays |= {f"{name}{kind}": found for name, found in recorded.items() if found is not None}
    if isinstance(file, Path):
        with file.open("wb") as opened:  # as named: numpy would add a suffix to a bare path
            np.savez(opened, **arrays)
    else:
        np.savez(file, **arrays)


def _columns(encoding: Encoding, prefix: str) -> dict[str, Any]:
    words = [-1 if word is None else word for word in encoding.words]
    columns = {
        "texts": _strings(encoding.texts),
        "spellings": _strings(encoding.spellings),
        "tokens": _strings(encoding.tokens),
        "pieces": _strings(encoding.pieces),
        "ids": np.array(encoding.ids, dtype=np.int32),
        "offsets": np.array(encoding.offsets, dtype=np.int32),
        "segments": np.array(encoding.segments, dtype=np.int32),
        "words": np.array(words, dtype=np.int32),
        "special": np.array(encoding.special),
    }
    return {prefix + name: column for name, column in columns.items()}


def _strings(values: tuple[str, ...]) -> NDArray[np.str_]:
    return np.array(values, dtype=np.str_)  # said, because an empty list would be of numbers
