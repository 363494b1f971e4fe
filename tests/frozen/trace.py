"""Freezing what a checkpoint does with a sentence, and finding out whether it still does it.

Two hashes are kept: of all attention weights rounded to a thousandth, and of the likeliest choices
of every head by name. Rounding alone would make the first fragile: of some ten thousand weights a
few hundred always lie so near a border that another processor rounds them to the other side. So
the rounded weights are kept too, packed, and a weight within ``SLACK`` of the stretch that its
frozen value stands for is rounded to that value; one that is further off is rounded on its own.
Then the hash has to be the frozen one. Choices whose scores differ by less than ``TIED`` keep
their frozen order in the same way.

The revision of the checkpoint, a hash of its files, is kept as well: a change of weights that is
too small to be seen in the sentence is seen there.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.checkpoints.files import TRACE
from tests.frozen.observation import Choices, Observation, observe
from tests.frozen.sentences import Sentence, sentences_for

ROUNDED_TO = 1e-3
SLACK = 1e-5
TIED = 1e-3
TOP = 5

_LEVELS = np.dtype("<i4")  # of the hash
_NO_NUMBER = -1_000_000  # the level of NaN, which no weight has


class DamagedTraceError(Exception):
    """A trace that contradicts itself."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"the frozen trace of {name} is damaged: {problem}")


class NotFrozenError(Exception):
    """There is no trace."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has no frozen trace: python -m tests.frozen {name}")


class UnsteadyError(Exception):
    """What a model does hangs on rounding, so another machine would find it changed."""

    def __init__(self, name: str, differences: tuple[str, ...]) -> None:
        super().__init__(
            f"{name} does something else in double precision: {'; '.join(differences)}"
        )


Tops = dict[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True)
class FrozenTrace:
    """One file.

    Attributes:
        system: of the model.
        revision: of its files.
        sentence: what was read.
        tokens: as which tokens.
        shapes: of the maps.
        levels: all their weights, in thousandths.
        patterns_hash: of ``shapes`` and ``levels``, SHA-256.
        tops: the likeliest choices at every position, by head.
        predictions_hash: of ``tops``, SHA-256.
        written: by a model that writes.
    """

    system: str
    revision: str
    sentence: Sentence
    tokens: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    levels: NDArray[np.int32]
    patterns_hash: str
    tops: Tops
    predictions_hash: str
    written: str | None


def take(checkpoint: Checkpoint, sentence: Sentence) -> FrozenTrace:
    """The trace of a sentence as this machine computes it."""
    seen = observe(checkpoint, sentence)
    shapes = tuple(one.shape for one in seen.maps)
    levels = _rounded(_flat(seen))
    tops: Tops = {
        head: tuple(_likeliest(row, choices.names) for row in choices.scores)
        for head, choices in seen.choices.items()
    }
    return FrozenTrace(
        system=checkpoint.config.system,
        revision=checkpoint.revision,
        sentence=sentence,
        tokens=seen.tokens,
        shapes=shapes,
        levels=levels,
        patterns_hash=_hash_of_levels(shapes, levels),
        tops=tops,
        predictions_hash=_hash_of_tops(tops),
        written=seen.written,
    )


def freeze(checkpoint: Checkpoint) -> FrozenTrace:
    """The trace of the first sentence that double precision agrees on.

    Raises:
        UnsteadyError: none is.
    """
    doubled = replace(checkpoint, model=copy.deepcopy(checkpoint.model).double())
    for sentence in sentences_for(checkpoint):
        trace = take(checkpoint, sentence)
        differences = drift(trace, doubled)
        if not differences:
            return trace
    raise UnsteadyError(checkpoint.name, differences)


def drift(trace: FrozenTrace, checkpoint: Checkpoint) -> tuple[str, ...]:
    """What a checkpoint does otherwise than when it was frozen, a line each; nothing if all holds.

    Args:
        trace: of this checkpoint.
        checkpoint: on the CPU, in float32.
    """
    if checkpoint.config.system != trace.system:
        return (f"it is of the system {checkpoint.config.system}, not {trace.system}",)
    found = []
    if checkpoint.revision != trace.revision:
        found.append(f"its files have the revision {checkpoint.revision}, not {trace.revision}")
    seen = observe(checkpoint, trace.sentence)
    if seen.tokens != trace.tokens:
        return (*found, f"it reads {' '.join(seen.tokens)}, not {' '.join(trace.tokens)}")
    shapes = tuple(one.shape for one in seen.maps)
    if shapes != trace.shapes:
        return (*found, f"its maps have the shapes {shapes}, not {trace.shapes}")
    weights = _flat(seen)
    levels = _settled(weights, trace.levels)
    if _hash_of_levels(shapes, levels) != trace.patterns_hash:
        off = int((levels != trace.levels).sum())
        most = float(np.abs(weights - trace.levels * ROUNDED_TO).max())
        found.append(f"{off} of {len(levels)} attention weights moved, one by {most:.4f}")
    tops = {
        head: _settled_tops(choices, trace.tops.get(head, ()))
        for head, choices in seen.choices.items()
    }
    if _hash_of_tops(tops) != trace.predictions_hash:
        found.append(f"it predicts otherwise: {_first_difference(tops, trace.tops)}")
    if seen.written != trace.written:
        found.append(f"it writes {seen.written!r}, not {trace.written!r}")
    return tuple(found)


def write_trace(trace: FrozenTrace, folder: Path) -> Path:
    """Write it as ``trace.json`` into a checkpoint's folder; return the file."""
    content = {
        "system": trace.system,
        "revision": trace.revision,
        "sentence": asdict(trace.sentence),
        "tokens": trace.tokens,
        "patterns": {
            "sha256": trace.patterns_hash,
            "shapes": trace.shapes,
            "thousandths": base64.b64encode(
                zlib.compress(trace.levels.astype(_LEVELS).tobytes(), 9)
            ).decode("ascii"),
        },
        "predictions": {"sha256": trace.predictions_hash, "top": trace.tops},
        "written": trace.written,
    }
    path = folder / TRACE
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path


