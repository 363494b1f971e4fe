"""GPT: a causal decoder that predicts the next piece.

Sources: Radford et al. 2018, "Improving Language Understanding by Generative Pre-Training"
(GPT-1: post-norm); Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"
(GPT-2: pre-norm with a final norm).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LabelConfig,
    LayerConfig,
    ModelConfig,
    NormPlacement,
    StackConfig,
)
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, Drop, KeyRules, Rename, Rule, Split, Transpose
from core.hugging_face.limits import MAX_LAYERS, MAX_POSITIONS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FIRST_GPTS_ACTIVATION,
    FLAG,
    NUMBER,
    OPTIONAL_COUNT,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
    ValueType,
)
from core.models.decoder import DecoderBody
from core.models.recipe import NEXT_WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def gpt_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int | None = None,
    max_positions: int = 1024,
    activation: Activation = Activation.GELU_TANH,
    norm_epsilon: float = 1e-5,
    embedding_dropout: float = 0.1,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
    initial_deviation: float = 0.02,
    tied: bool = True,
    labels: LabelConfig | None = None,
    score_scale: float | None = None,
    scores_by_layer: bool = False,
    placement: NormPlacement = NormPlacement.PRE,
) -> ModelConfig:
    """A GPT of the given size; the defaults are GPT-2's smallest (2019, section 2.3).

    Args:
        feed_forward: hidden features; ``None`` for four times the width.
        tied: whether words are scored with the token table.
        labels: of a fine-tuned model.
        score_scale: factor on query times key; ``None`` for ``head_size ** -0.5``.
        scores_by_layer: whether scores are also divided by the number of their layer (Mistral's
            GPT-2).
        placement: ``PRE`` for GPT-2, ``POST`` for GPT-1.

    Raises:
        ConfigError: the heads cannot share the width evenly, or a size is out of range.
    """
    attention = AttentionConfig.of_width(width, heads, dropout=attention_dropout)
    return ModelConfig(
        system="gpt" if placement is NormPlacement.PRE else "gpt1",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=embedding_dropout,
            norm=False,
        ),
        decoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=replace(attention, scale=score_scale),
                feed_forward=FeedForwardConfig(feed_forward or 4 * width, activation),
                placement=placement,
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
            scores_by_layer=scores_by_layer,
        ),
        heads=predicts,
        pooler=pooler,
        initial_deviation=initial_deviation,
        tied=tied,
        labels=labels,
    )


# Checkpoints of GPT-2 and GPT-1, with the language head or without.

_LAYER = "decoder.layer"

_SHARED_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("n_embd", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("n_layer", "layers", "decoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("n_head", "heads", f"{_LAYER}.attention.heads", COUNT, limit=MAX_WIDTH),
    Setting("n_positions", "max_positions", "embedding.max_positions", COUNT, limit=MAX_POSITIONS),
    Setting("layer_norm_epsilon", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-5),
    Setting("embd_pdrop", "embedding_dropout", "embedding.dropout", PROBABILITY, 0.1),
    Setting("resid_pdrop", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.1),
    Setting("attn_pdrop", "attention_dropout", f"{_LAYER}.attention.dropout", PROBABILITY, 0.1),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
    Setting("tie_word_embeddings", "tied", "tied", FLAG, True),
)

# Whether scores are divided by the root of the heads' size; our scale is None for that.
_SCALED = ValueType(
    FLAG.wanted,
    lambda value: None if FLAG.read(value) else 1.0,
    lambda scale: scale is None,
)
_OTHER_NAMES = {
    "hidden_size": "n_embd",
    "max_position_embeddings": "n_positions",
    "num_attention_heads": "n_head",
    "num_hidden_layers": "n_layer",
}


def _rules(settings: Json, tokens: str, positions: str) -> tuple[Rule, ...]:
    theirs, ours = "transformer.h.{}", "decoder.layers.{}"
    fused = tuple(f"{ours}.attention.{name}_projection" for name in ("query", "key", "value"))
    return (
        Rename(f"transformer.{tokens}", "embedding.token_table"),
        Rename(f"transformer.{positions}", "embedding.position_table.table"),
        Drop("transformer.position_ids"),
        Drop(f"{theirs}.attn.bias"),  # old files keep the causal mask
        Drop(f"{theirs}.attn.masked_bias"),
        Split(f"{theirs}.attn.c_attn", fused),
        Transpose(f"{theirs}.attn.c_proj", f"{ours}.attention.output_projection"),
        Rename(f"{theirs}.ln_1", f"{ours}.attention_norm"),
        Transpose(f"{theirs}.mlp.c_fc", f"{ours}.feed_forward.inner_projection"),
        Transpose(f"{theirs}.mlp.c_proj", f"{ours}.feed_forward.output_projection"),
        Rename(f"{theirs}.ln_2", f"{ours}.feed_forward_norm"),
        Rename("transformer.ln_f", "decoder.final_norm"),
        *(
            ()
            if settings.get("tie_word_embeddings") is False
            else (Alias("lm_head.weight", f"transformer.{tokens}.weight"),)
        ),
        Rename("lm_head.weight", "language.own.weight"),
        Rename("score", "sequence_classes.output"),
    )


GPT2 = Family(
    system="gpt",
    model_type="gpt2",
    table=ConfigTable(
        build=gpt_config,
        settings=(
            *_SHARED_SETTINGS,
            Setting(
                "n_inner",
                "feed_forward",
                f"{_LAYER}.feed_forward.hidden",
                OPTIONAL_COUNT,
                None,
                MAX_WIDTH,
            ),
            Setting(
                "activation_function",
                "activation",
                f"{_LAYER}.feed_forward.activation",
                ACTIVATION,
                "gelu_new",
            ),
            Setting(
                "scale_attn_weights", "score_scale", f"{_LAYER}.attention.scale", _SCALED, True
            ),
            Setting(
                "scale_attn_by_inverse_layer_idx",
                "scores_by_layer",
                "decoder.scores_by_layer",
                FLAG,
                False,
            ),
        ),
        constants={
            "add_cross_attention": False,
        },
        multiples=(("n_embd", "n_head"),),
        architectures={
            "GPT2LMHeadModel": (Head.LANGUAGE,),
            "GPT2Model": (),
            "GPT2DoubleHeadsModel": (Head.LANGUAGE,),
            "GPT2ForSequenceClassification": (Head.SEQUENCE_CLASSES,),
        },
        defaults={
            "vocab_size": 50_257,
            "n_positions": 1_024,
            "n_embd": 768,
            "n_layer": 12,
            "n_head": 12,
        },
        other_names=_OTHER_NAMES,
    ),
    keys=lambda settings: KeyRules("transformer.", _rules(settings, "wte", "wpe")),
)

GPT1 = Family(
    system="gpt1",
    model_type="openai-gpt",
    table=ConfigTable(
        build=partial(gpt_config, placement=NormPlacement.POST),
        settings=(
            *_SHARED_SETTINGS,
            Setting(
                "afn",
                "activation",
                f"{_LAYER}.feed_forward.activation",
                FIRST_GPTS_ACTIVATION,
                "gelu",
            ),
        ),
        constants={},
        multiples=(("n_embd", "n_head"),),
        architectures={
            "OpenAIGPTLMHeadModel": (Head.LANGUAGE,),
            "OpenAIGPTModel": (),
            "OpenAIGPTDoubleHeadsModel": (Head.LANGUAGE,),
            "OpenAIGPTForSequenceClassification": (Head.SEQUENCE_CLASSES,),
        },
        defaults={
            "vocab_size": 40_478,
            "n_positions": 512,
            "n_embd": 768,
            "n_layer": 12,
            "n_head": 12,
        },
        other_names=_OTHER_NAMES,
    ),
    keys=lambda settings: KeyRules(
        "transformer.", _rules(settings, "tokens_embed", "positions_embed")
    ),
)


def next_words(material: Material) -> SummedObjective[Any, Any]:
    """What a causal model learns: the next piece of packed texts, each ended by its token."""
    from core.objectives.causal_lm import CausalPretraining, pack_documents
    from core.objectives.pieces import end_id

    packed = pack_documents(material.corpus, end_id(material.tokenizer))
    return CausalPretraining(
        packed, material.generator, tokens=material.tokens, length=material.length
    )


SYSTEMS = (
    System(
        "GPT-2",
        2019,
        "Radford et al. 2019, “Language Models are Unsupervised Multitask Learners”",
        DecoderBody,
        GPT2,
        (Recipe("clm", like_bert(gpt_config), next_words, needs=NEXT_WORDS),),
    ),
    System(
        "GPT",
        2018,
        "Radford et al. 2018, “Improving Language Understanding by Generative Pre-Training”",
        DecoderBody,
        GPT1,
    ),
)
