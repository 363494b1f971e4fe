"""What makes Llama, Mistral, Qwen 2 and Qwen 3 what they are, each shown to be noticed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.analysis.positions import rotate as turn_vector
from core.config import Activation
from core.hooks import Intervention, Site, capture, intervene
from core.models.blocks.activations import Activate
from core.models.blocks.attention import Attention
from core.models.blocks.feed_forward import FeedForward
from core.models.blocks.rotary import RotaryPositions, rotate
from core.parity import Comparison, compare_tiny, comparison_of
from core.rotary_config import RotaryConfig, YarnScaling
from tests.parity.quirks import Break, assert_shows, modules_of

pytestmark = pytest.mark.parity

NAMES = ("llama", "llama-3", "mistral", "qwen2", "qwen3")
EACH = pytest.mark.parametrize("comparison", [comparison_of(name) for name in NAMES], ids=NAMES)
LLAMA, MISTRAL, QWEN2, QWEN3 = map(comparison_of, ("llama", "mistral", "qwen2", "qwen3"))

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
# Of each what it says, and from how many tokens on it is noticed.
SCALINGS: dict[str, tuple[dict[str, Any], int]] = {
    "linear": ({"rope_type": "linear", "factor": 4.0}, 9),
    "dynamic": ({"rope_type": "dynamic", "factor": 2.0}, 700),
    "llama3": (LLAMA3, 64),
    "yarn": (YARN, 9),
    "yarn with its options": (
        {**YARN, "attention_factor": 0.9, "beta_fast": 8.0, "beta_slow": 2.0, "truncate": False},
        9,
    ),
}


def scaled(name: str) -> Comparison:
    parameters = {"rope_theta": 10_000.0, **SCALINGS[name][0]}
    settings = {**LLAMA.settings, "rope_parameters": parameters}
    # YaRN makes scores louder, and so their rounding.
    return replace(LLAMA, settings=settings, reference_options={"spread": 0.8})


@EACH
def test_every_part_agrees_in_a_long_text(comparison: Comparison) -> None:
    assert [row for row in compare_tiny(comparison, (512,)) if not row.agrees] == []


def attentions(model: Any) -> Iterator[Attention]:
    return modules_of(model, Attention)


def test_a_group_of_neighbouring_heads_shares_its_keys_and_each_has_its_own_map() -> None:
    ours, theirs = LLAMA.pair()
    ids = LLAMA.batch(101, 12).without_options().ids
    with torch.inference_mode(), capture(["decoder.layers.1.attention.*"]) as trace:
        ours(ids)
        reference = theirs(input_ids=ids, output_attentions=True).attentions[1]
    site = "decoder.layers.1.attention."
    query, key, pattern = (trace[site + name] for name in ("query", "key", "pattern"))
    assert query.shape[1] == pattern.shape[1] == 6
    assert key.shape[1] == trace[site + "value"].shape[1] == 2
    for head in range(6):
        scores = query[:, head] @ key[:, head // 3].transpose(1, 2) * 12**-0.5
        torch.testing.assert_close(trace[site + "scores"][:, head], scores)
        torch.testing.assert_close(pattern[:, head], reference[:, head], atol=1e-6, rtol=0)
        assert all(
            (pattern[:, head] - pattern[:, other]).abs().max() > 0.1 for other in range(head)
        )


def turned_groups(model: Any) -> None:
    for one in attentions(model):
        for projection in (one.query_projection, one.output_projection):
            across = 0 if projection is one.query_projection else 1
            heads = (
                projection.weight.unflatten(across, (6, -1))
                .flip(across)
                .flatten(across, across + 1)
            )
            projection.weight = nn.Parameter(heads)


@EACH
def test_which_heads_share_a_group_shows(comparison: Comparison) -> None:
    """The heads in the reverse order, in and out: a model without groups would not change."""
    assert_shows(comparison, turned_groups, "first attention")


def heads_as_neighbours(model: Any) -> None:
    """Pairs of neighbouring features, as in the paper, in place of halves."""
    for one in attentions(model):
        for projection in (one.query_projection, one.key_projection):
            rows = projection.weight.unflatten(0, (-1, one.head_size))
            order = torch.arange(one.head_size).view(2, -1).T.flatten()
            projection.weight = nn.Parameter(rows[:, order].flatten(0, 1))


def not_turned(model: Any) -> None:
    model.decoder.rotary = None


def a_larger_base(model: Any) -> None:
    rotary = model.decoder.rotary
    rotary.config = replace(rotary.config, theta=2 * rotary.config.theta)


@EACH
@pytest.mark.parametrize("broken", [heads_as_neighbours, not_turned, a_larger_base])
def test_positions_turn_halves_of_queries_and_keys(comparison: Comparison, broken: Break) -> None:
    assert_shows(comparison, broken, "first attention")


def test_the_angles_pass_a_hook_point_and_nothing_else_knows_positions() -> None:
    ours, _ = LLAMA.pair()
    ids = LLAMA.batch(101, 9).without_options().ids[:1]

    def in_place(value: Tensor, _site: Site) -> Tensor:
        return value[:, :1].expand_as(value)  # everybody stands at position 0

    site = "decoder.layers.0.attention.masked_scores"
    order = torch.tensor([4, 2, 0, 3, 1, 5, 6, 7, 8])
    with torch.inference_mode(), capture([site, "decoder.rotation"]) as plain:
        ours(ids)
    assert plain["decoder.rotation"].shape == (2, 9, 6)
    with torch.inference_mode(), intervene(Intervention("decoder.rotation", in_place)):
        with capture([site]) as before:
            ours(ids)
        with capture([site]) as after:
            ours(ids[:, order])
    # Only distances count: the last token looks at the same ones, wherever they stand.
    torch.testing.assert_close(after[site][0, :, -1], before[site][0, :, -1][:, order])
    assert (plain[site][0, :, -1] - before[site][0, :, -1]).abs().max() > 0.1


@pytest.mark.parametrize("name", SCALINGS)
def test_positions_are_stretched(name: str) -> None:
    comparison, (_, length) = scaled(name), SCALINGS[name]
    lengths = (9, 64, 512, length)
    assert [row for row in compare_tiny(comparison, lengths) if not row.agrees] == []

    def plain(model: Any) -> None:
        rotary = model.decoder.rotary
        rotary.config = replace(rotary.config, scaling=None)

    assert_shows(comparison, plain, "first attention", length)


def test_a_dynamic_scale_begins_where_the_training_ended() -> None:
    ours, _ = scaled("dynamic").pair()
    config = ours.config.decoder.rotary
    assert (config.positions, config.longest) == (512, 1024)
    assert ours.config.embedding.max_positions == 1024

    def plain(model: Any) -> None:
        model.decoder.rotary.config = RotaryConfig(config.theta, config.positions)

    assert_shows(scaled("dynamic"), plain, None, length=512)


def test_yarn_makes_scores_larger() -> None:
    def without(model: Any) -> None:
        rotary = model.decoder.rotary
        assert isinstance(rotary.config.scaling, YarnScaling)
        scaling = replace(rotary.config.scaling, attention_factor=1.0)
        rotary.config = replace(rotary.config, scaling=scaling)

    assert_shows(scaled("yarn"), without, "first attention")


def other_activation(model: Any) -> None:
    for one in modules_of(model, Activate):
        one.activation = Activation.GELU


def other_gate(model: Any) -> None:
    for one in modules_of(model, FeedForward):
        one.inner_projection, one.gate_projection = one.gate_projection, one.inner_projection


@EACH
@pytest.mark.parametrize("broken", [other_activation, other_gate])
def test_one_projection_is_activated_and_the_other_multiplies_it(
    comparison: Comparison, broken: Break
) -> None:
    assert_shows(comparison, broken, "first block")


def no_final_norm(model: Any) -> None:
    model.decoder.final_norm = nn.Identity()


@EACH
def test_the_last_states_are_normalised(comparison: Comparison) -> None:
    assert_shows(comparison, no_final_norm, "token logits")


def tied(model: Any) -> None:
    model.language.own.weight = model.embedding.token_table.weight


def test_words_have_a_matrix_of_their_own_unless_it_is_tied() -> None:
    assert_shows(LLAMA, tied, "token logits")
    ours, theirs = comparison_of("llama-3").pair()
    assert ours.language.own is None
    assert theirs.lm_head.weight is theirs.model.embed_tokens.weight


@pytest.mark.parametrize("window", [23, 25, None])
def test_mistral_sees_so_many_tokens_and_no_more(window: int | None) -> None:
    def other(model: Any) -> None:
        model.window = window

    assert_shows(MISTRAL, other, "first attention", length=64)
    assert_shows(MISTRAL, other, None, length=9)


def test_mistrals_window_may_be_open() -> None:
    settings = {**MISTRAL.settings, "sliding_window": None}
    everything = replace(MISTRAL, settings=settings)
    assert [row for row in compare_tiny(everything, (64,)) if not row.agrees] == []


def no_biases(model: Any) -> None:
    for one in attentions(model):
        for projection in (one.query_projection, one.value_projection):
            projection.register_parameter("bias", None)


def test_qwen2_has_biases_but_for_the_output() -> None:
    assert_shows(QWEN2, no_biases, "first values")
    ours, _ = QWEN2.pair()
    assert all(one.output_projection.bias is None for one in attentions(ours))
    assert all(one.key_projection.bias is not None for one in attentions(ours))


@pytest.mark.parametrize("name", ["attention_bias", "mlp_bias"])
def test_llama_may_have_biases(name: str) -> None:
    biased = replace(LLAMA, settings={**LLAMA.settings, name: True})
    assert [row for row in compare_tiny(biased, (9, 64)) if not row.agrees] == []
    ours, _ = biased.pair()
    assert sum(key.endswith(".bias") for key in ours.state_dict()) == 3 * (
        4 if "att" in name else 3
    )


def no_head_norms(model: Any) -> None:
    for one in attentions(model):
        one.query_norm = one.key_norm = nn.Identity()


def swapped_head_norms(model: Any) -> None:
    for one in attentions(model):
        one.query_norm, one.key_norm = one.key_norm, one.query_norm


@pytest.mark.parametrize("broken", [no_head_norms, swapped_head_norms])
def test_qwen3_normalises_queries_and_keys(broken: Break) -> None:
    assert_shows(QWEN3, broken, "first attention")


def test_one_group_for_each_head_is_ordinary_attention() -> None:
    plain = replace(LLAMA, settings={**LLAMA.settings, "num_key_value_heads": 6})
    parts = tuple(part for part in plain.parts if part.name != "first values")
    assert [
        row for row in compare_tiny(replace(plain, parts=parts), (9, 64)) if not row.agrees
    ] == []


def test_turned_features_are_those_of_the_formula() -> None:
    """The page *Positional encodings* turns its vector by itself, in float64."""
    vector = torch.linspace(-1, 2, 8)
    rotary = RotaryPositions(RotaryConfig(10_000.0, 512), 8)
    turned = rotate(vector.expand(1, 1, 40, 8), rotary(torch.zeros(1, 40, 8), start=3))
    expected = torch.from_numpy(turn_vector(vector.numpy(), 40, start=3, halves=True))
    torch.testing.assert_close(turned[0, 0].double(), expected, atol=1e-5, rtol=0)
