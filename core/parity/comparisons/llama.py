"""Llama, Mistral, Qwen 2 and Qwen 3 against Hugging Face's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from core.config import ModelConfig
from core.parity.compare import PATTERN_TOLERANCE, Batch, ComparedTensor, Comparison, queries

_SIZES = {
    "vocab_size": 101,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 12,  # six of them are wider than the model
    "max_position_embeddings": 512,
}


def _run_ours(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.keep)


def _run_theirs(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    return model(input_ids=batch.ids, attention_mask=keep, output_attentions=True)


def _by_group(projected: Tensor) -> Tensor:
    """``[batch, token, group * size]`` to ``[batch, group, token, size]``."""
    return projected.unflatten(-1, (_SIZES["num_key_value_heads"], -1)).transpose(1, 2)


def _llama(
    name: str,
    reference: str,
    *,
    system: str | None = None,
    fits: Callable[[ModelConfig], bool] = lambda _config: True,
    **settings: Any,
) -> Comparison:
    ours, theirs = "decoder.layers.{}", "model.layers.{}"
    return Comparison(
        name=name,
        system=system or name,
        reference=reference,
        settings={**_SIZES, **settings},
        parts=(
            ComparedTensor("embeddings", "embedding.output", "model.embed_tokens"),
            ComparedTensor(
                "first values",
                "decoder.layers.0.attention.value",
                "model.layers.0.self_attn.v_proj",
                selection=queries,
                pick=_by_group,
            ),
            ComparedTensor(
                "first attention",
                "decoder.layers.0.attention.output",
                "model.layers.0.self_attn.o_proj",
            ),
            ComparedTensor("first block", "decoder.layers.0.output", "model.layers.0"),
            ComparedTensor(
                "every pattern",
                f"{ours}.attention.pattern",
                f"{theirs}.self_attn",
                selection=queries,
                item=1,
                tolerance=PATTERN_TOLERANCE,
            ),
            ComparedTensor("every block", f"{ours}.output", theirs),
            ComparedTensor("token logits", "language.logits", "lm_head"),
        ),
        run_ours=_run_ours,
        run_theirs=_run_theirs,
        # Products of two projections have long tails, whose rounding would be all that shows.
        reference_options={"spread": 0.92, "louder": {"model.norm": 1.25, "down_proj": 0.6}},
        fits=fits,
    )


def _is_scaled(config: ModelConfig) -> bool:
    rotary = config.decoder and config.decoder.rotary
    return bool(rotary and rotary.scaling)


COMPARISONS = (
    _llama("llama", "LlamaForCausalLM", fits=lambda config: not _is_scaled(config)),
    _llama(
        "llama-3",
        "LlamaForCausalLM",
        system="llama",
        fits=_is_scaled,
        tie_word_embeddings=True,
        rope_parameters={
            "rope_type": "llama3",
            "rope_theta": 500_000.0,
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    ),
    _llama("mistral", "MistralForCausalLM", sliding_window=24),
    # Qwen 2 has no size of its own for a head.
    _llama("qwen2", "Qwen2ForCausalLM", head_dim=8),
    _llama("qwen3", "Qwen3ForCausalLM"),
)
