"""Writing a checkpoint that ``transformers`` opens like any other."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

from core.checkpoints.families import FAMILIES, family_of_system
from core.checkpoints.files import (
    CARD,
    CONFIG,
    INDEX,
    TOKENIZER,
    TOKENIZER_CONFIG,
    VOCABULARY,
    WEIGHTS,
)
from core.checkpoints.tokenizer_files import check_vocabulary, tokenizer_settings
from core.config import ModelConfig
from core.hugging_face.errors import CannotSaveError
from core.hugging_face.family import SYSTEM_KEY, Family
from core.models.registry import build_empty
from core.tokenisation import Tokenizer

HEADER_BYTES = 1_000  # of a file, and
ENTRY_BYTES = 200  # of each tensor in its header: generous, so that the limit holds
REPLACEABLE = (CONFIG, TOKENIZER, TOKENIZER_CONFIG, VOCABULARY, WEIGHTS, INDEX, CARD)


def save_checkpoint(
    model: nn.Module,
    config: ModelConfig,
    tokenizer: Tokenizer,
    folder: str | Path,
    *,
    dtype: torch.dtype = torch.float16,
    shard_bytes: int = 14_000_000,
    card: str | None = None,
) -> Path:
    """Write a folder in Hugging Face's layout; it appears complete or not at all.

    Args:
        model: built from ``config``; not a compiled wrapper.
        folder: created; replaced if it holds a checkpoint and nothing else.
        dtype: of the tensors in the files.
        shard_bytes: no file of weights is larger, unless a single tensor is.
        card: contents of ``card.md``.

    Returns:
        The folder.

    Raises:
        CannotSaveError: the format cannot express the model, a value does not fit into ``dtype``,
            or the folder holds other things.
        VocabularyMismatchError: the tokenizer has more tokens than the model has rows.
        core.errors.UnknownSystemError: the system has no family of checkpoints.
    """
    target = Path(folder)
    check_target(target)
    check_vocabulary(tokenizer, config.embedding)
    state = model.state_dict()
    expected = build_empty(config).state_dict()
    if _shapes(state) != _shapes(expected):
        raise CannotSaveError("the model is not the one that its configuration describes")
    family, written = settings_of(config)
    settings = {
        "model_type": family.model_type,
        **({SYSTEM_KEY: family.system} if family.marked else {}),
        **written,
        "dtype": str(dtype).removeprefix("torch."),
    }
    exported = family.keys(settings).export(state, bare=not config.heads)
    tensors = {key: _converted(key, tensor, dtype) for key, tensor in exported.items()}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as temporary:
        fresh = Path(temporary) / "new"
        fresh.mkdir()
        _write_json(fresh / CONFIG, settings)
        tokenizer.to_file(fresh / TOKENIZER)
        _write_json(fresh / TOKENIZER_CONFIG, tokenizer_settings(tokenizer, config.embedding))
        _write_shards(fresh, tensors, shard_bytes)
        if card is not None:
            (fresh / CARD).write_text(card, encoding="utf-8")
        _put_in_place(fresh, target, Path(temporary) / "old")
    return target


def settings_of(config: ModelConfig) -> tuple[Family, dict[str, Any]]:
    """The first family of a system that can express a configuration, and how it does.

    Raises:
        CannotSaveError: none can.
        core.errors.UnknownSystemError: the system has no family.
    """
    first = family_of_system(config.system)
    for family in (one for one in FAMILIES if one.system == config.system):
        try:
            return family, family.table.write(config)
        except CannotSaveError:
            continue
    raise CannotSaveError(f"config.json of {first.model_type} cannot express this model")


def _put_in_place(fresh: Path, target: Path, aside: Path) -> None:
    replaces = target.exists()
    if replaces:
        target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        if replaces:
            aside.rename(target)
        raise


def _shapes(state: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {key: tensor.shape for key, tensor in state.items()}


def check_target(target: Path) -> None:
    """Refuse a folder that :func:`save_checkpoint` would not replace.

    Raises:
        CannotSaveError: it holds other things, or is no folder.
    """
    if not target.exists():
        return
    if not target.is_dir() or target.is_symlink():
        raise CannotSaveError(f"{target.name} is there already and is not a folder")
    for path in target.iterdir():
        shard = path.name.startswith("model-") and path.suffix == ".safetensors"
        if path.name not in REPLACEABLE and not shard:
            raise CannotSaveError(
                f"the folder {target.name} also holds {path.name!r} and is not replaced"
            )


def _converted(key: str, tensor: Tensor, dtype: torch.dtype) -> Tensor:
    converted = tensor.detach().to("cpu", dtype).contiguous()
    if not torch.isfinite(converted).all():
        raise CannotSaveError(f"{key} holds values that do not fit into {dtype}")
    return converted


def _write_shards(folder: Path, tensors: Mapping[str, Tensor], limit: int) -> None:
    shards = split_into_shards({key: tensor.nbytes for key, tensor in tensors.items()}, limit)
    weight_map = {}
    for number, keys in enumerate(shards, start=1):
        name = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        # Not save_file: it makes files that only their owner can read.
        content = save({key: tensors[key] for key in keys}, metadata={"format": "pt"})
        (folder / name).write_bytes(content)
        weight_map.update(dict.fromkeys(keys, name))
    total = sum(tensor.nbytes for tensor in tensors.values())
    _write_json(folder / INDEX, {"metadata": {"total_size": total}, "weight_map": weight_map})


def split_into_shards(sizes: Mapping[str, int], limit: int) -> list[list[str]]:
    """Cut the tensors, in their order, into files of at most ``limit`` bytes with header.

    A tensor that is larger than the limit has a file of its own.
    """
    shards: list[list[str]] = []
    room = 0
    for key, size in sizes.items():
        needed = size + len(key) + ENTRY_BYTES
        if not shards or needed > room:
            shards.append([])
            room = limit - HEADER_BYTES
        shards[-1].append(key)
        room -= needed
    return shards


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
