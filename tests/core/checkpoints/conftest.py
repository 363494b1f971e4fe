"""Checkpoints as transformers writes them, and copies of ours to be damaged."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.tokenisation import Tokenizer

SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 72,
    "layer_norm_eps": 1e-6,
}

MakeReference = Callable[..., Any]
Load = Callable[..., Checkpoint]


@pytest.fixture
def make_reference(word_pieces: Tokenizer) -> MakeReference:
    """``make_reference("BertModel", hidden_act="relu")``: its class, every parameter random."""
    import transformers

    transformers.logging.disable_progress_bar()

    def make(class_name: str, **changes: Any) -> Any:
        vocabulary = word_pieces.vocabulary_size + 3  # a model may have rows to spare
        config = transformers.BertConfig(**{"vocab_size": vocabulary, **SIZES, **changes})
        model = getattr(transformers, class_name)(config).eval()
        generator = torch.Generator().manual_seed(5)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_(0.0, 0.4, generator=generator)
        return model

    return make


@pytest.fixture
def save_reference(word_pieces: Tokenizer, tmp_path: Path) -> Callable[[Any], Path]:
    """Write one with transformers, the tokenizer beside it."""

    def save(model: Any) -> Path:
        folder = tmp_path / "reference"
        model.save_pretrained(folder)
        word_pieces.to_file(folder / "tokenizer.json")
        return folder

    return save


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load from beneath ``tmp_path`` onto the CPU."""

    def load_folder(folder: Path, **limits: Any) -> Checkpoint:
        policy = LoadPolicy(roots=(tmp_path,), **limits)
        return load_checkpoint(str(folder), device="cpu", policy=policy)

    return load_folder


@pytest.fixture
def folder(tiny_checkpoint_folder: Path, tmp_path: Path) -> Path:
    """A healthy checkpoint of its own for each test, in one shard with an index."""
    return Path(shutil.copytree(tiny_checkpoint_folder, tmp_path / "copy"))


@pytest.fixture
def change_json(folder: Path) -> Callable[..., None]:
    """``change_json("config.json", hidden_size=7)``: set or, with ``None``, remove keys."""

    def change(file: str, **changes: Any) -> None:
        content = json.loads((folder / file).read_text())
        for key, value in changes.items():
            content[key] = value
            if value is None:
                del content[key]
        (folder / file).write_text(json.dumps(content))

    return change
