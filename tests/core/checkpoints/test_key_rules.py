"""Names of tensors, there and here."""

import pytest
import torch

from core.checkpoints.families import FAMILIES
from core.config import Head
from core.hugging_face.errors import ForeignPrefixError, KeyConflictError, UnknownKeyError
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Transpose
from core.models.architectures.bert import BERT, bert_config
from core.models.registry import build

RULES = KeyRules(
    body="body.",
    rules=(
        Rename("body.first.{}.dense", "layers.{}.projection"),
        Transpose("body.mix.{}.of.{}", "mixes.{}.{}"),
        Rename("body.table.weight", "table"),
        Drop("body.positions"),
        Alias("head.weight", "body.table.weight"),
        Rename("head.bias", "bias"),
    ),
    old_endings=((".old", ".weight"),),
)


def test_a_module_carries_its_tensors_and_a_layer_its_number() -> None:
    found = RULES.assign(["body.first.11.dense.weight", "body.first.0.dense.bias", "head.bias"])
    sources = {ours: source.key for ours, source in found.sources.items()}
    assert sources == {
        "layers.11.projection.weight": "body.first.11.dense.weight",
        "layers.0.projection.bias": "body.first.0.dense.bias",
        "bias": "head.bias",
    }
    assert found.has("layers")
    assert not found.has("layer")


def test_rules_are_reversible() -> None:
    state = {
        "layers.3.projection.weight": torch.rand(2, 3),
        "mixes.1.2.weight": torch.rand(2, 3),
        "mixes.1.2.bias": torch.rand(3),
        "table": torch.rand(4),
    }
    theirs = RULES.export(state, bare=False)
    assert list(theirs) == [
        "body.first.3.dense.weight",
        "body.mix.1.of.2.weight",
        "body.mix.1.of.2.bias",
        "body.table.weight",
    ]
    assert theirs["body.mix.1.of.2.weight"].shape == (3, 2)
    back = RULES.assign(theirs).sources
    assert list(back) == list(state)
    for key, source in back.items():
        assert torch.equal(source.read(theirs[source.key]), state[key])


def test_a_bare_body_has_no_prefix() -> None:
    found = RULES.assign(["first.2.dense.weight", "positions", "head.bias", "table.weight"])
    assert found.sources["layers.2.projection.weight"].key == "first.2.dense.weight"
    assert found.dropped == ("positions",)
    assert list(RULES.export({"table": torch.ones(1)}, bare=True)) == ["table.weight"]


def test_old_endings_and_aliases_refer_to_the_names_in_the_file() -> None:
    found = RULES.assign(["body.table.old", "head.weight"])
    assert found.sources["table"].key == "body.table.old"
    assert found.aliases == {"head.weight": "body.table.old"}


@pytest.mark.parametrize(
    "key",
    [
        "body.first.x.dense.weight",
        "body.first.01.dense.weight",  # a second spelling of layer 1
        "body.table.weights",
        "first.x.dense.weight",
    ],
)
def test_an_unknown_key_is_named(key: str) -> None:
    known = ["body.table.weight", "body.first.1.dense.bias"]
    with pytest.raises(UnknownKeyError) as caught:
        RULES.assign([*known, key])
    assert caught.value.keys == (key,)
    assert repr(key) in str(caught.value)


def test_no_two_keys_for_one_place() -> None:
    with pytest.raises(KeyConflictError) as caught:
        RULES.assign(["body.table.old", "body.table.weight"])
    assert {caught.value.first, caught.value.second} == {"body.table.old", "body.table.weight"}


def test_an_alias_stands_for_what_it_repeats() -> None:
    found = RULES.assign(["head.weight", "head.bias", "body.first.0.dense.bias"])
    assert found.sources["table"].key == "head.weight"
    assert not found.aliases


def test_what_may_differ_is_a_tensor_of_its_own_or_is_used_alone() -> None:
    rules = KeyRules(
        "",
        (
            Rename("table", "table"),
            Rename("bias", "bias"),
            Alias("copy", "table"),
            Rename("copy", "own"),
            Alias("newer", "bias", wins=True),
            Rename("newer", "bias"),
        ),
    )
    keys = ["table", "bias", "copy", "newer"]
    assert rules.assign(keys).aliases == {"copy": "table", "newer": "bias"}
    found = rules.assign(keys, lambda _one, _two: False)
    assert {ours: source.key for ours, source in found.sources.items()} == {
        "table": "table",
        "own": "copy",
        "bias": "newer",
    }
    assert found.dropped == ("bias",)


@pytest.mark.parametrize("key", ["head.extra", "classifier.weight", "score.layers.0.weight", ""])
def test_keys_outside_of_the_body_are_left_unused(key: str) -> None:
    for body in ("body.first.1.dense.bias", "first.1.dense.bias"):
        assert RULES.assign([body, key]).unused == (key,)


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "base_model.model."])
def test_a_prefix_of_a_wrapper_is_named(prefix: str) -> None:
    for known in ("body.table.weight", "table.weight"):
        with pytest.raises(ForeignPrefixError) as caught:
            RULES.assign([prefix + known, prefix + "unknown"])
        assert caught.value.prefix == prefix
    with pytest.raises(UnknownKeyError):
        RULES.assign(["a.b", "c.d"])


def test_a_key_of_ours_without_a_rule_cannot_be_exported() -> None:
    with pytest.raises(UnknownKeyError, match="_orig_mod"):
        RULES.export({"_orig_mod.table": torch.ones(1)}, bare=False)


def test_every_tensor_of_bert_has_a_name_there() -> None:
    with torch.device("meta"):
        state = build(bert_config(vocabulary=9, layers=12, heads=2, width=4)).state_dict()
    theirs = BERT.keys({}).export(state, bare=False)
    assert len(theirs) == len(state)
    back = BERT.keys({}).assign(theirs)
    assert back.sources.keys() == state.keys()
    assert not back.aliases
    assert not back.dropped


def test_heads_are_named_like_their_modules() -> None:
    """Which heads a file has is read from the names of our modules."""
    for head in Head:
        assert any(
            isinstance(rule, Rename) and rule.ours.startswith(f"{head.value}.")
            for family in FAMILIES
            for name, heads in family.table.architectures.items()
            for rule in family.keys({"architectures": [name]}).rules
            if head in {*heads, *family.table.extra_heads}
        )
