"""What makes ALBERT other than BERT, each shown to be noticed."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from core.checkpoints import CheckpointError
from core.checkpoints.families import family_of_system
from core.config import Sharing
from core.models.architectures.albert import albert_config
from core.models.registry import build
from core.parity import compare_tiny, comparison_of
from tests.parity.quirks import assert_shows, exact_gelu, other_placement

pytestmark = pytest.mark.parity

ALBERT = comparison_of("albert")
_GROUP, _INNER = "albert_layer_groups.{}.albert_layers.0", "albert_layer_groups.{}.albert_layers.{}"
# Three runs of two groups with two layers each: the modules 0 1 0 1 2 3.
NESTED = replace(
    ALBERT,
    settings={
        **ALBERT.settings,
        "num_hidden_layers": 3,
        "num_hidden_groups": 2,
        "inner_group_num": 2,
    },
    parts=tuple(replace(part, theirs=part.theirs.replace(_GROUP, _INNER)) for part in ALBERT.parts),
    reference_options={"louder": {"sop_classifier": 8.0}},
)
FAMILY = family_of_system("albert")


def with_plan(*plan: int) -> Any:
    def broken(model: Any) -> None:
        model.encoder.plan = plan

    return broken


@pytest.mark.parametrize("plan", [(0, 1, 2, 2), (0, 1, 2, 0), (0, 1, 1, 2)])
def test_layers_find_their_group_where_it_does_not_divide(plan: tuple[int, ...]) -> None:
    assert ALBERT.pair()[0].encoder.plan == (0, 0, 1, 2)
    assert_shows(ALBERT, with_plan(*plan), "every pattern")


@pytest.mark.parametrize(("layers", "groups"), [(12, 1), (12, 12), (12, 5), (7, 3), (5, 4)])
def test_the_group_is_the_floor_of_layers_over_groups(layers: int, groups: int) -> None:
    config = albert_config(vocabulary=9, layers=layers, groups=groups)
    assert config.encoder is not None
    assert config.encoder.plan == tuple(layer * groups // layers for layer in range(layers))


def test_groups_of_several_layers_agree() -> None:
    ours, _ = NESTED.pair()
    assert ours.encoder.plan == (0, 1, 0, 1, 2, 3)
    rows = list(compare_tiny(NESTED, (9, 64)))
    assert [row for row in rows if not row.agrees] == []


@pytest.mark.parametrize("plan", [(0, 0, 1, 1, 2, 3), (0, 2, 0, 2, 1, 3), (1, 0, 1, 0, 2, 3)])
def test_layers_of_a_group_keep_their_order(plan: tuple[int, ...]) -> None:
    part = "first attention" if plan[0] else "every pattern"
    assert_shows(NESTED, with_plan(*plan), part)


@pytest.mark.parametrize(
    ("layers", "groups", "inner"), [(3, 2, 2), (4, 1, 3), (12, 1, 1), (5, 2, 1), (2, 2, 2)]
)
def test_settings_of_groups_survive(layers: int, groups: int, inner: int) -> None:
    config = albert_config(vocabulary=9, layers=layers, groups=groups, inner_layers=inner)
    written = FAMILY.table.write(config)
    found = (written["num_hidden_layers"], written["num_hidden_groups"], written["inner_group_num"])
    # Two groups that run once each are the same layers as four groups of one.
    assert found == ((4, 4, 1) if inner == layers == 2 else (layers, groups, inner))
    state = build(config).state_dict()
    keys = FAMILY.keys(written)
    assert keys.assign(keys.export(state, bare=False)).sources.keys() == state.keys()


@pytest.mark.parametrize("inner", [0, -1, "2", None, 10**9])
def test_a_senseless_number_of_inner_layers_is_refused(inner: object) -> None:
    with pytest.raises(CheckpointError, match="inner_group_num"):
        FAMILY.keys({"inner_group_num": inner})


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_the_ways_of_sharing_share_what_they_say() -> None:
    settings: Any = {"vocabulary": 9, "layers": 5, "heads": 2, "width": 16, "embedding_width": 8}
    shared = {
        sharing: build(albert_config(**settings, sharing=sharing)) for sharing in (None, *Sharing)
    }
    attention = 4 * (16 * 16 + 16) + 2 * 16  # four projections and the norm
    feed_forward = 2 * 16 * 64 + 64 + 16 + 2 * 16
    everything = parameters(shared[None])
    rest = everything - attention - feed_forward
    assert parameters(shared[Sharing.NOTHING]) == rest + 5 * (attention + feed_forward)
    assert parameters(shared[Sharing.ATTENTION]) == rest + attention + 5 * feed_forward
    assert parameters(shared[Sharing.FEED_FORWARD]) == rest + 5 * attention + feed_forward

    def distinct(sharing: Sharing | None, name: str) -> int:
        stack: Any = shared[sharing].get_submodule("encoder")
        return len({id(getattr(stack.layers[index], name)) for index in stack.plan})

    names = ("attention", "attention_norm", "feed_forward", "feed_forward_norm")
    assert [distinct(None, name) for name in names] == [1, 1, 1, 1]
    assert [distinct(Sharing.NOTHING, name) for name in names] == [5, 5, 5, 5]
    assert [distinct(Sharing.ATTENTION, name) for name in names] == [1, 1, 5, 5]
    assert [distinct(Sharing.FEED_FORWARD, name) for name in names] == [5, 5, 1, 1]
    with torch.inference_mode():  # and every one of them runs
        assert len({model(torch.arange(8)[None]).hidden.sum().item() for model in shared.values()})


def norm_after_projection(model: Any) -> None:
    model.embedding.norm = nn.Identity()
    model.embedding.projection = nn.Sequential(model.embedding.projection, nn.LayerNorm(48))


def test_the_gelu_is_the_tanh_form_and_norms_come_last() -> None:
    assert_shows(ALBERT, exact_gelu, "first block")
    assert_shows(ALBERT, other_placement, "first attention")


def test_the_norm_is_as_wide_as_the_embedding() -> None:
    assert_shows(ALBERT, norm_after_projection, "embeddings")


def swapped_order(model: Any) -> None:
    for tensor in (model.sentence_order.dense.weight, model.sentence_order.dense.bias):
        tensor.data = tensor.data.flip(0)


def test_column_0_means_in_order() -> None:
    assert_shows(ALBERT, swapped_order, "order logits")
