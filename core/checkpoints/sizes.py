"""How large a model would be, from its configuration alone, and how large anything may be."""

from __future__ import annotations

from core.config import ModelConfig
from core.models.registry import build_empty

MAX_VOCABULARY = 1_000_000
MAX_WIDTH = 65_536
MAX_POSITIONS = 1_000_000
MAX_LAYERS = 1_000
MAX_SEGMENTS = 1_000

MAX_CONFIG_BYTES = 1_000_000
MAX_HEADER_BYTES = 4_000_000  # some 40,000 tensors
MAX_INDEX_BYTES = 16_000_000
MAX_TOKENIZER_BYTES = 64_000_000
MAX_CARD_BYTES = 1_000_000


def parameter_count(config: ModelConfig) -> int:
    """The number of parameters of the model that ``core.models.registry.build`` would make.

    Shared weights count once. No number is allocated.
    """
    return sum(parameter.numel() for parameter in build_empty(config).parameters())
