"""config.json to our configuration and back."""

import json
from typing import Any

import pytest

from core.checkpoints import CannotSaveError, ForeignFamilyError, SettingError, TooLargeError
from core.checkpoints.families import family_of_settings, family_of_system
from core.checkpoints.load import read_config
from core.config import (
    Activation,
    EmbeddingConfig,
    Head,
    LayerConfig,
    ModelConfig,
    StackConfig,
)
from core.errors import UnknownSystemError
from core.hugging_face.keys import Assignment
from core.hugging_face.limits import MAX_LAYERS, MAX_VOCABULARY
from core.models.architectures.bert import BERT, bert_config

SETTINGS = {
    "model_type": "bert",
    "vocab_size": 101,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 70,
}
MANDATORY = sorted(SETTINGS.keys() - {"model_type"})


def read(**changes: Any) -> ModelConfig:
    return read_config({**SETTINGS, **changes}, BERT, Assignment({}, {}, ()))


def test_defaults_are_those_of_the_paper() -> None:
    config = read()
    assert config == bert_config(
        vocabulary=101,
        layers=3,
        heads=4,
        width=24,
        feed_forward=40,
        max_positions=70,
        predicts=(),
        pooler=False,
    )
    assert config.encoder is not None
    assert config.encoder.layer.norm_epsilon == 1e-12
    assert config.embedding.segments == 2


@pytest.mark.parametrize(
    "config",
    [
        bert_config(vocabulary=50, layers=2, heads=2, width=6),
        bert_config(
            vocabulary=50,
            layers=1,
            heads=3,
            width=6,
            feed_forward=5,
            max_positions=9,
            segments=3,
            activation=Activation.GELU_TANH,
            norm_epsilon=1e-5,
            dropout=0.0,
            attention_dropout=0.25,
            predicts=(Head.MASKED_LANGUAGE,),
            pooler=False,
            initial_deviation=0.3,
        ),
        bert_config(vocabulary=50, layers=1, heads=3, width=6, predicts=(Head.NEXT_SENTENCE,)),
        bert_config(vocabulary=50, layers=1, heads=3, width=6, predicts=()),
    ],
)
def test_every_value_survives_the_way_there_and_back(config: ModelConfig) -> None:
    written = json.loads(json.dumps(BERT.table.write(config)))
    arguments = BERT.table.arguments(written)
    again = BERT.table.build(**arguments, predicts=config.heads, pooler=config.pooler)
    assert again == config
    assert BERT.table.promised_heads(written) == set(config.heads)


def test_every_setting_changes_the_configuration() -> None:
    changed: dict[str, Any] = {
        "hidden_act": "relu",
        "layer_norm_eps": 0.5,
        "hidden_dropout_prob": 0.5,
        "attention_probs_dropout_prob": 0.5,
        "initializer_range": 0.5,
        "hidden_size": 48,
        "num_attention_heads": 2,
        "tie_word_embeddings": False,
    }
    for setting in BERT.table.settings:
        value = changed.get(setting.theirs, 7)
        assert read(**{setting.theirs: value}) != read(), setting.theirs


@pytest.mark.parametrize(
    ("name", "activation"),
    [
        ("gelu", Activation.GELU),
        ("gelu_new", Activation.GELU_TANH),
        ("gelu_pytorch_tanh", Activation.GELU_TANH),
        ("relu", Activation.RELU),
    ],
)
def test_activations_by_their_names(name: str, activation: Activation) -> None:
    encoder = read(hidden_act=name).encoder
    assert encoder is not None
    assert encoder.layer.feed_forward.activation is activation


