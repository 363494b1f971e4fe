"""Numbers as people type them."""

import numpy as np
import pytest

from core.analysis.written_numbers import (
    NotANumberError,
    TooManyNumbersError,
    UnevenRowsError,
    read_matrix,
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("3 4; 1 0", [[3, 4], [1, 0]]),
        ("  3, 4 ;1,0; ", [[3, 4], [1, 0]]),
        ("-1 .5 +2.25", [[-1, 0.5, 2.25]]),
        ("\N{MINUS SIGN}7.", [[-7]]),
    ],
)
def test_rows_and_columns(text: str, rows: list[list[float]]) -> None:
    assert np.array_equal(read_matrix(text, most=4), np.array(rows))


@pytest.mark.parametrize(
    "text", ["", " ; ", "one", "1e3", "nan", "inf", "1001", "0x10", "1 2; x 3"]
)
def test_what_is_no_number_is_named(text: str) -> None:
    with pytest.raises(NotANumberError):
        read_matrix(text, most=4)


def test_shapes_that_cannot_be_worked_out() -> None:
    with pytest.raises(UnevenRowsError, match="not 2, 1"):
        read_matrix("1 2; 3", most=4)
    with pytest.raises(TooManyNumbersError, match="not 1 of 5"):
        read_matrix("1 2 3 4 5", most=4)
    with pytest.raises(TooManyNumbersError, match="not 5 of 1"):
        read_matrix("1;2;3;4;5", most=4)