def read_trace(folder: Path) -> FrozenTrace:
    """Read what :func:`write_trace` wrote.

    Raises:
        NotFrozenError: there is none.
        DamagedTraceError: it cannot be read, or its hashes are not those of its contents.
    """
    try:
        content = json.loads((folder / TRACE).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NotFrozenError(folder.name) from error
    except ValueError as error:
        raise DamagedTraceError(folder.name, "it is not valid JSON") from error
    try:
        trace = _parsed(content)
    except (KeyError, TypeError, ValueError, zlib.error) as error:
        raise DamagedTraceError(folder.name, f"it cannot be read ({error!r})") from error
    if _hash_of_levels(trace.shapes, trace.levels) != trace.patterns_hash:
        raise DamagedTraceError(folder.name, "the patterns are not those of their hash")
    if _hash_of_tops(trace.tops) != trace.predictions_hash:
        raise DamagedTraceError(folder.name, "the predictions are not those of their hash")
    return trace


def _parsed(content: dict[str, Any]) -> FrozenTrace:
    sentence, patterns = content["sentence"], content["patterns"]
    packed = zlib.decompress(base64.b64decode(patterns["thousandths"]))
    return FrozenTrace(
        system=content["system"],
        revision=content["revision"],
        sentence=Sentence(**{name: _frozen(value) for name, value in sentence.items()}),
        tokens=_frozen(content["tokens"]),
        shapes=_frozen(patterns["shapes"]),
        levels=np.frombuffer(packed, _LEVELS).astype(np.int32),
        patterns_hash=patterns["sha256"],
        tops={head: _frozen(rows) for head, rows in content["predictions"]["top"].items()},
        predictions_hash=content["predictions"]["sha256"],
        written=content["written"],
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _flat(seen: Observation) -> NDArray[np.float64]:
    return np.concatenate([one.ravel() for one in seen.maps]).astype(np.float64)


def _rounded(weights: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.nan_to_num(np.rint(weights / ROUNDED_TO), nan=_NO_NUMBER).astype(np.int32)


def _settled(weights: NDArray[np.float64], frozen: NDArray[np.int32]) -> NDArray[np.int32]:
    """Rounded weights; one at a border goes to the side where it was frozen."""
    near = np.abs(weights - frozen * ROUNDED_TO) <= ROUNDED_TO / 2 + SLACK
    return np.where(near, frozen, _rounded(weights))


def _likeliest(row: NDArray[np.float32], names: tuple[str, ...]) -> tuple[str, ...]:
    order = np.argsort(-row, kind="stable")[: min(TOP, len(row))]
    return tuple(names[number] for number in order)


def _settled_tops(
    choices: Choices, frozen: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], ...]:
    """The likeliest choices; those that are as good as tied stand as they were frozen."""
    if len(frozen) != len(choices.scores):
        frozen = ((),) * len(choices.scores)
    numbers = {name: number for number, name in enumerate(choices.names)}
    return tuple(
        names
        if _holds(row, [numbers.get(name, -1) for name in names])
        else _likeliest(row, choices.names)
        for row, names in zip(choices.scores, frozen, strict=True)
    )


def _holds(row: NDArray[np.float32], order: list[int]) -> bool:
    """Whether these choices, in this order, are the likeliest, but for ties."""
    if not order or -1 in order:
        return False
    listed = row[order]
    rest = np.delete(row, order)
    falls = bool((np.diff(listed) <= TIED).all())
    return falls and (not len(rest) or float(rest.max() - listed[-1]) <= TIED)


def _hash_of_levels(shapes: tuple[tuple[int, ...], ...], levels: NDArray[np.int32]) -> str:
    return hashlib.sha256(repr(shapes).encode() + levels.astype(_LEVELS).tobytes()).hexdigest()


def _hash_of_tops(tops: Tops) -> str:
    return hashlib.sha256(json.dumps(tops, sort_keys=True).encode()).hexdigest()


def _first_difference(found: Tops, frozen: Tops) -> str:
    if found.keys() != frozen.keys():
        return f"heads {', '.join(found)}, not {', '.join(frozen)}"
    for head, rows in found.items():
        for position, (now, then) in enumerate(zip(rows, frozen[head], strict=False)):
            if now != then:
                return f"{head}, place {position}: {', '.join(now)}, not {', '.join(then)}"
    return "another number of places"
