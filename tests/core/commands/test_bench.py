"""``bench``: both sides run on the same weights, and the answer has every figure."""

import json
from typing import Any

import pytest
import torch

import core.bench
from core.__main__ import BAD_INPUT, main
from core.parity.reference import tiny_reference


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A tiny model, and the arguments of every call of the reference."""
    reference = tiny_reference(
        "BertModel",
        {
            "vocab_size": 30,
            "hidden_size": 8,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 16,
        },
    )
    made: list[dict[str, Any]] = []
    reference.register_forward_pre_hook(
        lambda _model, _inputs, named: made.append(named), with_kwargs=True
    )
    monkeypatch.setattr(core.bench, "_reference", lambda: reference)
    monkeypatch.setattr(core.bench, "_VOCABULARY", 30)
    monkeypatch.setattr(core.bench, "LENGTHS", (4, 6))
    return made


def test_the_answer_has_a_row_a_length(
    calls: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--device", "cpu", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer.keys() == {"rows", "unit", "threads", "torch", "transformers"}
    assert answer["torch"] == torch.__version__
    assert [(row["device"], row["length"]) for row in answer["rows"]] == [("cpu", 4), ("cpu", 6)]
    for row in answer["rows"]:
        assert row["ours"] > 0
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
        assert row["target"] == 1.03
    assert len(calls) == 2 * (core.bench.WARM_UP + core.bench.RUNS)
    assert all(call["output_attentions"] for call in calls)


def test_the_table_has_a_line_a_length(
    calls: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--device", "cpu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["cpu", "4"], ["cpu", "6"]]


def test_an_unknown_device_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--device", "nowhere"]) == BAD_INPUT
    assert "'nowhere' is not available here" in capsys.readouterr().err
