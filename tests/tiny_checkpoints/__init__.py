"""Tiny checkpoints of the systems: random weights, vocabularies of our own.

    write_tiny("gpt", folder)        # one, in Hugging Face's layout
    write_all(folder)                # all, side by side as in `assets/checkpoints`

`write_all` makes a folder that `core.checkpoints.catalogue.BUNDLED_FOLDER` can be pointed at.

A file here states the ``CHECKPOINTS`` of a system or of several, by the names of their folders:
what makes the vocabulary, and the configuration for it.
"""

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path

import torch

from core.checkpoints import save_checkpoint
from core.config import ModelConfig
from core.models.registry import SYSTEMS, build
from core.parity.reference import randomise
from core.tokenisation import Tokenizer

Tiny = tuple[Callable[[], Tokenizer], Callable[[Tokenizer], ModelConfig]]

CHECKPOINTS: dict[str, Tiny] = {
    name: one
    for file in pkgutil.iter_modules(__path__)
    for name, one in getattr(
        importlib.import_module(f"{__name__}.{file.name}"), "CHECKPOINTS", {}
    ).items()
}

CAUSAL = {name for name in CHECKPOINTS if name in SYSTEMS and SYSTEMS[name].causal}


def write_tiny(name: str, folder: Path) -> Path:
    """Write the checkpoint of this name."""
    make_tokenizer, configure = CHECKPOINTS[name]
    tokenizer = make_tokenizer()
    config = configure(tokenizer)
    torch.manual_seed(7)
    model = build(config)
    randomise(model, seed=7, spread=0.8)  # spread out, so that results differ
    return save_checkpoint(model, config, tokenizer, folder, dtype=torch.float32)


def write_all(folder: Path) -> Path:
    """Write all of them side by side; return the folder."""
    for name in CHECKPOINTS:
        write_tiny(name, folder / name)
    return folder
