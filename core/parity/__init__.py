"""Ours against Hugging Face's, part by part: the table behind ``python -m core parity``."""

from core.parity.compare import (
    LENGTHS,
    Batch,
    ComparedTensor,
    Comparison,
    Row,
    compare_bundled,
    compare_tiny,
    differences,
)
from core.parity.systems import COMPARISONS, comparison_of

__all__ = [
    "COMPARISONS",
    "LENGTHS",
    "Batch",
    "ComparedTensor",
    "Comparison",
    "Row",
    "compare_bundled",
    "compare_tiny",
    "comparison_of",
    "differences",
]
