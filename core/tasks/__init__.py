"""What a person can ask a loaded model: plain functions from text to arrays and strings."""

from core.tasks.attend import AttendResult, AttentionMap, attend
from core.tasks.compare_masks import MaskComparison, Moved, compare_masks
from core.tasks.continue_text import Continuation, continue_text, continuing_text
from core.tasks.errors import (
    BlankSizeError,
    EpochsOutOfRangeError,
    LengthOutOfRangeError,
    NoAttentionError,
    NoBlankError,
    NoMaskError,
    NoSuchHeadError,
    NoSuchMaskError,
    NoSuchTokenError,
    NoSuchWordError,
    NotReadError,
    OrderError,
    SamplesOutOfRangeError,
    TooManyBlanksError,
    TooManyWeightsError,
    TopOutOfRangeError,
    UnknownLanguageError,
)
from core.tasks.fill_mask import FillMaskResult, MaskedToken, Prediction, fill_mask
from core.tasks.fill_spans import BlankText, Filling, fill_spans, filling_spans, find_blanks
from core.tasks.logit_lens import LensReading, LensResult, logit_lens
from core.tasks.random_masking import (
    ChosenToken,
    Fate,
    MaskedEpoch,
    RandomMaskingResult,
    random_masking,
)
from core.tasks.translate import Translation, translate, translating
from core.tasks.unfold import UnfoldedCell, unfold

__all__ = [
    "AttendResult",
    "AttentionMap",
    "BlankSizeError",
    "BlankText",
    "ChosenToken",
    "Continuation",
    "EpochsOutOfRangeError",
    "Fate",
    "FillMaskResult",
    "Filling",
    "LengthOutOfRangeError",
    "LensReading",
    "LensResult",
    "MaskComparison",
    "MaskedEpoch",
    "MaskedToken",
    "Moved",
    "NoAttentionError",
    "NoBlankError",
    "NoMaskError",
    "NoSuchHeadError",
    "NoSuchMaskError",
    "NoSuchTokenError",
    "NoSuchWordError",
    "NotReadError",
    "OrderError",
    "Prediction",
    "RandomMaskingResult",
    "SamplesOutOfRangeError",
    "TooManyBlanksError",
    "TooManyWeightsError",
    "TopOutOfRangeError",
    "Translation",
    "UnfoldedCell",
    "UnknownLanguageError",
    "attend",
    "compare_masks",
    "continue_text",
    "continuing_text",
    "fill_mask",
    "fill_spans",
    "filling_spans",
    "find_blanks",
    "logit_lens",
    "random_masking",
    "translate",
    "translating",
    "unfold",
]
