"""Checkpoints in Hugging Face's layout, in and out."""

from core.checkpoints.catalogue import BundledCheckpoint, bundled, bundled_checkpoint, look
from core.checkpoints.files import fingerprint
from core.checkpoints.hub import Progress, download, download_size
from core.checkpoints.load import Checkpoint, load_checkpoint
from core.checkpoints.policy import LoadPolicy
from core.checkpoints.save import save_checkpoint
from core.checkpoints.sizes import parameter_count
from core.checkpoints.source import needs_download
from core.hugging_face.errors import (
    CannotSaveError,
    CheckpointError,
    CheckpointNotAllowedError,
    DamagedFileError,
    ForeignFamilyError,
    KeyConflictError,
    MissingKeyError,
    MissingShardError,
    NotACheckpointError,
    NotFetchedError,
    OfflineError,
    PickleRefusedError,
    SettingError,
    ShapeMismatchError,
    TooLargeError,
    UnknownCheckpointError,
    UnknownKeyError,
    VocabularyMismatchError,
)

__all__ = [
    "BundledCheckpoint",
    "CannotSaveError",
    "Checkpoint",
    "CheckpointError",
    "CheckpointNotAllowedError",
    "DamagedFileError",
    "ForeignFamilyError",
    "KeyConflictError",
    "LoadPolicy",
    "MissingKeyError",
    "MissingShardError",
    "NotACheckpointError",
    "NotFetchedError",
    "OfflineError",
    "PickleRefusedError",
    "Progress",
    "SettingError",
    "ShapeMismatchError",
    "TooLargeError",
    "UnknownCheckpointError",
    "UnknownKeyError",
    "VocabularyMismatchError",
    "bundled",
    "bundled_checkpoint",
    "download",
    "download_size",
    "fingerprint",
    "load_checkpoint",
    "look",
    "needs_download",
    "parameter_count",
    "save_checkpoint",
]
