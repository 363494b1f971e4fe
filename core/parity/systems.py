"""The systems that are compared: a table entry each."""

from __future__ import annotations

from typing import Any

from core.errors import UnknownSystemError
from core.parity.compare import (
    PATTERN_TOLERANCE,
    Batch,
    Comparison,
    Part,
    first_token,
    queries,
)


def _run_ours(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.segments, batch.keep)


def _run_theirs(model: Any, batch: Batch) -> object:
    return model(
        input_ids=batch.ids,
        token_type_ids=batch.segments,
        attention_mask=None if batch.keep is None else batch.keep.long(),
    )


_BERT = Comparison(
    system="bert",
    reference="BertForPreTraining",
    settings={
        "vocab_size": 101,
        "hidden_size": 48,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 96,
        "max_position_embeddings": 512,
    },
    parts=(
        Part("embeddings", "embedding.output", "bert.embeddings"),
        Part(
            "first attention",
            "encoder.layers.0.attention.output",
            "bert.encoder.layer.0.attention.output.dense",
        ),
        Part("first block", "encoder.layers.0.output", "bert.encoder.layer.0"),
        Part(
            "every pattern",
            "encoder.layers.{}.attention.pattern",
            "bert.encoder.layer.{}.attention.self",
            selection=queries,
            item=1,
            tolerance=PATTERN_TOLERANCE,
        ),
        Part("every block", "encoder.layers.{}.output", "bert.encoder.layer.{}"),
        Part("pooler", "pooler.output", "bert.pooler", selection=first_token),
        Part("token logits", "masked_language.logits", "cls.predictions"),
        Part(
            "pair logits",
            "next_sentence.logits",
            "cls.seq_relationship",
            selection=first_token,
        ),
    ),
    run_ours=_run_ours,
    run_theirs=_run_theirs,
)


def _run_our_decoder(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.keep)


def _run_their_decoder(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    # GPT-1's attention returns its pattern only when asked.
    return model(input_ids=batch.ids, attention_mask=keep, output_attentions=True)


def _gpt(system: str, reference: str, embeddings: str) -> Comparison:
    return Comparison(
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
            Part("embeddings", "embedding.output", embeddings),
            Part(
                "first attention",
                "decoder.layers.0.attention.output",
                "transformer.h.0.attn.c_proj",
            ),
            Part("first block", "decoder.layers.0.output", "transformer.h.0"),
            Part(
                "every pattern",
                "decoder.layers.{}.attention.pattern",
                "transformer.h.{}.attn",
                selection=queries,
                item=1,
                tolerance=PATTERN_TOLERANCE,
            ),
            Part("every block", "decoder.layers.{}.output", "transformer.h.{}"),
            Part("token logits", "language.logits", "lm_head"),
        ),
        run_ours=_run_our_decoder,
        run_theirs=_run_their_decoder,
    )


_GPT2 = _gpt("gpt", "GPT2LMHeadModel", "transformer.drop")
_GPT1 = _gpt("gpt1", "OpenAIGPTLMHeadModel", "transformer.drop")

COMPARISONS: dict[str, Comparison] = {one.system: one for one in (_BERT, _GPT2, _GPT1)}


def comparison_of(system: str) -> Comparison:
    """The table's entry of a system.

    Raises:
        UnknownSystemError: it has none.
    """
    if system not in COMPARISONS:
        raise UnknownSystemError(system, tuple(COMPARISONS))
    return COMPARISONS[system]
