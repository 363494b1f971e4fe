"""Folders as transformers writes them, changed as those that people have, opened by both sides."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers
import torch
from safetensors.torch import load_file, save_file

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.parity import Comparison, differences
from core.parity.reference import open_reference
from core.tokenisation import Tokenizer

Tensors = dict[str, torch.Tensor]
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]


def write_folder(
    reference: Any,
    folder: Path,
    *,
    settings: dict[str, Any] | None = None,
    change: Callable[[Tensors], object] = lambda _tensors: None,
) -> Path:
    """Save one of theirs with a few pieces.

    Args:
        reference: a model.
        folder: is made.
        settings: of ``config.json``, put in place of those that are there; ``...`` to leave one
            out.
        change: what is done to the tensors.
    """
    reference.save_pretrained(folder)
    model = tokenizers.models.WordPiece({piece: n for n, piece in enumerate(PIECES)})
    Tokenizer(tokenizers.Tokenizer(model)).to_file(folder / "tokenizer.json")
    as_written = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(as_written))
    path = folder / "config.json"
    changed = {**json.loads(path.read_text()), **(settings or {})}
    path.write_text(json.dumps({key: one for key, one in changed.items() if one is not ...}))
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    tensors = {key: tensor.clone() for key, tensor in tensors.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def opened(folder: Path) -> Checkpoint:
    """As we open it."""
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder.parent,)))


def assert_the_same(comparison: Comparison, folder: Path, *, length: int = 9) -> Checkpoint:
    """Both sides open the folder, and every part agrees; ours is returned."""
    ours = opened(folder)
    theirs = open_reference(comparison.reference, folder)
    batch = comparison.batch(ours.config.embedding.vocabulary, length)
    found = differences(comparison, ours.model, theirs, batch)
    assert {part.name: off for part, off in found.items() if off > part.tolerance} == {}
    return ours
