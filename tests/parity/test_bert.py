"""BERT against Hugging Face's: every part at every length, and one test for every quirk.

A quirk's test breaks it on our side and looks for the first part that must notice, so the list of
tests says what makes this model BERT.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

from core.config import Activation, NormPlacement
from core.hooks import capture
from core.models.architectures.bert import Bert
from core.models.blocks.activations import Activate
from core.models.blocks.attention import DotProductScore
from core.models.blocks.stack import TransformerLayer
from core.parity import LENGTHS, Batch, Row, compare_tiny, comparison_of, differences

pytestmark = pytest.mark.parity

BERT = comparison_of("bert")
PARTS = [part.name for part in BERT.parts]
LAYERS = BERT.settings["num_hidden_layers"]
BATCH = Batch.random(BERT.settings["vocab_size"], 9)


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, int | None], Row]:
    return {(row.part, row.length): row for row in compare_tiny(BERT)}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    "part", [*PARTS, "fused attention, against explicit", "everything, given nothing but ids"]
)
def test_part_agrees(rows: dict[tuple[str, int | None], Row], part: str, length: int) -> None:
    row = rows[part, length]
    assert row.agrees, row


def test_export_gives_the_same_tensors(rows: dict[tuple[str, int | None], Row]) -> None:
    assert rows["export back", None].difference == 0.0


def test_the_results_agree_as_returned(pair: tuple[Bert, Any]) -> None:
    ours, theirs = pair
    with torch.inference_mode():
        expected = theirs(
            input_ids=BATCH.ids,
            token_type_ids=BATCH.segments,
            attention_mask=BATCH.valid.long(),
            output_hidden_states=True,
        )
        found = ours(BATCH.ids, BATCH.segments, BATCH.keep)
    for mine, other in (
        (found.hidden[BATCH.valid], expected.hidden_states[-1][BATCH.valid]),
        (found.logits[BATCH.valid], expected.prediction_logits[BATCH.valid]),
        (found.pair_logits, expected.seq_relationship_logits),
    ):
        torch.testing.assert_close(mine, other, atol=1e-5, rtol=0.0)


def test_the_weights_are_drawn_wide_enough_to_show_mistakes(pair: tuple[Bert, Any]) -> None:
    ours, _ = pair
    sites = [f"encoder.layers.{layer}.attention.scores" for layer in range(LAYERS)]
    with torch.inference_mode(), capture([*sites, "masked_language.logits"]) as trace:
        BERT.run_ours(ours, Batch.random(BERT.settings["vocab_size"], 64))
    assert all(record.value.std() >= 1.0 for record in trace.records)
    norms = torch.cat([m.weight for m in ours.modules() if isinstance(m, nn.LayerNorm)])
    assert norms.min() < 0.6
    assert norms.max() > 1.4


def test_every_parameter_is_used(pair: tuple[Bert, Any]) -> None:
    """A change of any one parameter shows in some part."""
    ours, theirs = pair
    batch = Batch.random(BERT.settings["vocab_size"], BERT.settings["max_position_embeddings"])
    silent = []
    for name, parameter in ours.named_parameters():
        if name.endswith("key_projection.bias"):
            continue  # the same amount for every key of a query: the softmax takes it out again
        kept = parameter.detach().clone()
        with torch.no_grad():
            parameter.mul_(1.5)
        batch_here = batch if "position_table" in name else BATCH
        if max(differences(BERT, ours, theirs, batch_here).values()) < 1e-3:
            silent.append(name)
        with torch.no_grad():
            parameter.copy_(kept)
    assert silent == []


@pytest.fixture
def pair() -> tuple[Bert, Any]:
    ours, theirs = BERT.pair()
    assert isinstance(ours, Bert)
    return ours, theirs


Break = Callable[[Bert], object]


def modules_of(model: Bert, kind: type[nn.Module]) -> Iterator[Any]:
    return (module for module in model.modules() if isinstance(module, kind))


def approximate_gelu(model: Bert) -> None:
    for module in modules_of(model, Activate):
        module.activation = Activation.GELU_TANH


def approximate_gelu_of_the_head(model: Bert) -> None:
    assert model.masked_language is not None
    model.masked_language.activation.activation = Activation.GELU_TANH


def norms_before_sublayers(model: Bert) -> None:
    for layer in modules_of(model, TransformerLayer):
        layer.placement = NormPlacement.PRE


def swapped_norms(model: Bert) -> None:
    for layer in modules_of(model, TransformerLayer):
        layer.attention_norm, layer.feed_forward_norm = (
            layer.feed_forward_norm,
            layer.attention_norm,
        )


def larger_epsilon(model: Bert) -> None:
    for norm in modules_of(model, nn.LayerNorm):
        norm.eps = 1e-5  # torch's default


def unscaled_scores(model: Bert) -> None:
    for score in modules_of(model, DotProductScore):
        score.scale = 1.0


def no_padding_mask(model: Bert) -> None:
    model.register_forward_pre_hook(lambda _model, inputs: (*inputs[:2], None))


def swapped_segments(model: Bert) -> None:
    model.register_forward_pre_hook(lambda _model, inputs: (inputs[0], 1 - inputs[1], inputs[2]))


def head_without_its_norm(model: Bert) -> None:
    assert model.masked_language is not None
    model.masked_language.register_module("norm", nn.Identity())


def head_with_the_last_layers_norm(model: Bert) -> None:
    assert model.masked_language is not None
    last = model.get_submodule(f"encoder.layers.{LAYERS - 1}.feed_forward_norm")
    model.masked_language.register_module("norm", last)


def untied_decoder(model: Bert) -> None:
    assert model.masked_language is not None
    model.masked_language.register_forward_pre_hook(
        lambda _head, inputs: (inputs[0], inputs[1].flip(0))
    )


def pooler_on_the_last_token(model: Bert) -> None:
    assert model.pooler is not None
    model.pooler.register_forward_pre_hook(lambda _pooler, inputs: (inputs[0].flip(1),))


def pooler_on_the_mean(model: Bert) -> None:
    assert model.pooler is not None
    model.pooler.register_forward_pre_hook(
        lambda _pooler, inputs: (inputs[0].mean(1, keepdim=True),)
    )


def pooler_without_tanh(model: Bert) -> None:
    assert model.pooler is not None
    model.pooler.dense.register_forward_hook(
        lambda _dense, _inputs, output: output.clamp(-0.999, 0.999).atanh()
    )


def swapped_pair_columns(model: Bert) -> None:
    assert model.next_sentence is not None
    weight, bias = model.next_sentence.dense.weight, model.next_sentence.dense.bias
    weight.data, bias.data = weight.data.flip(0), bias.data.flip(0)


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        (approximate_gelu, "first block"),
        (approximate_gelu_of_the_head, "token logits"),
        (norms_before_sublayers, "first block"),
        (swapped_norms, "first block"),
        (larger_epsilon, "embeddings"),
        (larger_epsilon, "first block"),
        (unscaled_scores, "every pattern"),
        (no_padding_mask, "every pattern"),
        (swapped_segments, "embeddings"),
        (head_without_its_norm, "token logits"),
        (head_with_the_last_layers_norm, "token logits"),
        (untied_decoder, "token logits"),
        (pooler_on_the_last_token, "pooler"),
        (pooler_on_the_mean, "pooler"),
        (pooler_without_tanh, "pooler"),
        (swapped_pair_columns, "pair logits"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_breaking_a_quirk_shows(pair: tuple[Bert, Any], broken: Break, part: str) -> None:
    ours, theirs = pair
    before = {p.name: value for p, value in differences(BERT, ours, theirs, BATCH).items()}
    broken(ours)
    after = {p.name: value for p, value in differences(BERT, ours, theirs, BATCH).items()}
    tolerance = next(p.tolerance for p in BERT.parts if p.name == part)
    assert before[part] <= tolerance
    assert after[part] > 2 * tolerance
    earlier = PARTS[: PARTS.index(part)]
    if part.endswith(("logits", "pooler")):  # what comes before the head is untouched
        assert {name: after[name] for name in earlier} == {name: before[name] for name in earlier}


def test_segments_default_to_the_first(pair: tuple[Bert, Any]) -> None:
    ours, theirs = pair
    with torch.inference_mode():
        expected = theirs(input_ids=BATCH.ids).prediction_logits
        by_default = ours(BATCH.ids).logits
        second = ours(BATCH.ids, torch.ones_like(BATCH.ids)).logits
    assert (by_default - expected).abs().max() <= 1e-5
    assert (second - expected).abs().max() > 0.1


def test_a_table_with_a_part_that_is_off_says_so() -> None:
    assert Row("bert", "x", 9, 1e-6, 1e-5).agrees
    assert not Row("bert", "x", 9, 2e-5, 1e-5).agrees
    assert not Row("bert", "x", 9, float("nan"), 1e-5).agrees
