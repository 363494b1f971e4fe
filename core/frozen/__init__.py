"""What a checkpoint did with one sentence, kept so that neither weights nor code drift unseen."""

from core.frozen.errors import (
    AlreadyFrozenError,
    DamagedTraceError,
    NotBundledError,
    NotFrozenError,
    UnsteadyError,
)
from core.frozen.observation import Observation, observe
from core.frozen.sentences import Sentence, sentences_for
from core.frozen.trace import FrozenTrace, drift, freeze, read_trace, take, write_trace

__all__ = [
    "AlreadyFrozenError",
    "DamagedTraceError",
    "FrozenTrace",
    "NotBundledError",
    "NotFrozenError",
    "Observation",
    "Sentence",
    "UnsteadyError",
    "drift",
    "freeze",
    "observe",
    "read_trace",
    "sentences_for",
    "take",
    "write_trace",
]
