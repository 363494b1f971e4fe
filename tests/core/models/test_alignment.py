"""Every alignment score against numbers that can be worked out on paper."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from core.errors import ConfigError, SequenceTooLongError
from core.models.alignment import AlignmentScore, build_score
from core.recurrent_config import Alignment

# Two queries, three keys, two features.
QUERY = torch.tensor([[[3.0, 4.0], [0.0, 2.0]]])
KEYS = torch.tensor([[[1.0, 0.0], [6.0, 8.0], [0.0, -1.0]]])


def fill(module: nn.Module, name: str, values: list[list[float]]) -> None:
    weight = module.get_parameter(f"{name}.weight")
    assert weight.shape == (len(values), len(values[0]))
    with torch.no_grad():
        weight.copy_(torch.tensor(values))


def general(score: AlignmentScore) -> None:
    fill(score, "key_projection", [[0.0, 1.0], [2.0, 0.0]])  # W h = (h2, 2 h1)


def additive(score: AlignmentScore) -> None:
    fill(score, "query_projection", [[1.0, 0.0]])
    fill(score, "key_projection", [[0.0, 1.0]])
    fill(score, "output", [[2.0]])


def location(score: AlignmentScore) -> None:
    fill(score, "query_projection", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [9.0, 9.0]])


def nothing(score: AlignmentScore) -> None:
    assert not list(score.parameters())


@pytest.mark.parametrize(
    ("kind", "weights", "expected"),
    [
        # |s| = 5 and 2, |h| = 1, 10, 1
        (Alignment.CONTENT, nothing, [[3 / 5, 1.0, -4 / 5], [0.0, 4 / 5, -1.0]]),
        # 2 tanh(s1 + h2)
        (
            Alignment.ADDITIVE,
            additive,
            [
                [2 * math.tanh(3), 2 * math.tanh(11), 2 * math.tanh(2)],
                [0.0, 2 * math.tanh(8), 2 * math.tanh(-1)],
            ],
        ),
        # (s1, s2, s1 + s2), the fourth row is for a longer source
        (Alignment.LOCATION, location, [[3.0, 4.0, 7.0], [0.0, 2.0, 2.0]]),
        # s . (h2, 2 h1) with (0, 2), (8, 12), (-1, 0)
        (Alignment.GENERAL, general, [[8.0, 72.0, -3.0], [4.0, 24.0, 0.0]]),
        (Alignment.DOT, nothing, [[3.0, 50.0, -4.0], [0.0, 16.0, -2.0]]),
        (
            Alignment.SCALED_DOT,
            nothing,
            [[3 / 2**0.5, 50 / 2**0.5, -4 / 2**0.5], [0.0, 16 / 2**0.5, -2 / 2**0.5]],
        ),
    ],
    ids=lambda value: value.value if isinstance(value, Alignment) else "",
)
def test_by_hand(
    kind: Alignment, weights: Callable[[AlignmentScore], None], expected: list[list[float]]
) -> None:
    score = build_score(kind, 2, 2, width=1, positions=4)
    weights(score)
    found: Tensor = score(QUERY, KEYS)
    torch.testing.assert_close(found, torch.tensor([expected]), atol=1e-6, rtol=1e-6)


def test_every_kind_is_built_for_sides_of_their_own_size_or_says_why_not() -> None:
    query, keys = torch.ones(2, 3, 4), torch.ones(2, 5, 6)
    for kind in Alignment:
        if kind in (Alignment.CONTENT, Alignment.DOT, Alignment.SCALED_DOT):
            with pytest.raises(ConfigError, match="not 4 and 6"):
                build_score(kind, 4, 6)
        else:
            assert build_score(kind, 4, 6)(query, keys).shape == (2, 3, 5)


def test_a_location_score_has_rows_for_so_many_positions_only() -> None:
    score = build_score(Alignment.LOCATION, 2, 2, positions=2)
    with pytest.raises(SequenceTooLongError) as caught:
        score(QUERY, KEYS)
    assert (caught.value.tokens, caught.value.limit) == (3, 2)


def test_scaling_keeps_the_variance_of_random_states_at_one() -> None:
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(1, 64, 400, generator=generator)
    keys = torch.randn(1, 64, 400, generator=generator)
    assert 0.9 < float(build_score(Alignment.SCALED_DOT, 400, 400)(query, keys).std()) < 1.1
    assert float(build_score(Alignment.DOT, 400, 400)(query, keys).std()) > 18.0
