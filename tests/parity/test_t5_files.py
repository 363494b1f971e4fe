"""Folders of T5's kind as people have them: the numbers of transformers, or a refusal by name."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import ForeignFamilyError, MissingKeyError, SettingError
from core.parity import Comparison, comparison_of
from core.parity.reference import tiny_reference
from tests.parity.folders import Tensors, assert_the_same, opened, write_folder

pytestmark = pytest.mark.parity

T5, T5_1_1, MT5, UMT5 = map(comparison_of, ("t5", "t5-1.1", "mt5", "umt5"))
OWN_SCALE = 48**-0.5
ABSENT: Any = ...


def repeat(*names: str) -> Callable[[Tensors], None]:
    def change(tensors: Tensors) -> None:
        tensors.update({name: tensors["shared.weight"].clone() for name in names})

    return change


def only_the_decoders(tensors: Tensors) -> None:
    """As ``safetensors.save_model`` does: one of the names of a shared tensor is kept."""
    tensors["decoder.embed_tokens.weight"] = tensors.pop("shared.weight")


def only_the_heads(tensors: Tensors) -> None:
    tensors["lm_head.weight"] = tensors.pop("shared.weight")


def old_bias(tensors: Tensors) -> None:
    key = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    tensors[key] = torch.randn(32, 4)


def quieter_head(tensors: Tensors) -> None:
    tensors["lm_head.weight"] *= 0.2


def not_at_all(_tensors: Tensors) -> None:
    pass


def with_sizes(comparison: Comparison = T5, **settings: Any) -> Comparison:
    return replace(comparison, settings={**comparison.settings, **settings})


EVERY_NAME = repeat("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")

# Model, settings changed in the file, tensors changed; then whether states are scaled and whether
# the head is tied.
FOLDERS: dict[str, tuple[Comparison, dict[str, Any], Callable[[Tensors], object], bool, bool]] = {
    "t5": (T5, {}, not_at_all, True, True),
    "t5-small on the hub": (T5, {}, EVERY_NAME, True, True),
    "a bias nobody reads": (T5, {}, old_bias, True, True),
    "nothing said of ties": (
        T5,
        {"tie_word_embeddings": ABSENT, "scale_decoder_outputs": ABSENT},
        not_at_all,
        True,
        True,
    ),
    "the decoder's name alone": (T5, {}, only_the_decoders, True, True),
    "the head's name alone": (T5, {}, only_the_heads, True, True),
    "1.1 saved by version 5": (T5_1_1, {}, not_at_all, False, False),
    "1.1 on the hub": (
        T5_1_1,
        {"tie_word_embeddings": False, "scale_decoder_outputs": ABSENT},
        repeat("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"),
        False,
        False,
    ),
    "an own head, but scaled": (T5_1_1, {"scale_decoder_outputs": True}, not_at_all, True, False),
    "1.1 without its head": (
        T5_1_1,
        {"tie_word_embeddings": False, "scale_decoder_outputs": ABSENT},
        lambda tensors: tensors.pop("lm_head.weight"),
        False,
        True,
    ),
    "not scaled, said once more": (T5, {"scale_decoder_outputs": False}, not_at_all, False, True),
    "two ways to say it": (
        T5,
        {"tie_word_embeddings": False, "scale_decoder_outputs": True},
        EVERY_NAME,
        True,
        True,
    ),
    "mt5": (MT5, {}, not_at_all, False, False),
    "mt5, said to be scaled": (MT5, {"scale_decoder_outputs": True}, EVERY_NAME, False, True),
    "mt5 by another's class": (
        MT5,
        {"architectures": ["T5ForConditionalGeneration"]},
        not_at_all,
        False,
        False,
    ),
    "mt5 of few words": (MT5, {"feed_forward_proj": ABSENT}, not_at_all, False, False),
    "umt5": (UMT5, {}, not_at_all, True, False),
    "umt5 on the hub": (
        UMT5,
        {"tie_word_embeddings": False, "scale_decoder_outputs": ABSENT},
        quieter_head,
        False,
        False,
    ),
    "gated silu": (
        with_sizes(T5_1_1, feed_forward_proj="gated-silu"),
        {},
        not_at_all,
        False,
        False,
    ),
    "gelu without gates": (with_sizes(feed_forward_proj="gelu"), {}, not_at_all, True, True),
    "gated relu, exact by another name": (
        with_sizes(T5_1_1, feed_forward_proj="gated-relu"),
        {"dense_act_fn": "gelu"},
        not_at_all,
        False,
        False,
    ),
    "fewer features than the width": (with_sizes(d_kv=5, num_heads=6), {}, not_at_all, True, True),
    "few buckets": (with_sizes(relative_attention_num_buckets=6), {}, not_at_all, True, True),
    "a short distance": (
        with_sizes(relative_attention_max_distance=20),
        {},
        not_at_all,
        True,
        True,
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_numbers_as_transformers(name: str, tmp_path: Path) -> None:
    comparison, settings, change, scaled, tied = FOLDERS[name]
    reference = tiny_reference(
        comparison.reference, comparison.settings, **comparison.reference_options
    )
    folder = write_folder(reference, tmp_path / "it", settings=settings, change=change)
    config = assert_the_same(comparison, folder, length=40).config
    assert (config.word_scale == OWN_SCALE, config.tied) == (scaled, tied)
    assert config.word_scale in (OWN_SCALE, 1.0)


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "longt5": ({"model_type": "longt5"}, ForeignFamilyError, "longt5"),
    "a T5 called umT5": ({"model_type": "umt5"}, MissingKeyError, "relative_attention_bias"),
    "an encoder alone": ({"architectures": ["T5EncoderModel"]}, SettingError, "T5EncoderModel"),
    "one that judges": (
        {"architectures": ["T5ForSequenceClassification"]},
        SettingError,
        "architectures.*T5ForSequenceClassification.*only models that read and write",
    ),
    "an encoder, said otherwise": (
        {"is_encoder_decoder": False},
        SettingError,
        "is_encoder_decoder",
    ),
    "an activation": (
        {"feed_forward_proj": "gated-laplace"},
        SettingError,
        "feed_forward_proj.*gated-laplace",
    ),
    "a number for a flag": ({"scale_decoder_outputs": 1}, SettingError, "scale_decoder_outputs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_followed_is_named(name: str, tmp_path: Path) -> None:
    settings, error, said = REFUSED[name]
    reference = tiny_reference(T5.reference, T5.settings)
    folder = write_folder(reference, tmp_path / "it", settings=settings)
    with pytest.raises(error, match=said):
        opened(folder)
