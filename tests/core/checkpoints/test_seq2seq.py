"""Checkpoints of the recurrent translator: nothing is lost, and nothing foreign is taken."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import LoadPolicy, SettingError, load_checkpoint, save_checkpoint
from core.checkpoints.sizes import parameter_count
from core.config import ModelConfig
from core.models.architectures.seq2seq import seq2seq_config
from core.models.registry import build
from core.recurrent_config import Alignment, Attends
from core.tokenisation import Tokenizer


def config_of(tokenizer: Tokenizer, **settings: Any) -> ModelConfig:
    return seq2seq_config(
        vocabulary=tokenizer.vocabulary_size,
        embedding_width=6,
        width=4,
        decoder_width=8,
        start_id=2,
        padding_id=tokenizer.pad_id,
        **settings,
    )


def saved(config: ModelConfig, tokenizer: Tokenizer, folder: Path) -> Path:
    torch.manual_seed(1)
    return save_checkpoint(build(config), config, tokenizer, folder, dtype=torch.float32)


@pytest.mark.parametrize("alignment", [*Alignment, None])
@pytest.mark.parametrize(
    "settings",
    [{}, {"attends": Attends.CURRENT}, {"bidirectional": False, "predicts": ()}],
    ids=["default", "current", "one way, no head"],
)
def test_there_and_back(
    alignment: Alignment | None, settings: dict[str, Any], word_pieces: Tokenizer, tmp_path: Path
) -> None:
    config = config_of(word_pieces, alignment=alignment, **settings)
    if config.recurrent is not None and not config.recurrent.bidirectional:
        config = replace(config, recurrent=replace(config.recurrent, width=8))
    model = build(config)
    folder = save_checkpoint(model, config, word_pieces, tmp_path / "it", dtype=torch.float32)
    again = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(tmp_path,)))
    assert again.config == config
    before, after = model.state_dict(), again.model.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(tensor, after[key]) for key, tensor in before.items())
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        assert torch.equal(model.eval()(ids, ids).hidden, again.model(ids, ids).hidden)
    assert parameter_count(config) == sum(p.numel() for p in model.parameters())


def test_what_the_file_says(word_pieces: Tokenizer, tmp_path: Path) -> None:
    folder = saved(config_of(word_pieces), word_pieces, tmp_path / "it")
    settings = json.loads((folder / "config.json").read_text())
    assert settings["model_type"] == "headlight-seq2seq"
    assert settings["architectures"] == ["HeadlightSeq2seq"]
    assert (settings["alignment"], settings["attends"]) == ("additive", "previous")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("alignment", "cosine"),
        ("alignment", ["additive"]),
        ("attends", None),
        ("attends", 3),
        ("bidirectional", 1),
        ("is_encoder_decoder", False),
        ("hidden_size", 0),
    ],
)
def test_settings_that_are_none_of_ours_are_named(
    key: str, value: object, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    folder = saved(config_of(word_pieces), word_pieces, tmp_path / "it")
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(SettingError, match=key):
        load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(tmp_path,)))
