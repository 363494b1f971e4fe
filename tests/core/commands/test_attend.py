"""``attend`` for models with several kinds of attention."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.models.architectures.llama import llama_config
from core.models.registry import build
from core.tokenisation import Tokenizer
from tests.core.commands.test_texts import Shell
from tests.core.tasks.conftest import (  # noqa: F401 - fixtures
    TEXT,
    byte_pairs,
    gpt,
    t5,
    transformer,
    unigram,
    xlnet,
)
from tests.tiny_checkpoints.llama import llama2_pieces, llama3_pieces, qwen_pieces


@pytest.fixture
def shell(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """Of the model whose name the test is given."""
    checkpoint: Checkpoint = request.getfixturevalue(request.param)
    folder = tmp_path / "model"
    save_checkpoint(
        checkpoint.model, checkpoint.config, checkpoint.tokenizer, folder, dtype=torch.float32
    )
    return Shell(folder, capsys)


def traced(shell: Shell, path: Path, *options: str) -> tuple[dict[str, Any], dict[str, Any]]:
    answer = shell.json("attend", "--text", TEXT, "--out", str(path), *options)
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    assert len(arrays["logits"]) == len(answer.get("target", answer)["tokens"])
    for name, one in answer["maps"].items():
        kind = f".{name}" if f"patterns.{name}" in arrays else ""
        assert list(arrays[f"patterns{kind}"].shape) == one["shape"]
        assert arrays[f"masked{kind}"].shape == tuple(one["shape"][2:])
        np.testing.assert_allclose(arrays[f"patterns{kind}"].sum(-1), 1, atol=1e-5)
    return answer, arrays


@pytest.mark.parametrize("shell", ["transformer"], indirect=True)
def test_all_three_kinds_of_a_translation(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    answer, arrays = traced(shell, path, "--target", "A dog sat.", "--to", "de")
    assert list(answer["maps"]) == ["encoder", "decoder", "cross"]
    target = answer["target"]
    assert target["text"] == "A dog sat."
    assert not target["written"]
    queries, keys = len(target["tokens"]), len(answer["tokens"])
    assert answer["maps"]["cross"] == {"shape": [2, 4, queries, keys], "masked_rows": []}
    assert answer["tokens"][0] == ">>de<<"
    assert arrays["target.tokens"].tolist() == target["tokens"]
    assert arrays["tokens"].tolist() == answer["tokens"]
    assert arrays["positions.decoder"].shape == (queries, 32)
    assert not {"patterns", "positions", "positions.cross"} & set(arrays)
    out = shell("attend", "--text", TEXT, "--target", "A dog sat.")
    assert "cross    2 x 4 maps" in out
    assert "target" in out
    assert shell.json("attend", "--text", TEXT)["target"]["written"]


@pytest.mark.parametrize("shell", ["t5"], indirect=True)
def test_a_t5_writes_what_belongs_into_the_blanks(shell: Shell, tmp_path: Path) -> None:
    _answer, arrays = traced(shell, tmp_path / "trace.npz")
    assert arrays["bias.encoder"].shape == arrays["patterns.encoder"].shape[1:]
    assert arrays["bias.decoder"].shape == arrays["patterns.decoder"].shape[1:]
    assert "bias.cross" not in arrays
    answer = shell.json("attend", "--text", "The cat ___2___.")
    assert answer["target"]["tokens"][1] == "<extra_id_0>"
    assert len(answer["target"]["text"].split()) == 2


@pytest.mark.parametrize("shell", ["xlnet"], indirect=True)
def test_an_order_gives_two_streams(shell: Shell, tmp_path: Path) -> None:
    answer, arrays = traced(shell, tmp_path / "trace.npz", "--order", "1,3,0")
    assert list(answer["maps"]) == ["content", "query"]
    assert answer["order"][:4] == [1, 3, 0, 2]
    assert answer["maps"]["query"]["masked_rows"] == [1]
    assert arrays["masked.query"].all(axis=1).nonzero()[0].tolist() == [1]
    assert arrays["order"].tolist() == answer["order"]
    assert "tokens that see nothing: 1" in shell("attend", "--text", TEXT, "--order", "1,3,0")
    drawn = ("--order", "random", "--seed", "4")
    first = shell.json("attend", "--text", TEXT, *drawn)["order"]
    assert first == shell.json("attend", "--text", TEXT, *drawn)["order"]
    assert first != shell.json("attend", "--text", TEXT, "--order", "random")["order"]
    _answer, arrays = traced(shell, tmp_path / "plain.npz")
    assert "patterns" in arrays, "one kind over one text"
    assert "positions" not in arrays
    for order in ("0,0", "99", "1,x", "", "1;2"):
        assert shell.refusal("attend", "--text", TEXT, "--order", order)


@pytest.mark.parametrize("shell", ["gpt"], indirect=True)
def test_a_gpt_has_patterns_and_no_target(shell: Shell, tmp_path: Path) -> None:
    answer, arrays = traced(shell, tmp_path / "trace.npz")
    assert list(answer["maps"]) == ["decoder"]
    assert not np.triu(arrays["patterns"], 1).any()
    assert "reads no target" in shell.refusal("attend", "--text", TEXT, "--target", "x")
    assert "reads no order" in shell.refusal("attend", "--text", TEXT, "--order", "random")
    lines = tmp_path / "lines.txt"
    lines.write_text(TEXT)
    refused = shell.refusal("attend", "--file", str(lines), "--target", "x")
    assert "--target goes with --text" in refused


@pytest.mark.parametrize("tokenizer", [llama2_pieces, llama3_pieces, qwen_pieces])
def test_a_folder_of_llama_is_opened_whichever_vocabulary_it_has(
    tokenizer: Callable[[], Tokenizer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces = tokenizer()
    config = llama_config(
        vocabulary=pieces.vocabulary_size + 3,  # rows without a piece, as Qwen has them
        layers=2,
        heads=4,
        key_value_heads=2,
        width=32,
        feed_forward=48,
        head_norms=tokenizer is qwen_pieces,
        system="qwen3" if tokenizer is qwen_pieces else "llama",
    )
    save_checkpoint(build(config), config, pieces, tmp_path / "model", dtype=torch.bfloat16)
    shell = Shell(tmp_path / "model", capsys)
    answer, arrays = traced(shell, tmp_path / "trace.npz")
    tokens = len(answer["tokens"])
    assert arrays["patterns"].shape == (2, 4, tokens, tokens)  # a map for each head of queries
    assert not arrays["patterns"][..., *np.triu_indices(tokens, 1)].any()
    (sample,) = shell.json("continue", "--text", TEXT, "--tokens", "5")["samples"]
    assert sample.startswith(TEXT)
