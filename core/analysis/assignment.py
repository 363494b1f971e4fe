"""Who gets which position: the assignment with the largest total score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def best_assignment(scores: NDArray[np.floating]) -> list[int]:
    """Give every row a column of its own so that the sum of the scores is largest.

    With scores ``[[9, 8], [8, 1]]`` the first row gets the second column: 8 + 8 is more than 9 + 1.

    Args:
        scores: finite numbers, ``[row, row]``.

    Returns:
        The column of each row.

    Source: Kuhn 1955, "The Hungarian Method for the Assignment Problem", as shortest augmenting
    paths with potentials, O(n^3).
    """
    size = len(scores)
    costs = -scores.astype(np.float64)
    of_rows, of_columns = np.zeros(size), np.zeros(size + 1)  # potentials
    owner = np.full(size + 1, -1)  # of every column; the last one is where a new row begins
    for row in range(size):
        owner[size], column = row, size
        shortest, came_from = np.full(size, np.inf), np.full(size, size)
        visited = np.zeros(size + 1, dtype=bool)
        while owner[column] >= 0:
            visited[column] = True
            here = owner[column]
            reduced = costs[here] - of_rows[here] - of_columns[:size]
            shorter = ~visited[:size] & (reduced < shortest)
            shortest[shorter], came_from[shorter] = reduced[shorter], column
            following = int(np.where(visited[:size], np.inf, shortest).argmin())
            step = shortest[following]
            of_rows[owner[visited]] += step
            of_columns[visited] -= step
            shortest[~visited[:size]] -= step
            column = following
        while column != size:  # each column on the way goes to the owner of the one before
            before = came_from[column]
            owner[column], column = owner[before], before
    columns = np.empty(size, dtype=int)
    columns[owner[:size]] = np.arange(size)
    return [int(column) for column in columns]
