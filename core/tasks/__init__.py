"""What a person can ask a loaded model: plain functions from text to arrays and strings."""

from core.tasks.attend import AttendResult, attend
from core.tasks.compare_masks import MaskComparison, Moved, compare_masks
from core.tasks.errors import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchMaskError,
    NoSuchTokenError,
    NoSuchWordError,
    TopOutOfRangeError,
)
from core.tasks.fill_mask import FillMaskResult, MaskedToken, Prediction, fill_mask
from core.tasks.logit_lens import LensReading, LensResult, logit_lens
from core.tasks.unfold import UnfoldedCell, unfold

__all__ = [
    "AttendResult",
    "FillMaskResult",
    "LensReading",
    "LensResult",
    "MaskComparison",
    "MaskedToken",
    "Moved",
    "NoMaskError",
    "NoSuchHeadError",
    "NoSuchMaskError",
    "NoSuchTokenError",
    "NoSuchWordError",
    "Prediction",
    "TopOutOfRangeError",
    "UnfoldedCell",
    "attend",
    "compare_masks",
    "fill_mask",
    "logit_lens",
    "unfold",
]
