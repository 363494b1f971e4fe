"""Codes for positions, how near two positions are in them, and three properties of that nearness.

All of it is arithmetic on arrays; what a model has learned comes in as such an array.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

BASE = 10_000.0
# Of the largest number: a property that holds on paper is kept up to this, by float64's rounding.
ROUNDING = 1e-9


def frequencies(width: int) -> Numbers:
    """Radians from one position to the next of every pair of features, ``[ceil(width / 2)]``.

    Pair ``k`` turns by ``10000^(-2k / width)``: the first by a whole radian, the last by nearly
    1/10000. Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
    """
    return np.asarray(BASE ** -(np.arange(0, width, 2) / width))


def sinusoids(positions: int, width: int, *, start: int = 0, halves: bool = False) -> Numbers:
    """Sine and cosine of every pair of features at ``start``, ``start + 1``, ...

    Width 4 at position 1, in the order of the paper and with all sines first, as in Marian::

        interleaved   0.8415  0.5403  0.0100  1.0000
        halves        0.8415  0.0100  0.5403  1.0000

    Source: Vaswani et al. 2017, section 3.5. In float64, whatever a model computes it in.

    Returns:
        ``[position, width]``.
    """
    indices = np.arange(start, start + positions, dtype=np.float64)
    phases = indices[:, None] * frequencies(width)  # [position, pair]
    sines, cosines = np.sin(phases), np.cos(phases)[:, : width // 2]
    if halves:
        return np.concatenate([sines, cosines], axis=1)
    rows = np.empty((positions, width))
    rows[:, 0::2], rows[:, 1::2] = sines, cosines
    return rows


def pair_of(dimension: int, width: int, *, halves: bool = False) -> tuple[int, bool]:
    """Which pair of features a dimension belongs to, and whether it is the cosine.

    >>> pair_of(5, 8), pair_of(5, 8, halves=True)
    ((2, True), (1, True))
    """
    if halves:
        sines = (width + 1) // 2
        return (dimension - sines, True) if dimension >= sines else (dimension, False)
    return dimension // 2, dimension % 2 == 1


def wavelengths(width: int, *, halves: bool = False) -> Numbers:
    """Positions until a dimension of :func:`sinusoids` comes back to where it was, ``[width]``."""
    turns = 2 * np.pi / frequencies(width)
    return np.array([turns[pair_of(one, width, halves=halves)[0]] for one in range(width)])


def rotate(vector: Numbers, positions: int, *, start: int = 0, halves: bool = False) -> Numbers:
    """A vector as it is at every position: each pair of its features turned by its own angle.

    Width 2 at position p::

        (x, y)  becomes  (x cos p - y sin p,  x sin p + y cos p)

    Source: Su et al. 2021, "RoFormer", section 3.2.2, equation 15, with neighbours as pairs;
    ``halves`` pairs feature k with feature k + width / 2, as LLaMA in transformers does.

    Args:
        vector: ``[width]``, an even width.

    Returns:
        ``[position, width]``.

    Raises:
        ValueError: the width is odd.
    """
    width = len(vector)
    if width % 2:
        raise ValueError(f"a vector of {width} features has no pairs to rotate")
    first = slice(0, width // 2) if halves else slice(0, None, 2)
    second = slice(width // 2, None) if halves else slice(1, None, 2)
    angles = np.arange(start, start + positions)[:, None] * frequencies(width)
    rows = np.empty((positions, width))
    rows[:, first] = vector[first] * np.cos(angles) - vector[second] * np.sin(angles)
    rows[:, second] = vector[first] * np.sin(angles) + vector[second] * np.cos(angles)
    return rows


def products(rows: NDArray[np.floating], others: NDArray[np.floating] | None = None) -> Numbers:
    """Dot products of all rows with all others, or with each other: ``[position, position]``."""
    rows = np.asarray(rows, dtype=np.float64)
    return np.asarray(rows @ (rows if others is None else np.asarray(others, np.float64)).T)


@dataclass(frozen=True)
class Step:
    """One step from a distance to the next: how near positions are at both."""

    distance: int
    near: float
    far: float


@dataclass(frozen=True)
class Nearness:
    """The three properties of Wang et al. 2021, "On Position Embeddings in BERT", section 2.

    Distances are those of a key after its query, ``key - query``, and before it.

    Attributes:
        means: nearness by distance ``[distance]``, from 0 on: the mean over all pairs of positions
            that are so far apart, the key after the query.
        least, most: of the same pairs.
        before: the mean where the key stands before the query.
        rise: *monotonicity*: the first step to a larger distance at which the mean does not fall;
            ``None`` if it falls all the way.
        rising: share of the steps at which it does not fall.
        spread: *translation invariance*: the largest difference between two pairs of positions
            that are equally far apart, on the same side.
        asymmetry: *symmetry*: the largest difference between a pair and the same turned round.
        size: the largest number of all, which differences are to be compared with.
    """

    means: Numbers
    least: Numbers
    most: Numbers
    before: Numbers
    rise: Step | None
    rising: float
    spread: float
    asymmetry: float
    size: float

    @property
    def is_monotone(self) -> bool:
        """Whether farther always means less near."""
        return self.rise is None

    @property
    def is_invariant(self) -> bool:
        """Whether only the distance counts, up to rounding."""
        return self.spread <= ROUNDING * self.size

    @property
    def is_symmetric(self) -> bool:
        """Whether the direction does not count, up to rounding."""
        return self.asymmetry <= ROUNDING * self.size


def measure(scores: NDArray[np.floating]) -> Nearness:
    """Measure how near positions are to each other.

    Three positions, and the pairs of which each mean is made::

        0 1 2        means   of 0: (0 0) (1 1) (2 2)   of 1: (0 1) (1 2)   of 2: (0 2)
        . 0 1        before  of 0: the same            of 1: (1 0) (2 1)   of 2: (2 0)
        . . 0

    Args:
        scores: ``[query, key]``, for example of :func:`products`; at least one position.
    """
    square = np.asarray(scores, dtype=np.float64)
    count = len(square)
    size = float(np.abs(square).max())
    order, starts = _diagonals(count)
    along = square.ravel()[order]
    sizes = np.diff(starts, append=count * count)
    # Of every distance, from count - 1 before to count - 1 after.
    means = np.add.reduceat(along, starts) / sizes
    least, most = (one.reduceat(along, starts) for one in (np.minimum, np.maximum))
    here = count - 1
    before, means = means[here::-1], means[here:]
    # Rounding alone is no rise, and no fall.
    rises = np.flatnonzero(np.diff(means) > -ROUNDING * size)
    first = int(rises[0]) if len(rises) else None
    step = None if first is None else Step(first, float(means[first]), float(means[first + 1]))
    return Nearness(
        means=means,
        least=least[here:],
        most=most[here:],
        before=before,
        rise=step,
        rising=len(rises) / max(1, count - 1),
        spread=float((most - least).max()),
        asymmetry=float(np.abs(square - square.T).max()),
        size=size,
    )


@lru_cache(8)
def _diagonals(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The cells of a square by key minus query, and where each distance begins among them.

    Of two positions the cells 0 1 / 2 3 come in the order 2, 0, 3, 1, from -1 to 1.
    """
    index = np.arange(count)
    distance = (index - index[:, None]).ravel()
    order = np.argsort(distance, kind="stable")
    starts = np.searchsorted(distance[order], np.arange(1 - count, count))
    return order, starts


