"""The systems that are compared: a table entry each."""

from __future__ import annotations

from typing import Any

from core.config import ModelConfig
from core.errors import UnknownSystemError
from core.parity import encoders, two_sides, xlnet
from core.parity.compare import (
    PATTERN_TOLERANCE,
    Batch,
    Comparison,
    Part,
    queries,
)


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
            Part("embeddings", "embedding.output", "transformer.drop"),
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
        reference_options={"louder": louder},
    )


_GPT2 = _gpt("gpt", "GPT2LMHeadModel")
# No norm stands before its first layer.
_GPT1 = _gpt("gpt1", "OpenAIGPTLMHeadModel", tokens_embed=2.0, positions_embed=5.0)

COMPARISONS: dict[str, Comparison] = {
    one.name: one
    for one in (
        encoders.BERT,
        encoders.ROBERTA,
        encoders.ALBERT,
        encoders.DISTILBERT,
        encoders.ELECTRA,
        encoders.GENERATOR,
        encoders.SPANBERT,
        encoders.STRUCTBERT,
        encoders.MTDNN,
        _GPT2,
        _GPT1,
        two_sides.T5,
        two_sides.T5_1_1,
        two_sides.TRANSFORMER,
        xlnet.XLNET,
        xlnet.TWO_STREAMS,
    )
}


def comparison_of(name: str) -> Comparison:
    """The table's entry of a name: that of a system, or of a variant of one.

    Raises:
        UnknownSystemError: it has none.
    """
    if name not in COMPARISONS:
        raise UnknownSystemError(name, tuple(COMPARISONS))
    return COMPARISONS[name]


def comparison_for_texts(config: ModelConfig) -> Comparison | None:
    """What compares a model on a reader's own texts; ``None`` where there is no such class."""
    fitting = (
        one
        for one in (xlnet.ALONE, *COMPARISONS.values())
        if one.system == config.system and one.fits(config)
    )
    return next(fitting, None)
