"""What a person can ask a loaded model: plain functions from text to arrays and strings."""

from core.tasks.attend import AttendResult, attend
from core.tasks.compare_masks import MaskComparison, Moved, compare_masks
from core.tasks.errors import (
    EpochsOutOfRangeError,
    NoMaskError,
    NoSuchHeadError,
    NoSuchMaskError,
    NoSuchTokenError,
    NoSuchWordError,
    TopOutOfRangeError,
)
from core.tasks.fill_mask import FillMaskResult, MaskedToken, Prediction, fill_mask
from core.tasks.logit_lens import LensReading, LensResult, logit_lens
from core.tasks.random_masking import (
    ChosenToken,
    Fate,
    MaskedEpoch,
    RandomMaskingResult,
    random_masking,
)
from core.tasks.unfold import UnfoldedCell, unfold

__all__ = [
    "AttendResult",
    "ChosenToken",
    "EpochsOutOfRangeError",
    "Fate",
    "FillMaskResult",
    "LensReading",
    "LensResult",
    "MaskComparison",
    "MaskedEpoch",
    "MaskedToken",
    "Moved",
    "NoMaskError",
    "NoSuchHeadError",
    "NoSuchMaskError",
    "NoSuchTokenError",
    "NoSuchWordError",
    "Prediction",
    "RandomMaskingResult",
    "TopOutOfRangeError",
    "UnfoldedCell",
    "attend",
    "compare_masks",
    "fill_mask",
    "logit_lens",
    "random_masking",
    "unfold",
]
