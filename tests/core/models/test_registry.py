"""From a name to a model, and what a fresh model is like."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from core.config import Head
from core.errors import MissingHeadError, UnknownSystemError
from core.hooks import HookPoint
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import Bert, bert_config
from core.models.architectures.gpt import gpt_config
from core.models.architectures.llama import llama_config
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.transformer import transformer_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import SYSTEMS, build, build_empty

CONFIG = bert_config(vocabulary=40, layers=2, heads=2, width=32, max_positions=16)


def test_an_unknown_system_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownSystemError) as caught:
        build(replace(CONFIG, system="bort"))
    assert caught.value.name == "bort"
    assert caught.value.known == tuple(SYSTEMS)
    assert "'bort'" in str(caught.value)
    assert "bert" in str(caught.value)


def test_every_hook_point_knows_its_path() -> None:
    model = build(CONFIG)
    points = {path: m for path, m in model.named_modules() if isinstance(m, HookPoint)}
    assert len(points) > 40
    assert all(point.path == path for path, point in points.items())


def test_a_fresh_model_is_normal_with_zero_biases_and_unit_norms() -> None:
    torch.manual_seed(0)
    model = build(replace(CONFIG, initial_deviation=0.3))
    assert model.training
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding) and module.weight.numel() > 500:
            assert 0.27 < module.weight.std() < 0.33
        if isinstance(module, nn.LayerNorm):
            assert torch.equal(module.weight, torch.ones(32))
        if isinstance(module, nn.Linear | nn.LayerNorm):
            assert module.bias is not None
            assert not module.bias.any()


def test_a_fresh_t5_is_drawn_by_what_its_matrices_read() -> None:
    torch.manual_seed(0)
    sizes: Any = {"layers": 2, "width": 96, "heads": 6, "head_size": 16, "feed_forward": 384}
    model = build(t5_config(vocabulary=400, **sizes))
    deviations = {
        name: parameter.std().item()
        for name, parameter in model.named_parameters()
        if parameter.ndim == 2
    }
    for name, found in deviations.items():
        if "token_table" in name:
            wanted = 1.0
        elif "query" in name:
            wanted = (96 * 16) ** -0.5  # nothing divides its products by the root of 16
        elif "feed_forward.output" in name:
            wanted = 384**-0.5
        else:
            wanted = 96**-0.5
        assert found == pytest.approx(wanted, rel=0.25), name
    assert len(deviations) == 2 * 6 + 2 * 10 + 3


def test_a_fresh_xlnet_has_no_vector_of_zeros_but_the_biases_of_layers() -> None:
    torch.manual_seed(0)
    sizes: Any = {"layers": 2, "width": 64, "heads": 4, "feed_forward": 128}
    model = build(xlnet_config(vocabulary=50, **sizes))
    drawn = ("query_start", "content_bias", "position_bias", "segment_bias", "segment_table")
    found = [
        parameter.std().item()
        for name, parameter in model.named_parameters()
        if name.endswith(drawn)
    ]
    assert len(found) == 1 + 2 * 4
    assert all(0.012 < deviation < 0.028 for deviation in found)


SMALL: Any = {"layers": 2, "width": 64, "heads": 4, "feed_forward": 128}
WIDE: Any = {"embedding_width": 48, "width": 64, "decoder_width": 80}
FRESH = {
    "bert": bert_config(vocabulary=400, **SMALL),
    "albert": albert_config(vocabulary=400, embedding_width=48, **SMALL),
    "spanbert": spanbert_config(vocabulary=400, **SMALL),
    "gpt": gpt_config(vocabulary=400, **SMALL),
    "llama": llama_config(vocabulary=400, key_value_heads=2, head_norms=True, **SMALL),
    "xlnet": xlnet_config(vocabulary=400, **SMALL),
    "transformer": transformer_config(vocabulary=400, **SMALL),
    "seq2seq": seq2seq_config(vocabulary=400, **WIDE),
}


@pytest.mark.parametrize("system", FRESH)
def test_every_kind_of_parameter_starts_as_its_block_says(system: str) -> None:
    config = FRESH[system]
    torch.manual_seed(0)
    model = build(config)
    for name, parameter in model.named_parameters():
        kind = name.rpartition(".")[2]
        if "norm" in name:
            assert torch.equal(parameter, torch.full_like(parameter, kind == "weight")), name
        elif kind == "bias":
            assert not parameter.any(), name
        elif "state_projection" in name:
            for matrix in parameter.chunk(3):
                torch.testing.assert_close(matrix @ matrix.T, torch.eye(len(matrix)))
        else:
            wanted = pytest.approx(config.initial_deviation, rel=3 / parameter.numel() ** 0.5)
            assert parameter.std().item() == wanted, name
            assert abs(parameter.mean().item()) < 0.5 * config.initial_deviation, name


def test_the_decoder_is_the_token_table_stored_once() -> None:
    model = build(CONFIG)
    assert isinstance(model, Bert)
    shapes = [tuple(parameter.shape) for parameter in model.parameters()]
    assert shapes.count((40, 32)) == 1
    model.eval()
    ids = torch.tensor([[1, 2, 3]])
    before = model(ids).logits
    with torch.no_grad():
        model.embedding.token_table.weight[7] *= 2.0  # not among the ids: only its logit moves
    moved = (model(ids).logits - before).abs().amax(dim=(0, 1)) > 1e-6
    assert moved.nonzero().flatten().tolist() == [7]


def test_heads_are_built_as_configured() -> None:
    ids = torch.tensor([[1, 2, 3]])
    bare = build(bert_config(vocabulary=40, layers=1, heads=2, width=8, predicts=(), pooler=False))
    output = bare(ids)
    assert output.logits is None
    assert output.pair_logits is None
    assert isinstance(bare, Bert)
    with pytest.raises(MissingHeadError, match="masked words"):
        bare.score_words(output.hidden)
    with pytest.raises(MissingHeadError, match="next sentences"):
        bare.judge_pair(output.hidden)
    words = build(
        bert_config(
            vocabulary=40,
            layers=1,
            heads=2,
            width=8,
            predicts=(Head.MASKED_LANGUAGE,),
            pooler=False,
        )
    )
    assert words(ids).logits.shape == (1, 3, 40)
    assert words(ids).pair_logits is None


def test_an_empty_model_has_the_same_shapes_and_no_numbers() -> None:
    full, empty = build(CONFIG).state_dict(), build_empty(CONFIG).state_dict()
    assert {key: value.shape for key, value in empty.items()} == {
        key: value.shape for key, value in full.items()
    }
    assert all(value.is_meta for value in empty.values())
    with pytest.raises(UnknownSystemError):
        build_empty(replace(CONFIG, system="bort"))


def test_building_an_empty_model_does_not_wait_for_a_compiler() -> None:
    script = """
import sys
from core.models.architectures.bert import bert_config
from core.models.registry import build_empty
build_empty(bert_config(vocabulary=40, layers=2, heads=2, width=32, max_positions=16))
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
