"""config.json of Llama, Mistral, Qwen 2 and Qwen 3: both layouts, defaults, what is refused."""

from typing import Any

import pytest

from core.checkpoints import SettingError, TooLargeError
from core.checkpoints.families import family_of_settings
from core.checkpoints.load import read_config
from core.checkpoints.sizes import parameter_count
from core.config import ModelConfig, StackConfig
from core.errors import ConfigError, HeadlightError
from core.models.architectures.llama import LLAMA, llama_config
from core.rotary_config import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    RotaryConfig,
    YarnScaling,
)

SIZES = {
    "vocab_size": 90,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}


def read(model_type: str = "llama", **changes: Any) -> ModelConfig:
    settings = {"model_type": model_type, **SIZES, **changes}
    settings = {key: value for key, value in settings.items() if value != "absent"}
    family = family_of_settings(settings)
    words = family.keys(settings).assign(["model.norm.weight", "lm_head.weight"])
    return read_config(settings, family, words)


def decoder_of(config: ModelConfig) -> StackConfig:
    assert config.decoder is not None
    return config.decoder


def rotary_of(config: ModelConfig) -> RotaryConfig:
    rotary = decoder_of(config).rotary
    assert rotary is not None
    return rotary


def test_what_a_file_does_not_say_is_as_in_transformers() -> None:
    llama = read()
    stack = decoder_of(llama)
    assert (stack.layer.attention.head_size, stack.layer.attention.groups) == (6, 4)
    assert (stack.window, stack.rotary) == (None, RotaryConfig(10_000.0, 2048))
    assert (llama.tied, stack.layer.norm_epsilon) == (False, 1e-6)
    mistral = decoder_of(read("mistral", num_attention_heads=8, head_dim=4))
    assert (mistral.window, mistral.layer.attention.groups) == (4096, 8)
    qwen3 = decoder_of(read("qwen3", num_attention_heads=32))
    assert (qwen3.layer.attention.head_size, qwen3.layer.attention.groups) == (128, 32)
    assert qwen3.layer.attention.head_norm_epsilon == 1e-6
    qwen2 = decoder_of(read("qwen2", num_key_value_heads=2)).layer.attention
    assert (qwen2.bias, qwen2.output_bias) == (True, False)


def released(
    pieces: int, width: int, hidden: int, layers: int, heads: int, groups: int, **changes: Any
) -> dict[str, Any]:
    return {
        "vocab_size": pieces,
        "hidden_size": width,
        "intermediate_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "architectures": ["LlamaForCausalLM", "MistralForCausalLM"],
        **changes,
    }


QWEN = {"tie_word_embeddings": True, "architectures": ["Qwen2ForCausalLM", "Qwen3ForCausalLM"]}


@pytest.mark.parametrize(
    ("model_type", "settings", "numbers"),
    [
        ("llama", released(32_000, 4096, 11_008, 32, 32, 32), 6_738_415_616),  # Llama 2 7B
        ("llama", released(128_256, 4096, 14_336, 32, 32, 8), 8_030_261_248),  # Llama 3 8B
        (
            "llama",  # SmolLM 135M
            released(49_152, 576, 1536, 30, 9, 3, tie_word_embeddings=True),
            134_515_008,
        ),
        ("mistral", released(32_000, 4096, 14_336, 32, 32, 8), 7_241_732_096),  # Mistral 7B
        ("qwen2", released(151_936, 896, 4864, 24, 14, 2, **QWEN), 494_032_768),  # Qwen 2.5 0.5B
        ("qwen3", released(151_936, 1024, 3072, 28, 16, 8, **QWEN), 596_049_920),  # Qwen 3 0.6B
    ],
)
def test_released_models_have_as_many_numbers_as_their_files(
    model_type: str, settings: dict[str, Any], numbers: int
) -> None:
    assert parameter_count(read(model_type, **settings)) == numbers


