"""Small vectors and matrices as people type them: numbers apart by spaces, rows by semicolons."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import HeadlightError

LARGEST = 1_000.0
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,4}(?:\.[0-9]{0,6})?|\.[0-9]{1,6})")


class NotANumberError(HeadlightError):
    """A word where a number should stand, or a number that is too large."""

    def __init__(self, word: str, limit: float = LARGEST) -> None:
        super().__init__(f"{word!r} is no number from -{limit:g} to {limit:g}")
        self.word = word
        self.limit = f"{limit:g}"


class UnevenRowsError(HeadlightError):
    """Rows of different lengths."""

    def __init__(self, lengths: Sequence[int]) -> None:
        super().__init__(f"all rows must be of one length, not {', '.join(map(str, lengths))}")
        self.lengths = tuple(lengths)


class TooManyNumbersError(HeadlightError):
    """More rows or columns than can be worked out by hand."""

    def __init__(self, rows: int, columns: int, limit: int) -> None:
        super().__init__(f"at most {limit} rows of {limit} numbers, not {rows} of {columns}")
        self.rows, self.columns = rows, columns
        self.limit = limit


def read_matrix(text: str, *, most: int) -> NDArray[np.float64]:
    """Read a matrix; commas count as spaces, and a true minus as a hyphen.

    "3 4; 1 0" has the rows (3, 4) and (1, 0).

    Args:
        text: what a person typed.
        most: rows, and numbers in each.

    Returns:
        ``[row, column]``, at least one of each.

    Raises:
        NotANumberError, UnevenRowsError, TooManyNumbersError: what is wrong with it.
    """
    cleaned = text.replace(",", " ").replace("\N{MINUS SIGN}", "-")
    rows = [line.split() for line in cleaned.split(";") if line.strip()]
    if not rows:
        raise NotANumberError(text.strip())
    longest = max(map(len, rows))
    if len(rows) > most or longest > most:
        raise TooManyNumbersError(len(rows), longest, most)
    if len({len(row) for row in rows}) > 1:
        raise UnevenRowsError([len(row) for row in rows])
    return np.array([[_number(word) for word in row] for row in rows], dtype=np.float64)


def _number(word: str) -> float:
    if not _NUMBER.fullmatch(word) or abs(float(word)) > LARGEST:
        raise NotANumberError(word)
    return float(word)
