"""Words as points: neighbours and analogies in a table of embeddings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Neighbour:
    """One row of the table.

    Attributes:
        row: its number.
        cosine: of the angle between it and what was looked for.
    """

    row: int
    cosine: float


def neighbours(
    table: Tensor, point: Tensor, *, top: int = 10, without: Collection[int] = ()
) -> list[Neighbour]:
    """The rows nearest to a point by the cosine, the nearest first; equal ones in their order.

    Args:
        table: ``[row, width]``. A row of zeros has no direction: its cosine counts as 0.
        point: ``[width]``.
        top: how many; fewer are returned if there are fewer.
        without: rows that are left out.

    Raises:
        ValueError: the widths differ.
    """
    if table.shape[1:] != point.shape:
        raise ValueError(f"the table is {table.shape[1]} wide, the point {tuple(point.shape)}")
    cosines = functional.normalize(table.float(), dim=-1) @ functional.normalize(
        point.float(), dim=-1
    )
    left_out = torch.zeros(len(table), dtype=torch.bool, device=table.device)
    left_out[list(without)] = True
    cosines = cosines.masked_fill(left_out, -torch.inf)
    values, rows = cosines.sort(descending=True, stable=True)
    count = min(top, int((~left_out).sum()))
    return [
        Neighbour(row, value)
        for row, value in zip(rows[:count].tolist(), values[:count].tolist(), strict=True)
    ]


def nearest_to_row(
    table: Tensor, row: int, *, top: int = 10, without: Collection[int] = ()
) -> list[Neighbour]:
    """The rows nearest to one row, itself left out; arguments as in :func:`neighbours`."""
    return neighbours(table, table[row], top=top, without={row, *without})


def analogy_point(table: Tensor, plus: Sequence[int], minus: Sequence[int]) -> Tensor:
    """The sum of some rows less others, every row brought to length 1 before: ``[width]``.

    *King* is to *man* as what is to *woman*? With unit vectors that is king - man + woman; a
    frequent word, whose vector is long, must not drown the others.
    """
    unit = functional.normalize(table[[*plus, *minus]].float(), dim=-1)
    signs = torch.tensor([1.0] * len(plus) + [-1.0] * len(minus), device=table.device)
    return signs @ unit


def analogy(
    table: Tensor,
    plus: Sequence[int],
    minus: Sequence[int],
    *,
    top: int = 10,
    without: Collection[int] = (),
) -> list[Neighbour]:
    """The rows nearest to the sum, the given ones left out: one of them would often be nearest.

    Source: Mikolov, Yih and Zweig 2013, "Linguistic Regularities in Continuous Space Word
    Representations", section 4.

    Args:
        table: ``[row, width]``.
        plus: rows that are added, for example those of *king* and *woman*.
        minus: rows that are taken away, for example that of *man*.
        top: how many.
        without: further rows that are left out, for example those of special tokens.

    Raises:
        ValueError: no row is given.
    """
    if not plus and not minus:
        raise ValueError("an analogy needs at least one row")
    point = analogy_point(table, plus, minus)
    return neighbours(table, point, top=top, without={*plus, *minus, *without})
