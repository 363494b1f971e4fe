"""What a folder's small files and headers say, before its weights are read."""

from __future__ import annotations

from core.checkpoints.catalogue import BundledCheckpoint
from core.checkpoints.families import read_settings
from core.checkpoints.files import Folder, find_shards
from core.checkpoints.load import assign, read_config


def examine(name: str, folder: Folder) -> BundledCheckpoint:
    """An entry for a checkpoint that is not bundled, under the name by which it is loaded.

    Its heads are those of which the files have the tensors.

    Raises:
        CheckpointError: it cannot be opened; what only the weights say is found when they are read.
        core.errors.ConfigError: its sizes contradict each other.
    """
    family, settings = read_settings(folder)
    shards = find_shards(folder)
    assignment = assign(family.keys(settings), shards)
    config = read_config(settings, family, assignment)
    size = sum(shard.size_bytes for shard in shards)
    heads = frozenset(config.heads)
    return BundledCheckpoint(name, family.system, name, folder.path, size, heads)