@dataclass(frozen=True)
class Projection:
    """Vectors as points of few dimensions.

    Attributes:
        points: ``[vector, component]``, around zero.
        shares: of the variance, that each component holds, the largest first; ``[component]``.
    """

    points: Numbers
    shares: Numbers


def principal_components(rows: NDArray[np.floating], count: int = 3) -> Projection:
    """Project vectors onto the directions in which they differ most.

    Where there are fewer such directions than asked for, the other components are zero. A
    component's sign is free: the largest of its coordinates in size is made positive.

    Source: Pearson 1901, "On Lines and Planes of Closest Fit to Systems of Points in Space".

    Args:
        rows: ``[vector, width]``.
        count: components.
    """
    centred = np.asarray(rows, dtype=np.float64)
    centred = centred - centred.mean(axis=0)
    left, sizes, _directions = np.linalg.svd(centred, full_matrices=False)
    found = min(count, len(sizes))
    points = np.zeros((len(centred), count))
    points[:, :found] = left[:, :found] * sizes[:found]
    shares = np.zeros(count)
    variance = float((sizes**2).sum())
    # Equal vectors differ in no direction.
    shares[:found] = sizes[:found] ** 2 / variance if variance else 0.0
    largest = np.abs(points).argmax(axis=0)
    signs = np.where(points[largest, np.arange(count)] < 0, -1.0, 1.0)
    return Projection(points * signs, shares)