@pytest.mark.parametrize(
    ("said", "scaling"),
    [
        ({"type": "linear", "factor": 2}, LinearScaling(2.0)),
        ({"rope_type": "dynamic", "factor": 2.5}, DynamicScaling(2.5)),
        ({**LLAMA3, "type": "llama3"}, Llama3Scaling(8.0, 1.0, 4.0, 2048)),
        (
            {**LLAMA3, "original_max_position_embeddings": 512},
            Llama3Scaling(8.0, 1.0, 4.0, 512),
        ),
        ({"type": "yarn", "factor": 4.0, "attention_factor": None}, YarnScaling(4.0, 2048)),
        (
            {"rope_type": "yarn", "factor": 4.0, "beta_fast": 16, "truncate": False},
            YarnScaling(4.0, 2048, fast=16.0, whole=False),
        ),
        ({"rope_type": "default", "rope_theta": 5e5}, None),
        ({}, None),
        (None, None),
    ],
)
def test_older_and_newer_files_say_one_thing(said: dict[str, Any] | None, scaling: Any) -> None:
    older = read(rope_theta=5e5, rope_scaling=said)
    assert rotary_of(older) == RotaryConfig(5e5, 2048, scaling)
    assert read(rope_parameters={**(said or {}), "rope_theta": 5e5}) == older
    written = LLAMA.table.write(older)
    assert read(**written) == older
    newer_only = {**written, "rope_theta": "absent", "rope_scaling": "absent"}
    older_only = {**written, "rope_parameters": "absent"}
    assert read(**newer_only) == read(**older_only) == older


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rope_scaling": {"type": "longrope"}}, "'longrope'; only default, linear, dynamic"),
        ({"rope_parameters": {"rope_type": ["yarn"]}}, "rope_parameters.*type .'yarn'."),
        ({"rope_scaling": {"type": "yarn", "factor": 2.0, "mscale": 1.0}}, "has 'mscale', not"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "has 'partial_rotary_factor', not"),
        ({"rope_scaling": {"type": "linear"}}, "'factor' of config.json is missing"),
        ({"rope_scaling": {"type": "linear", "factor": "2"}}, "'factor'.* not '2'"),
        ({"rope_scaling": {"type": "linear", "factor": 0.5}}, "by 1 or more, not by 0.5"),
        ({"rope_scaling": {"type": "linear", "factor": 1e300}}, "at most 1,000,000"),
        ({"rope_scaling": {**LLAMA3, "low_freq_factor": 4}}, "low frequencies end at 4"),
        ({"rope_scaling": {"type": "yarn", "factor": 2, "beta_fast": 1}}, "slow waves end at 1"),
        ({"rope_scaling": [2.0]}, "'rope_scaling'.* should be an object, or null"),
        ({"rope_theta": 1}, "must exceed 1"),
        ({"head_dim": 7}, "even number of features a head, 2 or more and at most 7, not 7"),
        (
            {"head_dim": 2, "rope_scaling": {"type": "dynamic", "factor": 2.0}},
            "4 or more and at most 2, not 2",
        ),
        ({"num_key_value_heads": 3}, "3 heads of keys cannot serve 4"),
        ({"num_attention_heads": 5}, "a width of 24 cannot be shared evenly by 5"),
        ({"model_type": "mistral", "sliding_window": 0, "num_key_value_heads": 2}, "1, or null"),
        (
            {"model_type": "qwen2", "use_sliding_window": True},
            "'use_sliding_window'.* is True, but only False is supported",
        ),
        (
            {"model_type": "qwen3", "layer_types": ["full_attention", "sliding_attention"]},
            "'layer_types'.* should be full_attention for every layer",
        ),
    ],
)
def test_what_is_not_there_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(HeadlightError, match=message) as caught:
        read(**{"model_type": "llama", "num_key_value_heads": 2, **changes})
    assert isinstance(caught.value, SettingError | TooLargeError | ConfigError)
    assert "\n" not in str(caught.value)


def test_a_pooler_is_refused() -> None:
    with pytest.raises(ConfigError, match="no pooler"):
        llama_config(vocabulary=9, pooler=True)


def test_old_files_hold_their_frequencies_and_a_copied_table_stands_for_it() -> None:
    old = "model.layers.1.self_attn.rotary_emb.inv_freq"
    assert LLAMA.keys({}).assign(["model.norm.weight", old]).dropped == (old,)
    copied = LLAMA.keys({"tie_word_embeddings": True}).assign(["lm_head.weight"])
    assert copied.sources["embedding.token_table.weight"].key == "lm_head.weight"
