"""Neighbours and analogies in tables small enough to be drawn on paper."""

import math

import pytest
import torch

from core.analysis.embeddings import (
    Neighbour,
    analogy,
    analogy_point,
    nearest_to_row,
    neighbours,
)

# king, man, woman, queen, prince, apple: royalty along x, gender along y, else along z.
KING, MAN, WOMAN, QUEEN, PRINCE, APPLE = range(6)
WORDS = torch.tensor(
    [
        [3.0, 4.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -2.0, 0.0],
        [3.0, -4.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 7.0],
    ]
)


def test_neighbours_by_hand() -> None:
    found = nearest_to_row(WORDS, KING)
    # Unit vectors: king (3/5, 4/5), man (0, 1), prince (1, 1) / sqrt 2, queen (3/5, -4/5).
    assert [neighbour.row for neighbour in found] == [PRINCE, MAN, APPLE, QUEEN, WOMAN]
    expected = [7 / (5 * math.sqrt(2)), 4 / 5, 0.0, 9 / 25 - 16 / 25, -4 / 5]
    assert [neighbour.cosine for neighbour in found] == pytest.approx(expected, abs=1e-6)


def test_the_analogy_by_hand() -> None:
    # (3/5, 4/5) - (0, 1) + (0, -1) = (3/5, -6/5), of length 3 / sqrt 5
    point = analogy_point(WORDS, [KING, WOMAN], [MAN])
    assert point.tolist() == pytest.approx([3 / 5, -6 / 5, 0.0], abs=1e-6)
    found = analogy(WORDS, [KING, WOMAN], [MAN], top=2)
    cosine_of_queen = (9 / 25 + 24 / 25) / (3 / math.sqrt(5))
    assert [neighbour.row for neighbour in found] == [QUEEN, APPLE]
    assert found[0].cosine == pytest.approx(cosine_of_queen, abs=1e-6)
    assert found[1].cosine == pytest.approx(0.0, abs=1e-6)


def test_the_given_words_are_left_out_though_one_of_them_is_nearest() -> None:
    table = torch.tensor([[1.0, 0.1], [1.0, 0.0], [1.0, 0.02], [0.0, 1.0]])
    point = analogy_point(table, [0, 2], [1])
    assert neighbours(table, point)[0].row == 0
    assert [one.row for one in analogy(table, [0, 2], [1])] == [3]
    assert analogy(table, [0, 2], [1], without=[3]) == []


def test_length_counts_for_nothing() -> None:
    longer = WORDS * torch.tensor([[1.0], [100.0], [1.0], [0.01], [5.0], [1.0]])
    before, after = (analogy(table, [KING, WOMAN], [MAN]) for table in (WORDS, longer))
    assert [one.row for one in before] == [one.row for one in after]
    assert [o.cosine for o in before] == pytest.approx([o.cosine for o in after], abs=1e-6)


def test_equal_ones_come_in_their_order_and_zeros_are_no_direction() -> None:
    table = torch.tensor([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    found = neighbours(table, torch.tensor([1.0, 0.0]), top=3)
    assert found == [Neighbour(1, 1.0), Neighbour(2, 1.0), Neighbour(0, 0.0)]
    assert all(one.cosine == 0.0 for one in neighbours(table, torch.zeros(2)))


def test_half_precision_is_read_as_float32() -> None:
    found = nearest_to_row(WORDS.half(), KING, top=1)[0]
    assert found.cosine == pytest.approx(7 / (5 * math.sqrt(2)), abs=1e-6)


def test_requests_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="3 wide"):
        neighbours(WORDS, torch.ones(2))
    with pytest.raises(ValueError, match="at least one"):
        analogy(WORDS, [], [])
