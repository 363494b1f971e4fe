"""Everything that can be wrong with a checkpoint, one type and one plain sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import HeadlightError

NAMES_SHOWN = 3
SUPPORTED_TYPES = ("F16", "BF16", "F32", "F64")
CHARACTERS_SHOWN = 80


def shown(value: object) -> str:
    """A value from outside as it may stand in a message: quoted, on one line, not too long."""
    text = repr(value)
    return text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}…"


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(shown(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{listed} and {more} more" if more > 0 else listed


def _offer(available: Sequence[str]) -> str:
    return f"bundled are: {', '.join(available)}" if available else "none is bundled"


class CheckpointError(HeadlightError):
    """Base of all errors of this package."""


class UnknownCheckpointError(CheckpointError):
    """Nothing has this name."""

    def __init__(self, name: str, available: Sequence[str]) -> None:
        super().__init__(f"there is no checkpoint {shown(name)}; {_offer(available)}")
        self.name = name
        self.available = tuple(available)


class CheckpointNotAllowedError(CheckpointError):
    """A name, of a checkpoint or of one of its files, that leads to a forbidden place."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{shown(name)} may not be read: {reason}")
        self.name = name
        self.reason = reason


class OfflineError(CheckpointError):
    """The hub does not answer and the checkpoint is not in its cache."""

    def __init__(self, name: str, available: Sequence[str]) -> None:
        super().__init__(
            f"the model hub cannot be reached to fetch the checkpoint {shown(name)};"
            f" {_offer(available)}"
        )
        self.name = name
        self.available = tuple(available)


class NotFetchedError(CheckpointError):
    """A name on the hub that has to be fetched first, which was not asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the checkpoint {shown(name)} has not been fetched from the hub yet")
        self.name = name


class NotACheckpointError(CheckpointError):
    """A folder in which a necessary file is missing."""

    def __init__(self, folder: Path, missing: str) -> None:
        super().__init__(f"the folder {folder.name!r} is not a checkpoint: it has no {missing}")
        self.folder = folder
        self.missing = missing


class AdapterError(CheckpointError):
    """A folder with what was learnt beside a model that lies elsewhere."""

    def __init__(self, folder: Path, base: object) -> None:
        named = f" of {shown(base)}" if isinstance(base, str) else ""
        super().__init__(
            f"the folder {folder.name!r} holds a PEFT adapter{named} (adapter_config.json) and no"
            " model: merge it into its model, and open what that saves"
        )
        self.folder = folder


class SubfolderError(CheckpointError):
    """A folder whose model lies in a folder beneath it."""

    def __init__(self, folder: Path, within: str) -> None:
        super().__init__(
            f"the folder {folder.name!r} has no config.json, but its folder {shown(within)} has:"
            " open that one"
        )
        self.folder = folder
        self.within = within


class NotAFolderError(CheckpointError):
    """A name that leads to a file: a model is the folder around it."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path.name!r} is a file; give the folder it lies in")
        self.path = path


class SeveralFilesError(CheckpointError):
    """Files of weights under names of their own, of which none stands out."""

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        super().__init__(
            f"the folder {folder.name!r} has no model.safetensors, but several other files:"
            f" {_listed(files)}; keep one of them"
        )
        self.folder = folder
        self.files = tuple(files)


class PickleRefusedError(CheckpointError):
    """The weights are there only as a pickle, which can run code when it is opened."""

    def __init__(self, file: str) -> None:
        super().__init__(
            f"{shown(file)} is a pickle, which can run code when opened, so it is not read;"
            " convert the checkpoint to safetensors"
        )
        self.file = file


class MissingShardError(CheckpointError):
    """The index names a file that is not there."""

    def __init__(self, file: str) -> None:
        super().__init__(f"the index names the shard {shown(file)}, but it is not in the folder")
        self.file = file


