"""What a person can ask a loaded model: plain functions from text to arrays and strings."""

from core.tasks.attend import AttendResult, attend
from core.tasks.errors import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchWordError,
    TopOutOfRangeError,
)
from core.tasks.fill_mask import FillMaskResult, MaskedToken, Prediction, fill_mask

__all__ = [
    "AttendResult",
    "FillMaskResult",
    "MaskedToken",
    "NoMaskError",
    "NoSuchHeadError",
    "NoSuchWordError",
    "Prediction",
    "TopOutOfRangeError",
    "attend",
    "fill_mask",
]
