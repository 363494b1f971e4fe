"""``pairs`` and ``restore``: JSON, tables, files, and what they refuse."""

import json
from pathlib import Path

import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import save_checkpoint
from core.models.architectures.structbert import structbert_config
from core.models.registry import build
from core.tokenisation import Tokenizer

A, B = "The cat sat on the mat.", "It was open."


@pytest.fixture
def name(word_pieces: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    config = structbert_config(
        vocabulary=word_pieces.vocabulary_size, layers=1, heads=2, width=16, initial_deviation=0.5
    )
    torch.manual_seed(0)
    save_checkpoint(build(config), config, word_pieces, tmp_path / "struct")
    return str(tmp_path / "struct")


def test_a_pair_as_json_and_as_a_table(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["pairs", "--checkpoint", name, "--text", A, "--pair", B]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["pair"]) == (A, B)
    assert answer["objective"] == "sentence structure"
    probabilities = answer["probabilities"]
    assert probabilities.keys() == {"follows", "comes before", "from elsewhere"}
    assert sum(probabilities.values()) == pytest.approx(1.0)
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [A, B, "", "sentence structure"]
    likeliest = max(probabilities, key=probabilities.__getitem__)
    assert lines[4] == f"{probabilities[likeliest]:.4f}  {likeliest}"


def test_a_file_of_pairs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(f"{A}\t{B}\n{A}\n", encoding="utf-8")
    assert main(["pairs", "--checkpoint", name, "--file", str(path)]) == 0
    good, bad = map(json.loads, capsys.readouterr().out.splitlines())
    assert good["pair"] == B
    assert "no second one" in bad["error"]


def test_words_put_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["restore", "--checkpoint", name, "--text", A, "--top", "3"]
    assert main([*command, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["text"] == A
    words = sorted("the cat sat on the mat .".split())
    assert sorted(answer["restored"].lower().replace(".", " . ").split()) == words
    assert [place["token"] for place in answer["places"]] == "the cat sat on the mat .".split()
    assert all(len(place["predictions"]) == 3 for place in answer["places"])
    assert answer["places"][0]["predictions"][0].keys() == {"token", "probability"}
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == A
    assert len(lines) == 3 + len(answer["places"])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["pairs", "--text", A], "there is no second one"),
        (["restore", "--text", "cat " * 65], "has 65 words"),
        (["restore", "--text", "  "], "nothing to read"),
        (["restore", "--text", A, "--top", "0"], "0"),
    ],
)
def test_bad_input_gets_one_plain_line(
    command: list[str], said: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--checkpoint", name]) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert said in captured.err
