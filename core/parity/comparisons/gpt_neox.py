"""GPT-NeoX against Hugging Face's, with its sublayers side by side and one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from core.config import ModelConfig
from core.parity.compare import PATTERN_TOLERANCE, Batch, ComparedTensor, Comparison, queries

_HEADS = 4


def _run_ours(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.keep)


def _run_theirs(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    return model(input_ids=batch.ids, attention_mask=keep, output_attentions=True)


def _values(projected: Tensor) -> Tensor:
    """The last third of each head, ``[batch, head, token, size]``."""
    return projected.unflatten(-1, (_HEADS, 3, -1))[..., 2, :].transpose(1, 2)


def _is_parallel(config: ModelConfig) -> bool:
    return config.decoder is not None and config.decoder.layer.parallel


def _gpt_neox(name: str, fits: Callable[[ModelConfig], bool], **settings: Any) -> Comparison:
    ours, theirs = "decoder.layers.{}", "gpt_neox.layers.{}"
    return Comparison(
        name=name,
        system="gpt-neox",
        reference="GPTNeoXForCausalLM",
        settings={
            "vocab_size": 101,
            "hidden_size": 64,
            "intermediate_size": 96,
            "num_hidden_layers": 3,
            "num_attention_heads": _HEADS,
            "max_position_embeddings": 512,
            **settings,
        },
        parts=(
            ComparedTensor("embeddings", "embedding.output", "gpt_neox.emb_dropout"),
            ComparedTensor(
                "first values",
                "decoder.layers.0.attention.value",
                "gpt_neox.layers.0.attention.query_key_value",
                selection=queries,
                pick=_values,
            ),
            ComparedTensor(
                "first attention",
                "decoder.layers.0.attention.output",
                "gpt_neox.layers.0.attention.dense",
            ),
            ComparedTensor("first block", "decoder.layers.0.output", "gpt_neox.layers.0"),
            ComparedTensor(
                "every pattern",
                f"{ours}.attention.pattern",
                f"{theirs}.attention",
                selection=queries,
                item=1,
                tolerance=PATTERN_TOLERANCE,
            ),
            ComparedTensor("every block", f"{ours}.output", theirs),
            ComparedTensor("token logits", "language.logits", "lm_head"),
        ),
        run_ours=_run_ours,
        run_theirs=_run_theirs,
        reference_options={"louder": {"final_layer_norm": 1.3}},
        fits=fits,
    )


COMPARISONS = (
    _gpt_neox("gpt-neox", _is_parallel),
    _gpt_neox(
        "gpt-neox-serial",
        lambda config: not _is_parallel(config),
        use_parallel_residual=False,
        attention_bias=False,
        tie_word_embeddings=True,
        rope_parameters={
            "rope_type": "linear",
            "factor": 2.0,
            "rope_theta": 30_000.0,
            "partial_rotary_factor": 0.5,
        },
    ),
)