@pytest.mark.parametrize("key", MANDATORY)
def test_a_missing_setting_is_named(key: str) -> None:
    settings = {name: value for name, value in SETTINGS.items() if name != key}
    with pytest.raises(SettingError, match=f"'{key}'.*is missing") as caught:
        read_config(settings, BERT, Assignment({}, {}, ()))
    assert caught.value.setting == key


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", 0),
        ("hidden_size", -24),
        ("hidden_size", 24.0),
        ("hidden_size", "24"),
        ("hidden_size", True),
        ("hidden_size", [24]),
        ("hidden_size", None),
        ("hidden_size", 25),  # 4 heads do not divide it
        ("num_attention_heads", 5),
        ("hidden_act", "prelu"),
        ("hidden_act", {"gelu": 1}),
        ("layer_norm_eps", float("nan")),
        ("layer_norm_eps", float("inf")),
        ("layer_norm_eps", 10**400),
        ("layer_norm_eps", -1e-12),
        ("hidden_dropout_prob", 1.0),
        ("attention_probs_dropout_prob", "0.1"),
        ("position_embedding_type", "relative_key"),
        ("position_embedding_type", "relative_key_query"),
        ("is_decoder", True),
        ("add_cross_attention", True),
        ("tie_word_embeddings", None),
        ("is_decoder", None),
        ("pruned_heads", {"0": [1]}),
    ],
)
def test_malformed_contradictory_and_foreign_values_are_refused(key: str, value: Any) -> None:
    with pytest.raises(SettingError) as caught:
        read(**{key: value})
    expected = "hidden_size" if key == "num_attention_heads" else key
    assert caught.value.setting == expected
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "limit"),
    [
        ("num_hidden_layers", 10**12, MAX_LAYERS),  # a plan of that length would fill the memory
        ("num_hidden_layers", MAX_LAYERS + 1, MAX_LAYERS),
        ("vocab_size", 10**300, MAX_VOCABULARY),
    ],
)
def test_numbers_have_limits(key: str, value: int, limit: int) -> None:
    with pytest.raises(TooLargeError, match=f"{limit:,}") as caught:
        read(**{key: value})
    assert (caught.value.needed, caught.value.limit) == (value, limit)


def test_what_only_concerns_others_is_ignored() -> None:
    assert read(auto_map={"AutoModel": "evil.Model"}, torch_dtype="float16", new_key=3) == read()


@pytest.mark.parametrize("architectures", [None, "BertForMaskedLM", [], [{}, 3], ["Other"]])
def test_unknown_architectures_promise_nothing(architectures: Any) -> None:
    assert read(architectures=architectures).heads == ()


def test_a_promise_without_tensors_is_none() -> None:
    assert read(architectures=["BertForPreTraining"]).heads == ()
    settings = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}
    family = family_of_settings(settings)
    for tied, heads in ((True, (Head.LANGUAGE,)), (False, ())):
        found = family.table.completed({**settings, "tie_word_embeddings": tied})
        assert read_config(found, family, Assignment({}, {}, ())).heads == heads


@pytest.mark.parametrize("found", ["mamba", "BERT", ["bert"], "x" * 5000])
def test_a_foreign_family_is_named(found: Any) -> None:
    with pytest.raises(ForeignFamilyError) as caught:
        family_of_settings({"model_type": found})
    assert caught.value.found == str(found)
    assert "bert" in caught.value.known
    assert len(str(caught.value)) < 400


def test_a_family_must_be_named() -> None:
    for nameless in ({}, {"model_type": None}, {"architectures": ["Other"]}, {"architectures": 3}):
        with pytest.raises(SettingError, match=r"model_type.*missing"):
            family_of_settings(nameless)
    assert family_of_settings({"architectures": ["BertForMaskedLM"]}) is BERT


def test_families_by_system() -> None:
    assert family_of_system("bert") is BERT
    with pytest.raises(UnknownSystemError):
        family_of_system("nothing")


def test_what_the_format_cannot_express_is_not_written() -> None:
    config = bert_config(vocabulary=50, layers=2, heads=2, width=6)
    assert config.encoder is not None
    layer = config.encoder.layer
    shared = ModelConfig(
        "bert", config.embedding, StackConfig(layer, (0, 0)), heads=config.heads, pooler=True
    )
    other_epsilon = ModelConfig(
        "bert",
        EmbeddingConfig(50, 6, 512, 2, norm_epsilon=0.5),
        config.encoder,
        heads=config.heads,
        pooler=True,
    )
    crossed = LayerConfig(6, layer.attention, layer.feed_forward, cross_attention=True)
    cross = ModelConfig("bert", config.embedding, StackConfig.of_depth(crossed, 2))
    for one in (shared, other_epsilon, cross):
        with pytest.raises(CannotSaveError):
            BERT.table.write(one)
