"""The worked numbers of every score lead to the score that the model's own module gives."""

import numpy as np
import pytest

from core.analysis.alignment_steps import PARAMETERS, work_out
from core.errors import ConfigError
from core.recurrent_config import Alignment

QUERY = np.array([1.0, 2.0])
KEYS = np.array([[2.0, 1.0], [0.0, 3.0], [-1.0, 0.5]])
W = np.array([[1.0, 0.0], [1.0, -1.0]])
GIVEN = {
    Alignment.ADDITIVE: {
        "W": W,
        "U": np.array([[0.5, 0.5], [0.0, 1.0]]),
        "v": np.array([1.0, 2.0]),
    },
    Alignment.LOCATION: {"L": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])},
    Alignment.GENERAL: {"W": W},
}


def test_scores_by_hand() -> None:
    by_hand = {
        Alignment.DOT: [4, 6, 0],
        Alignment.SCALED_DOT: [4 / 2**0.5, 6 / 2**0.5, 0],
        Alignment.CONTENT: [4 / 5, 6 / (5**0.5 * 3), 0],
        Alignment.LOCATION: [1, 2, 3],
        # W h is (2, 1), (0, -3), (-1, -1.5).
        Alignment.GENERAL: [4, -6, -4],
        # W s is (1, -1); U h is (1.5, 1), (1.5, 3), (-0.25, 0.5).
        Alignment.ADDITIVE: [
            np.tanh(2.5) + 2 * np.tanh(0),
            np.tanh(2.5) + 2 * np.tanh(2),
            np.tanh(0.75) + 2 * np.tanh(-0.5),
        ],
    }
    assert by_hand.keys() == set(Alignment) == PARAMETERS.keys()
    for kind, expected in by_hand.items():
        assert work_out(kind, QUERY, KEYS, GIVEN.get(kind)).scores == pytest.approx(expected)


@pytest.mark.parametrize("kind", list(Alignment))
def test_the_steps_lead_to_the_score(kind: Alignment) -> None:
    found = work_out(kind, QUERY, KEYS, GIVEN.get(kind))
    steps = found.steps
    if kind is Alignment.ADDITIVE:
        assert np.array_equal(steps["Ws"] + steps["Uh"], steps["sum"])
        ended = steps["tanh"] @ GIVEN[kind]["v"]
    else:
        ended = steps["products"].sum(axis=1)
    if kind is Alignment.CONTENT:
        ended = ended / steps["lengths"].prod(axis=1)
    if kind is Alignment.SCALED_DOT:
        ended = ended / steps["root"]
    assert found.scores == pytest.approx(ended)
    assert found.weights.sum() == pytest.approx(1)
    ratio = found.weights[0] / found.weights[1]
    assert ratio == pytest.approx(np.exp(found.scores[0] - found.scores[1]))
    assert found.context == pytest.approx((found.weights[:, None] * KEYS).sum(axis=0))


def test_a_matrix_that_is_missing_or_does_not_fit_is_named() -> None:
    with pytest.raises(ConfigError, match="needs a matrix W"):
        work_out(Alignment.GENERAL, QUERY, KEYS)
    with pytest.raises(ConfigError, match=r"the matrix L is \(1, 2\), not \(3, 2\)"):
        work_out(Alignment.LOCATION, QUERY, KEYS, {"L": np.ones((1, 2))})
