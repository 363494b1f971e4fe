"""Codes for positions against the formulas of the papers, and the three properties of nearness."""

import numpy as np
import pytest
import torch

from core.analysis.positions import (
    frequencies,
    measure,
    pair_of,
    principal_components,
    products,
    rotate,
    sinusoids,
    wavelengths,
)
from core.models.blocks.positions import waves


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("width", [2, 7, 128])
def test_waves_are_those_that_our_models_add(width: int, halves: bool) -> None:
    ours = sinusoids(40, width, start=300, halves=halves)
    models = waves(torch.arange(300, 340), width, interleaved=not halves)
    assert np.abs(ours - models.numpy()).max() < 1e-7


def test_worked_numbers_of_width_four() -> None:
    rows = sinusoids(3, 4)
    assert rows[0].tolist() == [0, 1, 0, 1]
    assert rows[1] == pytest.approx([0.8415, 0.5403, 0.0100, 0.99995], abs=5e-5)
    assert rows[2] == pytest.approx([0.9093, -0.4161, 0.0200, 0.9998], abs=5e-5)
    assert sinusoids(2, 4, halves=True)[1] == pytest.approx(rows[1][[0, 2, 1, 3]])


def test_a_row_of_a_far_position_is_the_one_counted_from_zero() -> None:
    assert np.array_equal(sinusoids(2, 6, start=5), sinusoids(7, 6)[5:])


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("width", [6, 9])
def test_a_dimension_is_a_wave_of_its_pair_and_length(width: int, halves: bool) -> None:
    rows = sinusoids(30, width, halves=halves)
    lengths = wavelengths(width, halves=halves)
    for dimension in range(width):
        pair, is_cosine = pair_of(dimension, width, halves=halves)
        phases = np.arange(30) * frequencies(width)[pair]
        assert np.allclose(rows[:, dimension], np.cos(phases) if is_cosine else np.sin(phases))
        assert lengths[dimension] == pytest.approx(2 * np.pi * 10_000 ** (2 * pair / width))


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize(
    ("width", "distance", "near", "far"),
    [(128, 11, 42.34, 42.38), (512, 43, 134.76, 134.77)],
)
def test_sinusoids_keep_two_properties_and_lose_the_third_at_a_known_distance(
    width: int, distance: int, near: float, far: float, halves: bool
) -> None:
    found = measure(products(sinusoids(60, width, halves=halves)))
    assert found.is_invariant
    assert found.is_symmetric
    assert not found.is_monotone
    assert found.rise is not None
    assert found.rise.distance == distance
    assert [found.rise.near, found.rise.far] == pytest.approx([near, far], abs=0.005)
    assert (np.diff(found.means)[:distance] < 0).all()
    # The nearness of two positions is the sum of the cosines of all pairs.
    assert found.means == pytest.approx(
        np.cos(np.arange(60)[:, None] * frequencies(width)).sum(axis=1)
    )
    # So few positions that no step rises: the property seems to hold.
    assert measure(products(sinusoids(distance + 1, width))).is_monotone


def test_far_from_zero_the_same_products_come_out() -> None:
    near, far = (products(sinusoids(20, 64, start=start)) for start in (0, 5_000))
    assert np.abs(near - far).max() < 1e-9 * np.abs(near).max()


def test_rotated_vectors_meet_by_distance_alone_but_not_the_same_in_both_directions() -> None:
    generator = np.random.default_rng(0)
    query, key = generator.standard_normal(16), generator.standard_normal(16)
    for halves in (False, True):
        queries, keys = (rotate(one, 30, halves=halves) for one in (query, key))
        found = measure(products(queries, keys))
        assert found.is_invariant
        assert not found.is_symmetric
        assert found.means[0] == pytest.approx(query @ key)
        assert np.linalg.norm(queries, axis=1) == pytest.approx(np.linalg.norm(query))
        # A query and itself: the terms of both directions are the same.
        assert measure(products(queries)).is_symmetric


def test_a_rotation_turns_each_pair_by_its_angle() -> None:
    vector = np.array([1.0, 2.0, 3.0, 4.0])
    angle = frequencies(4)[1] * 7
    turned = rotate(vector, 2, start=6)[1]
    assert turned[2] == pytest.approx(3 * np.cos(angle) - 4 * np.sin(angle))
    assert turned[3] == pytest.approx(3 * np.sin(angle) + 4 * np.cos(angle))
    assert rotate(vector, 2, start=6, halves=True)[1][[1, 3]] == pytest.approx(
        [2 * np.cos(angle) - 4 * np.sin(angle), 2 * np.sin(angle) + 4 * np.cos(angle)]
    )
    with pytest.raises(ValueError, match="3 features"):
        rotate(np.ones(3), 2)


def test_the_three_measures_each_see_what_they_are_for() -> None:
    count = 6
    positions = np.arange(count)
    distance = positions[None, :] - positions[:, None]  # key - query
    falling = measure(-np.abs(distance).astype(float))
    assert (falling.is_monotone, falling.is_invariant, falling.is_symmetric) == (True, True, True)
    assert falling.rising == 0
    one_way = measure(-np.abs(distance) + 0.5 * (distance > 0))
    assert (one_way.is_invariant, one_way.is_symmetric) == (True, False)
    assert one_way.asymmetry == 0.5
    assert one_way.means[1] == -0.5
    assert one_way.before[1] == -1
    by_position = -np.abs(distance).astype(float)
    by_position[2, 3] = by_position[3, 2] = -1.25
    uneven = measure(by_position)
    assert (uneven.is_invariant, uneven.is_symmetric) == (False, True)
    assert uneven.spread == 0.25
    assert (uneven.least[1], uneven.most[1]) == (-1.25, -1)
    flat = measure(np.ones((3, 3)))
    assert flat.rise is not None
    assert (flat.rise.distance, flat.rising) == (0, 1)
    assert measure(np.ones((1, 1))).is_monotone


def test_points_of_a_plane_have_two_components_and_keep_their_distances() -> None:
    random = np.random.default_rng(0)
    flat = random.standard_normal((40, 2)) * [3, 1]
    plane, _triangle = np.linalg.qr(random.standard_normal((7, 2)))
    rows = flat @ plane.T + 5
    found = principal_components(rows)
    assert found.points.shape == (40, 3)
    assert found.shares.sum() == pytest.approx(1)
    assert found.shares[0] > found.shares[1] > found.shares[2] == pytest.approx(0, abs=1e-12)
    assert found.points.mean(axis=0) == pytest.approx(0, abs=1e-12)
    for one, other in ((0, 1), (3, 30)):
        apart = np.linalg.norm(rows[one] - rows[other])
        assert np.linalg.norm(found.points[one] - found.points[other]) == pytest.approx(apart)
    along = np.linalg.eigvalsh(np.cov(flat.T, bias=True))[::-1]
    assert found.points[:, :2].var(axis=0) == pytest.approx(along)


def test_components_that_are_not_there_are_zero_and_a_sign_is_chosen() -> None:
    line = np.arange(4.0)[:, None] * np.array([3.0, 4.0])
    found = principal_components(-line)
    assert np.abs(found.points[:, 0]) == pytest.approx([7.5, 2.5, 2.5, 7.5])
    assert found.points[np.abs(found.points[:, 0]).argmax(), 0] > 0
    assert not found.points[:, 2].any()
    assert found.shares == pytest.approx([1, 0, 0])
    same = principal_components(np.ones((3, 5)))
    assert not same.points.any()
    assert not same.shares.any()
