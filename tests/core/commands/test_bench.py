"""``bench``: both sides run on the same weights, and the answer has every figure."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

import core.bench.decoding
import core.bench.forward
import core.bench.timing
import core.bench.training
from core.__main__ import BAD_INPUT, main
from core.bench.training import OURS, Contest, batch_of, flops_of, peak_of, reference_of, theirs
from core.parity.reference import tiny_reference, translate


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
    monkeypatch.setattr(core.bench.forward, "_reference", lambda: reference)
    monkeypatch.setattr(core.bench.forward, "_VOCABULARY", 30)
    monkeypatch.setattr(core.bench.forward, "LENGTHS", (4, 6))
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
    assert len(calls) == 2 * (core.bench.timing.WARM_UP + core.bench.timing.RUNS)
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


TINY = (
    Contest(
        "bert",
        "BertForMaskedLM",
        {
            "vocab_size": 50,
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 32,
        },
        rows=2,
        length=16,
        hidden=0.15,
    ),
    Contest(
        "gpt",
        "GPT2LMHeadModel",
        {
            "vocab_size": 50,
            "n_embd": 16,
            "n_layer": 2,
            "n_head": 2,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
        rows=2,
        length=16,
    ),
    Contest(
        "t5",
        "T5ForConditionalGeneration",
        {
            "vocab_size": 50,
            "d_model": 16,
            "d_kv": 8,
            "d_ff": 32,
            "num_layers": 2,
            "num_heads": 2,
            "decoder_start_token_id": 0,
        },
        rows=2,
        length=16,
        target=8,
    ),
)


@pytest.mark.parity
@pytest.mark.parametrize("contest", TINY, ids=lambda contest: contest.name)
def test_both_sides_of_a_training_have_one_loss(contest: Contest) -> None:
    reference = reference_of(contest).eval()
    batch = batch_of(contest, torch.device("cpu"))
    with torch.inference_mode():
        ours = OURS[contest.name](translate(reference), batch)
        torch.testing.assert_close(ours, theirs(reference, batch))


def test_flops_are_those_of_the_matrices_and_of_the_attention() -> None:
    flops = {one.name: flops_of(one, translate(reference_of(one))) for one in TINY}
    layer = 4 * 16 * 16 + 2 * 16 * 32  # four projections, two of the feed-forward part
    head = 50 * 16 + 16 * 16
    # 2 texts of 16 tokens, of which 2 are hidden; 2 layers
    bert = 6 * (2 * layer * 16 + head * 2) + 12 * 2 * 16 * 16 * 16
    assert flops["bert"] == 2 * bert
    wide = 4 * 16 * 16 + 2 * 16 * 64
    gpt = 6 * (2 * wide * 16 + 50 * 16 * 16) + 12 * 2 * 16 * 16 * 16
    assert flops["gpt"] == 2 * gpt
    encoder = 6 * 2 * layer * 16 + 12 * 2 * 16 * 16 * 16
    across = 4 * 16 * 16
    decoder = 6 * 2 * (layer * 8 + across // 2 * 8 + across // 2 * 16)
    pairs = 12 * 2 * 16 * (8 * 8 + 8 * 16)
    assert flops["t5"] == 2 * (encoder + decoder + pairs + 6 * 50 * 16 * 8)


def test_the_peak_goes_by_the_name() -> None:
    assert peak_of("NVIDIA H100 80GB HBM3") == 989e12
    assert peak_of("NVIDIA H100 PCIe") == 756e12
    assert peak_of("some other device") is None


def test_training_is_timed_on_both_sides(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(core.bench.training, "CONTESTS", TINY)
    assert main(["bench", "train", "--device", "cpu", "--system", "t5", "--json"]) == 0
    out, errors = capsys.readouterr()
    answer = json.loads(out)
    assert answer["unit"] == "tokens/s"
    [row] = answer["rows"]
    assert (row["device"], row["system"], row["utilisation"]) == ("cpu", "t5", None)
    assert row["ours"] > 0
    assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
    assert errors.startswith("t5, ours: first round")


def test_both_sides_write_the_same_and_are_timed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = {
        "t5": {"vocab_size": 50, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1},
        "transformer": {
            "vocab_size": 50,
            "d_model": 16,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "encoder_attention_heads": 2,
            "decoder_attention_heads": 2,
            "encoder_ffn_dim": 32,
            "decoder_ffn_dim": 32,
        },
    }
    small = [
        replace(writer, settings={**writer.settings, **sizes[writer.system]})
        for writer in core.bench.decoding.WRITERS
    ]
    monkeypatch.setattr(core.bench.decoding, "WRITERS", small)
    monkeypatch.setattr(core.bench.decoding, "LENGTH", 6)
    monkeypatch.setattr(core.bench.timing, "RUNS", 3)
    assert main(["bench", "decode", "--device", "cpu", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["unit"] == "ms"
    assert [row["system"] for row in answer["rows"]] == ["t5", "transformer"]
    for row in answer["rows"]:
        assert row["same"] is True
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
