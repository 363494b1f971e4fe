"""GPT and GPT-2 against Hugging Face's."""

from __future__ import annotations

from typing import Any

from core.parity.compare import PATTERN_TOLERANCE, Batch, ComparedTensor, Comparison, queries


def _run_our_decoder(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.keep)


def _run_their_decoder(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    # GPT-1's attention returns its pattern only when asked.
    return model(input_ids=batch.ids, attention_mask=keep, output_attentions=True)


def _gpt(system: str, reference: str, **louder: float) -> Comparison:
    return Comparison(
        name=system,
        system=system,
        reference=reference,
        settings={
            "vocab_size": 101,
            "n_embd": 48,
            "n_layer": 3,
            "n_head": 4,
            "n_positions": 512,
        },
        parts=(
            ComparedTensor("embeddings", "embedding.output", "transformer.drop"),
            ComparedTensor(
                "first attention",
                "decoder.layers.0.attention.output",
                "transformer.h.0.attn.c_proj",
            ),
            ComparedTensor("first block", "decoder.layers.0.output", "transformer.h.0"),
            ComparedTensor(
                "every pattern",
                "decoder.layers.{}.attention.pattern",
                "transformer.h.{}.attn",
                selection=queries,
                item=1,
                tolerance=PATTERN_TOLERANCE,
            ),
            ComparedTensor("every block", "decoder.layers.{}.output", "transformer.h.{}"),
            ComparedTensor("token logits", "language.logits", "lm_head"),
        ),
        run_ours=_run_our_decoder,
        run_theirs=_run_their_decoder,
        reference_options={"louder": louder},
    )


_GPT2 = _gpt("gpt", "GPT2LMHeadModel")
# No norm stands before its first layer.
_GPT1 = _gpt("gpt1", "OpenAIGPTLMHeadModel", tokens_embed=2.0, positions_embed=5.0)

COMPARISONS = (_GPT2, _GPT1)
