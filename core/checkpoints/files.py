"""The files of a checkpoint's folder, found and read with bounds."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.checkpoints.header import TensorEntry, read_header
from core.hugging_face.errors import (
    AdapterError,
    CheckpointNotAllowedError,
    DamagedFileError,
    MissingShardError,
    NotACheckpointError,
    PickleRefusedError,
    SeveralFilesError,
    SubfolderError,
    TooLargeError,
    shown,
)
from core.hugging_face.limits import (
    MAX_CARD_BYTES,
    MAX_CONFIG_BYTES,
    MAX_INDEX_BYTES,
    MAX_TOKENIZER_BYTES,
)

CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
VOCABULARY = "vocab.txt"
PIECES = "spiece.model"
FAIRSEQ_PIECES = "sentencepiece.bpe.model"
SOURCE_PIECES, TARGET_PIECES = "source.spm", "target.spm"
PAIRS = "vocab.json"
MERGES = "merges.txt"
ADDED_TOKENS = "added_tokens.json"
SPECIAL_TOKENS = "special_tokens_map.json"
GENERATION = "generation_config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
CARD = "card.md"
TRACE = "trace.json"  # what it does with a sentence, for the tests
FIGURES = "figures.json"  # what ``evaluate --json`` printed
# All that decides which tokens a text has, and which of them end one.
TOKENIZER_FILES = (
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    PIECES,
    FAIRSEQ_PIECES,
    SOURCE_PIECES,
    TARGET_PIECES,
    PAIRS,
    MERGES,
    ADDED_TOKENS,
    SPECIAL_TOKENS,
    GENERATION,
)
MOST_SUBFOLDERS = 100  # are looked into for a model
PICKLE_SUFFIXES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")

_PART = re.compile(r"-of-[0-9]+\.safetensors$")

LIMITS = {
    CONFIG: MAX_CONFIG_BYTES,
    TOKENIZER: MAX_TOKENIZER_BYTES,
    TOKENIZER_CONFIG: MAX_CONFIG_BYTES,
    VOCABULARY: MAX_TOKENIZER_BYTES,
    PIECES: MAX_TOKENIZER_BYTES,
    FAIRSEQ_PIECES: MAX_TOKENIZER_BYTES,
    SOURCE_PIECES: MAX_TOKENIZER_BYTES,
    TARGET_PIECES: MAX_TOKENIZER_BYTES,
    PAIRS: MAX_TOKENIZER_BYTES,
    MERGES: MAX_TOKENIZER_BYTES,
    ADDED_TOKENS: MAX_CONFIG_BYTES,
    SPECIAL_TOKENS: MAX_CONFIG_BYTES,
    GENERATION: MAX_CONFIG_BYTES,
    INDEX: MAX_INDEX_BYTES,
    ADAPTER: MAX_CONFIG_BYTES,
    CARD: MAX_CARD_BYTES,
}


@dataclass(frozen=True)
class Folder:
    """A checkpoint's folder.

    Attributes:
        path: the folder.
        within: where its files must really lie, links followed. Usually the folder itself; a
            snapshot in the hub's cache links to files beside it.
    """

    path: Path
    within: Path

    def find(self, name: str) -> Path | None:
        """The file, ``None`` if it is not there.

        Raises:
            CheckpointNotAllowedError: it is a link that leads out.
        """
        path = self.path / name
        try:
            real = path.resolve()
            exists = path.is_file()
        except (OSError, RuntimeError, ValueError):  # a loop of links, an impossible name
            return None
        if exists and not real.is_relative_to(self.within.resolve()):
            raise CheckpointNotAllowedError(name, "it is a link that leads out of its folder")
        return path if exists else None

    def read(self, name: str) -> bytes | None:
        """The contents of one of the small files, ``None`` if it is not there.

        Raises:
            TooLargeError: over the limit of this file.
            CheckpointNotAllowedError: it is a link that leads out.
        """
        path = self.find(name)
        if path is None:
            return None
        size, limit = path.stat().st_size, LIMITS[name]
        if size > limit:
            raise TooLargeError(f"the file {name}, in bytes,", size, limit)
        return path.read_bytes()

    def read_text(self, name: str) -> str | None:
        """As :meth:`read`, decoded; bytes that are no UTF-8 become replacement signs."""
        content = self.read(name)
        return None if content is None else content.decode("utf-8", errors="replace")

    def read_table(self, name: str) -> dict[str, Any] | None:
        """As :meth:`read`, parsed as a JSON object.

        Raises:
            DamagedFileError: it is something else.
        """
        content = self.read(name)
        if content is None:
            return None
        try:
            table = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DamagedFileError(name, "it is not valid JSON") from error
        if not isinstance(table, dict):
            raise DamagedFileError(name, "it is not a JSON object")
        return table

    def settings(self) -> dict[str, Any]:
        """The contents of ``config.json``.

        Raises:
            NotACheckpointError: there is none.
            AdapterError: there is what an adapter has in its place.
            SubfolderError: it lies in a folder beneath.
        """
        settings = self.read_table(CONFIG)
        if settings is None:
            adapter = self.read_table(ADAPTER)
            if adapter is not None:
                raise AdapterError(self.path, adapter.get("base_model_name_or_path"))
            for below in sorted(self.path.iterdir())[:MOST_SUBFOLDERS]:
                if not below.is_symlink() and (below / CONFIG).is_file():
                    raise SubfolderError(self.path, below.name)
            raise NotACheckpointError(self.path, CONFIG)
        return settings


@dataclass(frozen=True)
class Shard:
    """One file of weights, its header read and checked."""

    path: Path
    entries: dict[str, TensorEntry]
    size_bytes: int


def find_shards(folder: Folder) -> tuple[Shard, ...]:
    """The files of weights: the one file if it is there, else those that the index names.

    Without both, the only safetensors file, whatever it is called: ``model.fp16.safetensors``.
    Other files in the folder are left alone.

    Raises:
        SeveralFilesError: there are several under other names.
        PickleRefusedError: there are only pickles.
        NotACheckpointError: there are no weights at all.
        MissingShardError: the index names a file that is not there.
        DamagedFileError: a file is cut off, or index and shards contradict each other.
        CheckpointNotAllowedError: the index, or a link, leads out of the folder.
    """
    if (single := folder.find(WEIGHTS)) is not None:
        return (_open(single),)
    index = folder.read_table(INDEX)
    if index is None:
        if (only := _only_file(folder)) is not None:
            return (_open(only),)
        _refuse_pickles(folder)
        raise NotACheckpointError(folder.path, WEIGHTS)
    weight_map = _weight_map(index)
    shards = tuple(_open_named(folder, name) for name in sorted(set(weight_map.values())))
    found = {key: shard.path.name for shard in shards for key in shard.entries}
    if found != weight_map or sum(len(shard.entries) for shard in shards) != len(found):
        wrong = {key for key, _ in found.items() ^ weight_map.items()}
        problem = f"it does not say which tensors the shards hold, {len(wrong)} differ"
        raise DamagedFileError(INDEX, problem)
    return shards


def _only_file(folder: Folder) -> Path | None:
    found = sorted(path.name for path in folder.path.glob("*.safetensors"))
    # One part of several is no model.
    found = [name for name in found if not _PART.search(name) and name != ADAPTER_WEIGHTS]
    if len(found) > 1:
        raise SeveralFilesError(folder.path, found)
    return folder.find(found[0]) if found else None


def _open_named(folder: Folder, name: str) -> Shard:
    path = folder.find(name)
    if path is None:
        raise MissingShardError(name)
    return _open(path)


def _open(path: Path) -> Shard:
    return Shard(path, read_header(path), path.stat().st_size)


def _weight_map(index: dict[str, Any]) -> dict[str, str]:
    weight_map = index.get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise DamagedFileError(INDEX, "it has no table of tensors")
    for name in weight_map.values():
        if not isinstance(name, str):
            raise DamagedFileError(INDEX, f"{shown(name)} is not the name of a file")
        if Path(name).name != name or "\\" in name or not name.endswith(".safetensors"):
            raise CheckpointNotAllowedError(
                name, "a shard must be a .safetensors file beside its index"
            )
    return weight_map


def _refuse_pickles(folder: Folder) -> None:
    for path in sorted(folder.path.iterdir()):
        if path.name.endswith((*PICKLE_SUFFIXES, ".bin.index.json")):
            raise PickleRefusedError(path.name)


def content_hash(folder: Folder, shards: Sequence[Shard]) -> str:
    """A hash of everything that decides what the model answers: settings, tokenizer, weights.

    The first 16 hexadecimal digits of SHA-256 over the files' names and contents, so that the same
    files have the same revision on every machine.
    """
    digest = hashlib.sha256()
    small = (folder.find(name) for name in (CONFIG, *TOKENIZER_FILES))
    for path in [*filter(None, small), *(shard.path for shard in shards)]:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.name}\0{content}\n".encode())
    return digest.hexdigest()[:16]


def fingerprint(folder: Path) -> str:
    """A cheap key for caches: changes when a file is added, removed, resized or written again.

    Reads no contents, only names, sizes and times, so it differs between machines.
    """
    digest = hashlib.sha256()
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    for name, status in sorted(found, key=lambda one: one[0]):
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