class DamagedFileError(CheckpointError):
    """A file cannot be what it says it is."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"the file {shown(file)} is damaged: {problem}")
        self.file = file
        self.problem = problem


class NumberTypeError(CheckpointError):
    """A tensor in a type of numbers that is sound, but not supported."""

    def __init__(self, file: str, key: str, found: str) -> None:
        super().__init__(
            f"the tensor {shown(key)} of {shown(file)} is of the type {found}; weights are"
            f" supported as {', '.join(SUPPORTED_TYPES)}: save the model in one of these"
        )
        self.file = file
        self.key = key
        self.found = found


class NotFiniteError(CheckpointError):
    """A tensor with infinities, or with values that are no numbers."""

    def __init__(self, file: str, key: str, *, nan: bool) -> None:
        what = "values that are no numbers" if nan else "infinities"
        super().__init__(
            f"the tensor {shown(key)} of {shown(file)} holds {what}; only finite numbers are"
            " supported"
        )
        self.file = file
        self.key = key
        self.nan = nan


class TooLargeError(CheckpointError):
    """Something is larger than the limits allow; found before any memory was taken."""

    def __init__(self, what: str, needed: int, limit: int) -> None:
        super().__init__(f"{what} would be {needed:,}, but at most {limit:,} is allowed")
        self.what = what
        self.needed = needed
        self.limit = limit


class ForeignFamilyError(CheckpointError):
    """A configuration of a family of models that does not exist here."""

    def __init__(self, found: str, known: Sequence[str]) -> None:
        super().__init__(
            f"the checkpoint is of the family {shown(found)};"
            f" the families that can be opened are: {', '.join(known)}"
        )
        self.found = found
        self.known = tuple(known)


class SettingError(CheckpointError):
    """A value in ``config.json`` that is missing, malformed, or asks for what we do not have."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__(f"the setting {shown(setting)} of config.json {problem}")
        self.setting = setting
        self.problem = problem


class UnknownKeyError(CheckpointError):
    """Tensors for which the family has no place."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(f"the checkpoint has tensors with no place in the model: {_listed(keys)}")
        self.keys = tuple(keys)


class ForeignPrefixError(CheckpointError):
    """Names of tensors that all begin with something that a wrapper has put before them."""

    def __init__(self, prefix: str, key: str) -> None:
        super().__init__(
            f"the names of all tensors begin with {shown(prefix)}, for example {shown(key)}:"
            " transformers would not find them either; save the model itself, without its wrapper"
        )
        self.prefix = prefix
        self.key = key


class MissingKeyError(CheckpointError):
    """Tensors that the model needs and the files do not have."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(f"the checkpoint lacks tensors that the model needs: {_listed(keys)}")
        self.keys = tuple(keys)


class KeyConflictError(CheckpointError):
    """Two tensors that claim one place, or differ although they must be the same."""

    def __init__(self, first: str, second: str, problem: str) -> None:
        super().__init__(f"the tensors {shown(first)} and {shown(second)} {problem}")
        self.first = first
        self.second = second
        self.problem = problem


class ShapeMismatchError(CheckpointError):
    """A tensor whose shape is not the one that the configuration implies."""

    def __init__(self, key: str, found: Sequence[int], expected: Sequence[int]) -> None:
        super().__init__(
            f"the tensor {shown(key)} has the shape {list(found)},"
            f" but config.json implies {list(expected)}"
        )
        self.key = key
        self.found = tuple(found)
        self.expected = tuple(expected)


class VocabularyMismatchError(CheckpointError):
    """A tokenizer that can make token ids which the model has no row for."""

    def __init__(self, tokenizer: int, model: int) -> None:
        super().__init__(f"the tokenizer has {tokenizer:,} tokens, but the model only {model:,}")
        self.tokenizer = tokenizer
        self.model = model


class NoRowError(CheckpointError):
    """A text with a token for which the model has no row."""

    def __init__(self, piece: str, number: int, rows: int) -> None:
        super().__init__(
            f"the token {shown(piece)} has the number {number:,}, but the model has only"
            f" {rows:,} rows: the tokenizer is larger than the model"
        )
        self.piece = piece
        self.number = number
        self.rows = rows


class CannotSaveError(CheckpointError):
    """A model that the format cannot hold, or a folder that must not be replaced."""
