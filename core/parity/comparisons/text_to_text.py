"""The comparisons of the models with an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.config import ModelConfig
from core.parity.compare import PATTERN_TOLERANCE, Batch, ComparedTensor, Comparison, queries

_SOURCE_AHEAD = 5  # so that no transposed matrix fits by chance


def _run_ours(model: Any, batch: Batch) -> object:
    assert batch.target is not None
    return model(batch.ids, batch.target.ids, batch.keep, batch.target.keep)


def _run_theirs(model: Any, batch: Batch) -> object:
    assert batch.target is not None
    keep, target_keep = batch.keep, batch.target.keep
    return model(
        input_ids=batch.ids,
        attention_mask=None if keep is None else keep.long(),
        decoder_input_ids=batch.target.ids,
        decoder_attention_mask=None if target_keep is None else target_keep.long(),
        use_cache=False,
    )


def _pattern(name: str, ours: str, theirs: str, item: int) -> ComparedTensor:
    return ComparedTensor(
        name, ours, theirs, selection=queries, item=item, tolerance=PATTERN_TOLERANCE
    )


def _is_gated(config: ModelConfig) -> bool:
    return config.encoder is not None and config.encoder.layer.feed_forward.gated


def _has_bias_in_layers(config: ModelConfig) -> bool:
    return config.encoder is not None and config.encoder.shared_bias is None


def _t5(
    name: str,
    extra: Mapping[str, Any],
    fits: Callable[[ModelConfig], bool] = lambda _config: True,
    *,
    reference: str = "T5ForConditionalGeneration",
    **options: Any,
) -> Comparison:
    return Comparison(
        name=name,
        system="t5",
        reference=reference,
        settings={
            "vocab_size": 101,
            "d_model": 48,
            "d_kv": 16,  # four heads of 16 are wider than the model
            "d_ff": 96,
            "num_layers": 2,
            "num_decoder_layers": 3,
            "num_heads": 4,
            **extra,
        },
        parts=(
            ComparedTensor(
                "first attention",
                "encoder.layers.0.attention.output",
                "encoder.block.0.layer.0.SelfAttention.o",
            ),
            ComparedTensor("first encoder block", "encoder.layers.0.output", "encoder.block.0"),
            _pattern(
                "every encoder pattern",
                "encoder.layers.{}.attention.pattern",
                "encoder.block.{}.layer.0.SelfAttention",
                item=-1,
            ),
            ComparedTensor("every encoder block", "encoder.layers.{}.output", "encoder.block.{}"),
            ComparedTensor("first decoder block", "decoder.layers.0.output", "decoder.block.0"),
            _pattern(
                "every decoder pattern",
                "decoder.layers.{}.attention.pattern",
                "decoder.block.{}.layer.0.SelfAttention",
                item=-1,
            ),
            _pattern(
                "every cross pattern",
                "decoder.layers.{}.cross_attention.pattern",
                "decoder.block.{}.layer.1.EncDecAttention",
                item=-1,
            ),
            ComparedTensor("every decoder block", "decoder.layers.{}.output", "decoder.block.{}"),
            ComparedTensor("token logits", "language.logits", "lm_head"),
        ),
        run_ours=_run_ours,
        run_theirs=_run_theirs,
        source_ahead=_SOURCE_AHEAD,
        reference_options=options,
        fits=fits,
    )


# Logits are scaled down by the root of the width, scores are not scaled at all.
T5 = _t5("t5", {}, lambda config: not _is_gated(config), louder={"shared": 7.0, "Attention.q": 0.4})
# Four heads of 8 are narrower than the model.
_GATED = {"feed_forward_proj": "gated-gelu", "d_kv": 8}
_QUIET: Mapping[str, Any] = {
    "spread": 0.7,
    "tied": False,
}  # a product of two projections grows faster
T5_1_1 = _t5(
    "t5-1.1",
    {**_GATED, "tie_word_embeddings": False},
    lambda config: _is_gated(config) and not _has_bias_in_layers(config),
    louder={"lm_head": 2.0},
    **_QUIET,
)
MT5 = _t5(
    "mt5",
    _GATED,
    lambda _config: False,  # what we make of it is a T5 1.1
    reference="MT5ForConditionalGeneration",
    louder={"lm_head": 2.0},
    **_QUIET,
)
UMT5 = _t5(
    "umt5",
    _GATED,
    _has_bias_in_layers,
    reference="UMT5ForConditionalGeneration",
    louder={"lm_head": 10.0, "relative_attention_bias": 3.0},  # its states are scaled down
    **_QUIET,
)

TRANSFORMER = Comparison(
    name="transformer",
    system="transformer",
    reference="MarianMTModel",
    settings={
        "vocab_size": 101,
        "d_model": 48,
        "encoder_layers": 2,
        "decoder_layers": 3,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 96,
        "decoder_ffn_dim": 96,
        "max_position_embeddings": 600,
        "scale_embedding": True,
        "activation_function": "relu",
        "pad_token_id": 100,
        "decoder_start_token_id": 100,
        "eos_token_id": 0,
        "forced_eos_token_id": 0,
    },
    parts=(
        ComparedTensor(
            "first attention",
            "encoder.layers.0.attention.output",
            "model.encoder.layers.0.self_attn.out_proj",
        ),
        ComparedTensor("first encoder block", "encoder.layers.0.output", "model.encoder.layers.0"),
        _pattern(
            "every encoder pattern",
            "encoder.layers.{}.attention.pattern",
            "model.encoder.layers.{}.self_attn",
            item=1,
        ),
        ComparedTensor(
            "every encoder block", "encoder.layers.{}.output", "model.encoder.layers.{}"
        ),
        ComparedTensor("first decoder block", "decoder.layers.0.output", "model.decoder.layers.0"),
        _pattern(
            "every decoder pattern",
            "decoder.layers.{}.attention.pattern",
            "model.decoder.layers.{}.self_attn",
            item=1,
        ),
        _pattern(
            "every cross pattern",
            "decoder.layers.{}.cross_attention.pattern",
            "model.decoder.layers.{}.encoder_attn",
            item=1,
        ),
        ComparedTensor(
            "every decoder block", "decoder.layers.{}.output", "model.decoder.layers.{}"
        ),
        # Of the whole model: the bias of the words is added behind its matrix.
        ComparedTensor("token logits", "language.logits", "", pick=lambda output: output.logits),
    ),
    run_ours=_run_ours,
    run_theirs=_run_theirs,
    source_ahead=_SOURCE_AHEAD,
)

COMPARISONS = (T5, T5_1_1, MT5, UMT5, TRANSFORMER)
# A file says by its ``model_type`` which of them it is.
FOR_TEXTS = (_t5("t5", {}, reference="AutoModelForSeq2SeqLM"),)
