"""What a person can ask a loaded model: plain functions from text to arrays and strings."""

from core.tasks.attend import AttendResult, attend
from core.tasks.errors import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchTokenError,
    NoSuchWordError,
    TopOutOfRangeError,
)
from core.tasks.fill_mask import FillMaskResult, MaskedToken, Prediction, fill_mask
from core.tasks.unfold import UnfoldedCell, unfold

__all__ = [
    "AttendResult",
    "FillMaskResult",
    "MaskedToken",
    "NoMaskError",
    "NoSuchHeadError",
    "NoSuchTokenError",
    "NoSuchWordError",
    "Prediction",
    "TopOutOfRangeError",
    "UnfoldedCell",
    "attend",
    "fill_mask",
    "unfold",
]
