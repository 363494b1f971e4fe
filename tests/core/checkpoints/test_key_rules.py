"""Names of tensors, there and here."""

import pytest
import torch

from core.checkpoints.families import FAMILIES
from core.config import Head
from core.hugging_face.errors import KeyConflictError, UnknownKeyError
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
        "first.1.dense.weight",
        "",
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


def test_an_alias_stands_for_what_it_repeats_where_that_is_missing() -> None:
    found = RULES.assign(["head.weight", "head.bias", "body.first.0.dense.bias"])
    assert found.sources["table"].key == "head.weight"
    assert found.aliases == {}


def test_what_may_be_repeated_has_a_place_of_its_own_if_it_differs() -> None:
    rules = KeyRules("", (*RULES.rules, Rename("head", "head.own")))
    names = ["body.table.weight", "head.weight", "body.positions"]
    asked: list[tuple[str, str]] = []

    def equal(one: str, two: str) -> bool:
        asked.append((one, two))
        return False

    found = rules.assign(names, equal)
    assert asked == [("head.weight", "body.table.weight")]
    assert found.sources["head.own.weight"].key == "head.weight"
    assert found.aliases == {}
    assert rules.assign(names).aliases == {"head.weight": "body.table.weight"}
    assert RULES.assign(names, equal).aliases == {"head.weight": "body.table.weight"}


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
            for rule in family.keys({}).rules
        )
