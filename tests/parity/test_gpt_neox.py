"""What makes GPT-NeoX and Pythia what they are, each shown to be noticed; their files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.checkpoints import SettingError
from core.checkpoints.families import family_of_settings
from core.checkpoints.load import read_config
from core.checkpoints.sizes import parameter_count
from core.errors import ConfigError
from core.hooks import capture
from core.hugging_face.keys import Assignment
from core.models.architectures.gpt_neox import gpt_neox_config
from core.models.blocks.stack import TransformerLayer
from core.parity import comparison_of
from core.parity.reference import tiny_reference
from core.rotary_config import LinearScaling, RotaryConfig
from tests.parity.folders import Tensors, assert_the_same, write_folder
from tests.parity.quirks import Break, approximate_gelu, assert_shows, modules_of

pytestmark = pytest.mark.parity

PARALLEL, SERIAL = comparison_of("gpt-neox"), comparison_of("gpt-neox-serial")
BOTH = pytest.mark.parametrize("comparison", [PARALLEL, SERIAL], ids=lambda one: one.name)
HEADS, SIZE, WIDTH = 4, 16, 64


def test_each_heads_query_key_and_value_stand_together() -> None:
    ours, theirs = PARALLEL.pair()
    fused = theirs.gpt_neox.layers[1].attention.query_key_value
    attention = ours.decoder.layers[1].attention
    for head in range(HEADS):
        for index, name in enumerate(("query", "key", "value")):
            projection = getattr(attention, f"{name}_projection")
            own = slice(SIZE * head, SIZE * (head + 1))
            there = slice(SIZE * (3 * head + index), SIZE * (3 * head + index + 1))
            assert torch.equal(projection.weight[own], fused.weight[there])
            assert torch.equal(projection.bias[own], fused.bias[there])


def side_by_side(model: Any) -> None:
    """As GPT-2 has them: all queries, all keys, all values."""
    for layer in model.decoder.layers:
        one = layer.attention
        parts = [one.query_projection, one.key_projection, one.value_projection]
        for name in ("weight", "bias"):
            given = [getattr(part, name) for part in parts]
            if given[0] is None:
                continue
            heads = [tensor.unflatten(0, (HEADS, SIZE)) for tensor in given]
            fused = torch.stack(heads, dim=1).flatten(0, 2)
            for part, tensor in zip(parts, fused.chunk(3), strict=True):
                setattr(part, name, nn.Parameter(tensor))


@BOTH
def test_another_order_of_the_fused_parts_shows(comparison: Any) -> None:
    assert_shows(comparison, side_by_side, "first values")


def turned(features: int) -> Break:
    def broken(model: Any) -> None:
        model.decoder.rotary.size = features

    return broken


def last_features_turned(model: Any) -> None:
    for layer in model.decoder.layers:
        for part in (layer.attention.query_projection, layer.attention.key_projection):
            for name in ("weight", "bias"):
                if (tensor := getattr(part, name)) is not None:
                    heads = tensor.unflatten(0, (HEADS, SIZE)).roll(SIZE // 2, 1)
                    setattr(part, name, nn.Parameter(heads.flatten(0, 1)))


def not_turned(model: Any) -> None:
    model.decoder.rotary = None


@BOTH
@pytest.mark.parametrize("broken", [turned(SIZE), turned(2), last_features_turned, not_turned])
def test_the_first_features_of_a_head_know_positions(comparison: Any, broken: Break) -> None:
    assert_shows(comparison, broken, "first attention")


def test_the_other_features_pass_as_they_are() -> None:
    ours, _ = PARALLEL.pair()
    site = "decoder.layers.0.attention."
    with torch.inference_mode(), capture([f"{site}query", "decoder.rotation"]) as trace:
        ours(torch.full((1, 6), 5))  # one piece over and over
    assert trace["decoder.rotation"].shape == (2, 6, 2)  # a quarter of 16 features, in pairs
    same = (trace[f"{site}query"] == trace[f"{site}query"][:, :, :1]).all(2)[0]
    assert same[:, 4:].all()
    assert not same[:, :4].any()


def other_order(model: Any) -> None:
    for layer in modules_of(model, TransformerLayer):
        layer.parallel = not layer.parallel


@BOTH
def test_which_states_the_second_part_reads(comparison: Any) -> None:
    assert_shows(comparison, other_order, "first block")
    ours, _ = comparison.pair()
    site = "decoder.layers.1."
    with torch.inference_mode(), capture([f"{site}*"]) as trace:
        ours(torch.arange(2, 9)[None])
        read = trace[f"{site}input" if comparison is PARALLEL else f"{site}after_attention"]
        normalised: Tensor = ours.decoder.layers[1].feed_forward_norm(read)
    torch.testing.assert_close(trace[f"{site}after_feed_forward_norm"], normalised)


def no_final_norm(model: Any) -> None:
    model.decoder.final_norm = nn.Identity()


def other_table(model: Any) -> None:
    table = model.embedding.token_table.weight
    matrix = nn.Linear(table.shape[1], table.shape[0], bias=False)
    model.language.own = None if model.language.own is not None else matrix


@BOTH
def test_what_words_are_scored_with(comparison: Any) -> None:
    assert_shows(comparison, no_final_norm, "token logits")
    assert_shows(comparison, other_table, "token logits")
    assert_shows(comparison, approximate_gelu, "first block")


@BOTH
def test_the_future_is_hidden_exactly(comparison: Any) -> None:
    ours, _ = comparison.pair()
    with torch.inference_mode(), capture(["decoder.layers.*.attention.pattern"]) as trace:
        comparison.run_ours(ours, comparison.batch(101, 32).without_options())
    for record in trace.records:
        assert torch.equal(record.value.triu(1), torch.zeros_like(record.value))


# As people have them.

# Before version 5: names of its own for what is turned, and what is computed stands in the files.
OLD = {"rope_parameters": ..., "rotary_pct": 0.25, "rotary_emb_base": 10_000, "attention_bias": ...}


def with_buffers(tensors: Tensors) -> None:
    for layer in range(3):
        attention = f"gpt_neox.layers.{layer}.attention"
        tensors[f"{attention}.bias"] = torch.ones(1, 1, 8, 8, dtype=torch.bool).tril()
        tensors[f"{attention}.masked_bias"] = torch.tensor(-1e9)
        tensors[f"{attention}.rotary_emb.inv_freq"] = torch.ones(2)


def newest_name(tensors: Tensors) -> None:
    name = next(name for name in ("embed_out.weight", "lm_head.weight") if name in tensors)
    tensors["lm_head.weight"] = tensors.pop(name)


def oldest_name(tensors: Tensors) -> None:
    newest_name(tensors)
    tensors["embed_out.weight"] = tensors.pop("lm_head.weight")


def as_it_is(_tensors: Tensors) -> None:
    pass


def without_prefix(tensors: Tensors) -> None:
    for key in [key for key in tensors if key.startswith("gpt_neox.")]:
        tensors[key.removeprefix("gpt_neox.")] = tensors.pop(key)


FOLDERS: dict[str, tuple[dict[str, Any], Callable[[Tensors], object]]] = {
    "saved by version 5": ({}, as_it_is),
    "Pythia on the hub": (OLD, with_buffers),
    "the head's old name": (OLD, oldest_name),
    "the head's new name": ({}, newest_name),
    "little said": ({**OLD, "rotary_pct": ..., "rotary_emb_base": ...}, as_it_is),
    "another base, half turned": ({**OLD, "rotary_pct": 0.5, "rotary_emb_base": 5000}, as_it_is),
    "stretched, as before version 5": (
        {**OLD, "rope_scaling": {"type": "linear", "factor": 4.0}},
        as_it_is,
    ),
    "said to be tied, but it is not": ({"tie_word_embeddings": True}, as_it_is),
    "one after the other": ({"use_parallel_residual": False}, as_it_is),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_numbers_as_transformers(name: str, tmp_path: Path) -> None:
    settings, change = FOLDERS[name]
    reference = tiny_reference(PARALLEL.reference, PARALLEL.settings)
    folder = write_folder(reference, tmp_path / "it", settings=settings, change=change)
    assert_the_same(PARALLEL, folder, length=40)


def read(**changes: Any) -> Any:
    settings = {"model_type": "gpt_neox", **PARALLEL.settings, **changes}
    return read_config(settings, family_of_settings(settings), Assignment({}, {}, ()))


def test_both_layouts_say_the_same() -> None:
    expected = RotaryConfig(5000.0, 512, LinearScaling(2.0), 8)
    stretched = {"rope_type": "linear", "factor": 2.0}
    old = read(rotary_pct=0.5, rotary_emb_base=5000, rope_scaling=stretched)
    new = read(
        rope_parameters={**stretched, "partial_rotary_factor": 0.5, "rope_theta": 5000.0},
        rotary_pct=0.25,  # what stands inside counts
    )
    assert old == new
    assert old.decoder.rotary == expected


def test_a_released_model_has_as_many_numbers_as_its_files() -> None:
    assert parameter_count(gpt_neox_config(vocabulary=50_304)) == 70_426_624  # Pythia 70 M


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"rotary_pct": 0.2}, ConfigError, "even number of features a head.* not 3"),
        ({"rotary_pct": 0.0}, ConfigError, "not 0"),
        ({"rotary_pct": "a quarter"}, SettingError, "rotary_pct"),
        ({"rope_parameters": {"partial_rotary_factor": -1}}, SettingError, "partial_rotary_factor"),
        ({"rope_scaling": {"type": "longrope"}}, SettingError, "rope_scaling.*longrope"),
        ({"hidden_size": 66}, SettingError, "hidden_size"),
        ({"num_attention_heads": "4"}, SettingError, "num_attention_heads"),
        ({"hidden_act": "laplace"}, SettingError, "hidden_act.*laplace"),
    ],
)
def test_what_cannot_be_followed_is_named(changes: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        read(**changes)
    with pytest.raises(ConfigError, match="no pooler"):
        gpt_neox_config(vocabulary=9, pooler=True)
    with pytest.raises(ConfigError, match="norms before"):
        replace(read().decoder.layer, cross_attention=True)
