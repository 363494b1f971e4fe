"""The six alignment scores of :mod:`core.models.alignment`, worked number by number.

The same modules that a model uses give the scores; beside them stands every number on the way, so
that a reader can check one by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.errors import ConfigError
from core.models.alignment import build_score
from core.recurrent_config import Alignment

Numbers = NDArray[np.float64]

# The matrices of every score, by the names of its formula; what a model calls them.
PARAMETERS: Mapping[Alignment, Mapping[str, str]] = {
    Alignment.CONTENT: {},
    Alignment.ADDITIVE: {
        "W": "query_projection.weight",
        "U": "key_projection.weight",
        "v": "output.weight",
    },
    Alignment.LOCATION: {"L": "query_projection.weight"},
    Alignment.GENERAL: {"W": "key_projection.weight"},
    Alignment.DOT: {},
    Alignment.SCALED_DOT: {},
}


class MatrixShapeError(ConfigError):
    """A matrix that does not fit the vectors, with both shapes."""

    def __init__(self, name: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        super().__init__(f"the matrix {name} is {found}, not {wanted}")
        self.name = name
        self.found = " × ".join(map(str, found))
        self.wanted = " × ".join(map(str, wanted))


@dataclass(frozen=True)
class WorkedScore:
    """One query against several keys.

    Attributes:
        kind: which score.
        steps: what is computed on the way, by name, in order. ``[key, ...]``, or one row where the
            keys do not count: ``products`` (feature by feature), ``lengths`` (of query and key),
            ``Ws``, ``Uh``, ``Wh``, ``sum``, ``tanh``, ``root`` (of the size).
        scores: one a key, as the model's own module gives them.
        weights: their softmax.
        context: the sum of the keys by these weights, ``[size]``.
    """

    kind: Alignment
    steps: Mapping[str, Numbers]
    scores: Numbers
    weights: Numbers
    context: Numbers


def work_out(
    kind: Alignment,
    query: Numbers,
    keys: Numbers,
    parameters: Mapping[str, Numbers] | None = None,
) -> WorkedScore:
    """Score every key for one query, and keep what is computed on the way.

    Args:
        kind: which score.
        query: ``[size]``, a state of the decoder.
        keys: ``[key, size]``, states of the encoder.
        parameters: the matrices of the score by the names in ``PARAMETERS``: for the additive one
            ``W`` and ``U`` ``[width, size]`` and ``v`` ``[width]``, for the location score ``L``
            ``[key, size]``, for the general one ``W`` ``[size, size]``.

    Raises:
        MatrixShapeError: a matrix has another shape, or the keys have another size than the query.
        ConfigError: a matrix is missing.
    """
    if keys.shape[1] != len(query):
        raise MatrixShapeError("h", keys.shape, (len(keys), len(query)))
    given = dict(parameters or {})
    width = len(given["v"]) if "v" in given else len(query)
    module = build_score(kind, len(query), keys.shape[1], width=width, positions=len(keys))
    module = module.double()
    for name, site in PARAMETERS[kind].items():
        if name not in given:
            raise ConfigError(f"the {kind.value} score needs a matrix {name}")
        parameter = module.get_parameter(site)
        matrix = torch.tensor(np.atleast_2d(given[name]), dtype=torch.float64)
        if matrix.shape != parameter.shape:
            raise MatrixShapeError(name, tuple(matrix.shape), tuple(parameter.shape))
        parameter.data = matrix
    with torch.inference_mode():
        scored = module(torch.tensor(query)[None, None], torch.tensor(keys)[None])
    scores = np.asarray(scored[0, 0].numpy(), dtype=np.float64)
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    return WorkedScore(kind, _steps(kind, query, keys, given), scores, weights, weights @ keys)


def _steps(
    kind: Alignment, query: Numbers, keys: Numbers, given: Mapping[str, Numbers]
) -> dict[str, Numbers]:
    match kind:
        case Alignment.CONTENT:
            lengths = np.array([[np.linalg.norm(query), np.linalg.norm(one)] for one in keys])
            return {"products": query * keys, "lengths": lengths}
        case Alignment.ADDITIVE:
            from_query, from_keys = given["W"] @ query, keys @ given["U"].T
            total = from_query + from_keys  # [key, width]
            return {"Ws": from_query, "Uh": from_keys, "sum": total, "tanh": np.tanh(total)}
        case Alignment.LOCATION:
            return {"products": query * given["L"]}
        case Alignment.GENERAL:
            moved = keys @ given["W"].T  # [key, size]
            return {"Wh": moved, "products": query * moved}
        case Alignment.DOT:
            return {"products": query * keys}
        case Alignment.SCALED_DOT:
            return {"products": query * keys, "root": np.array(np.sqrt(len(query)))}
