"""How well scores tell two kinds apart at every threshold: the points of ROC and precision-recall.

For the two curves and how they differ, Davis and Goadrich 2006, "The Relationship Between
Precision-Recall and ROC Curves".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class OperatingPoints:
    """What is called positive as a threshold falls: first nothing, at last everything.

    What scores above the threshold is called positive; equal scores are called together.

    Attributes:
        thresholds: the least threshold of each point, falling; the last, with which everything is
            called, is below every number; ``[point]``.
        hits: positives that are called so, ``[point]``.
        alarms: negatives that are called positive, ``[point]``.
    """

    thresholds: NDArray[np.float64]
    hits: NDArray[np.int64]
    alarms: NDArray[np.int64]

    @property
    def recall(self) -> NDArray[np.float64]:
        """Of the positives, the share that is called so: also the true-positive rate."""
        return self.hits / self.hits[-1]

    @property
    def false_positive_rate(self) -> NDArray[np.float64]:
        """Of the negatives, the share that is called positive."""
        return self.alarms / self.alarms[-1]

    @property
    def precision(self) -> NDArray[np.float64]:
        """Of what is called positive, the share that is; not a number where nothing is called."""
        called = self.hits + self.alarms
        return np.divide(self.hits, called, out=np.full(len(called), np.nan), where=called > 0)

    @property
    def roc_area(self) -> float:
        """The area under recall over false-positive rate, straight between the points.

        It is the probability that a positive scores above a negative, a tie counted half.
        """
        recall = self.recall
        means = (recall[1:] + recall[:-1]) / 2
        return float(np.sum(np.diff(self.false_positive_rate) * means))

    @property
    def average_precision(self) -> float:
        """Precision, each weighted by the recall that its point adds: no line between the points.

        A straight line between two points of precision over recall promises what no threshold
        reaches.
        """
        return float(np.sum(np.diff(self.recall) * self.precision[1:]))


def operating_points(scores: ArrayLike, positive: ArrayLike) -> OperatingPoints:
    """The points that a falling threshold passes.

    Of the scores 0.9, 0.6 and 0.6 the first and the last are positive:

    >>> found = operating_points([0.9, 0.6, 0.6], [True, False, True])
    >>> found.thresholds.tolist(), found.hits.tolist(), found.alarms.tolist()
    ([0.9, 0.6, -inf], [0, 1, 2], [0, 0, 1])

    Args:
        scores: higher for what is more likely positive, ``[item]``.
        positive: the truth, ``[item]``.

    Raises:
        ValueError: the lengths differ, a score is no number, or all items are of one kind.
    """
    given = np.asarray(scores, np.float64)
    truth = np.asarray(positive, np.bool_)
    if given.ndim != 1 or given.shape != truth.shape:
        raise ValueError(f"scores {given.shape} and truths {truth.shape} are not one an item")
    if not np.isfinite(given).all():
        raise ValueError("a score is no finite number")
    if truth.all() or not truth.any():
        raise ValueError("there are no two kinds to tell apart")
    values, place = np.unique(-given, return_inverse=True)  # ascending, so the highest is first
    hits = np.bincount(place, truth, len(values)).astype(np.int64)
    alarms = np.bincount(place, ~truth, len(values)).astype(np.int64)
    return OperatingPoints(
        np.append(-values, -np.inf),
        np.append(0, np.cumsum(hits)),
        np.append(0, np.cumsum(alarms)),
    )
