"""XLNet: predicts the words of a text in a random order, with a query stream for the prediction.

Source: Yang et al. 2019, "XLNet: Generalized Autoregressive Pretraining for Language
Understanding", section 2.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from core.config import (
    Activation,
    AttentionConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    Head,
    LabelConfig,
    LayerConfig,
    ModelConfig,
    Positions,
    StackConfig,
)
from core.errors import ConfigError
from core.hugging_face.encoders import label_rules
from core.hugging_face.family import Family
from core.hugging_face.keys import Alias, HeadsApart, KeyRules, Rename, Reshape
from core.hugging_face.limits import MAX_LAYERS, MAX_VOCABULARY, MAX_WIDTH
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    PROBABILITY,
    ConfigTable,
    Json,
    Setting,
)
from core.models.permutation import PermutationBody
from core.models.recipe import NEXT_WORDS, Recipe, Sizes
from core.models.system import System
from core.tokenisation import Tokenizer

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def xlnet_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int = 3072,
    max_positions: int = 512,
    activation: Activation = Activation.GELU,
    norm_epsilon: float = 1e-12,
    dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.LANGUAGE,),
    pooler: bool = False,
    initial_deviation: float = 0.02,
    tied: bool = True,
    labels: LabelConfig | None = None,
) -> ModelConfig:
    """An XLNet of the given size; the defaults are XLNet-base.

    Args:
        max_positions: longest text that is read at once. Distances need no table, but longer texts
            than those of the training are read badly.
        tied: whether words are scored with the token table.
        labels: of a fine-tuned model, whose head has a layer of its own.

    Raises:
        ConfigError: a pooler is asked for, the heads cannot share the width evenly, or a size is
            out of range.
    """
    if pooler:
        raise ConfigError("XLNet has no pooler")
    return ModelConfig(
        system="xlnet",
        embedding=EmbeddingConfig(
            vocabulary,
            width,
            max_positions,
            segments=0,
            dropout=dropout,
            positions=Positions.NONE,
            norm=False,
        ),
        encoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=dropout),
                feed_forward=FeedForwardConfig(feed_forward, activation, dropout=dropout),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
        ),
        heads=predicts,
        initial_deviation=initial_deviation,
        tied=tied,
        word_bias=True,
        labels=labels and replace(labels, hidden=Activation.TANH),
    )


# Checkpoints of XLNet.

_LAYER = "encoder.layer"

_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("d_model", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("n_layer", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("n_head", "heads", f"{_LAYER}.attention.heads", COUNT, limit=MAX_WIDTH),
    Setting("d_inner", "feed_forward", f"{_LAYER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH),
    Setting("ff_activation", "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, "gelu"),
    Setting("layer_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-12),
    Setting("dropout", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.1),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
    Setting("tie_word_embeddings", "tied", "tied", FLAG, True),
)


# How the head for texts reads; one that reads otherwise is not known here.
_SUMMARY = {"summary_type": "last", "summary_use_proj": True, "summary_activation": "tanh"}


def _keys(settings: Json) -> KeyRules:
    heads = settings.get("n_head", 1)
    theirs, ours = "transformer.layer.{}.rel_attn", "encoder.layers.{}.attention"
    return KeyRules(
        body="transformer.",
        rules=(
            Rename("transformer.word_embedding", "embedding.token_table"),
            Reshape("transformer.mask_emb", "query_start", (1, 1, -1), (-1,)),
            *(
                HeadsApart(f"{theirs}.{one}", f"{ours}.{two}_projection.weight", heads, into=into)
                for one, two, into in (
                    ("q", "query", True),
                    ("k", "key", True),
                    ("v", "value", True),
                    ("r", "score.distance", True),
                    ("o", "output", False),
                )
            ),
            Rename(f"{theirs}.r_w_bias", f"{ours}.score.content_bias"),
            Rename(f"{theirs}.r_r_bias", f"{ours}.score.position_bias"),
            Rename(f"{theirs}.r_s_bias", f"{ours}.score.segment_bias"),
            Rename(f"{theirs}.seg_embed", f"{ours}.score.segment_table"),
            Rename(f"{theirs}.layer_norm", "encoder.layers.{}.attention_norm"),
            *(
                Rename(f"transformer.layer.{{}}.ff.{one}", f"encoder.layers.{{}}.{two}")
                for one, two in (
                    ("layer_1", "feed_forward.inner_projection"),
                    ("layer_2", "feed_forward.output_projection"),
                    ("layer_norm", "feed_forward_norm"),
                )
            ),
            *(
                ()
                if settings.get("tie_word_embeddings") is False
                else (Alias("lm_loss.weight", "transformer.word_embedding.weight"),)
            ),
            Rename("lm_loss.weight", "language.own.weight"),
            # Of multiple choice, too, tensors are called so.
            *(
                label_rules(
                    settings,
                    "XLNet",
                    ("sequence_summary.summary", "dense"),
                    ("logits_proj", "output"),
                )
                if all(settings.get(key, value) == value for key, value in _SUMMARY.items())
                else ()
            ),
            Rename("lm_loss.bias", "language.bias"),
        ),
    )


XLNET = Family(
    system="xlnet",
    model_type="xlnet",
    table=ConfigTable(
        build=xlnet_config,
        settings=_SETTINGS,
        constants={
            "attn_type": "bi",
            "bi_data": False,
            "clamp_len": -1,
            "same_length": False,
            "untie_r": True,
        },
        multiples=(("d_model", "n_head"),),
        architectures={
            "XLNetLMHeadModel": (Head.LANGUAGE,),
            "XLNetModel": (),
            "XLNetForSequenceClassification": (Head.SEQUENCE_CLASSES,),
            "XLNetForTokenClassification": (Head.TOKEN_CLASSES,),
        },
        defaults={
            "vocab_size": 32_000,
            "d_model": 1_024,
            "n_layer": 24,
            "n_head": 16,
            "d_inner": 4_096,
        },
        other_names={
            "n_token": "vocab_size",
            "hidden_size": "d_model",
            "num_attention_heads": "n_head",
            "num_hidden_layers": "n_layer",
        },
    ),
    keys=_keys,
)


# No norm follows the table: with entries of 0.02 the first layer's norm multiplies gradients by 50,
# and models of width 256 diverged at rates that a BERT of that size learns with.
_SPREAD = 1.0


def _fresh(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
    """An XLNet; its checkpoints have no word for its longest text, which is always the same."""
    named = sizes.named()
    del named["max_positions"]
    return xlnet_config(
        vocabulary=tokenizer.vocabulary_size,
        initial_deviation=_SPREAD / math.sqrt(sizes.width),
        **cast(Any, named),
    )


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.layouts import layouts_within
    from core.objectives.permutation_lm import PermutationPretraining
    from core.objectives.pieces import specials_of
    from core.objectives.texts import TextSampler

    layouts = layouts_within(material.length)
    longest = max(layout.length for layout in layouts)
    return PermutationPretraining(
        TextSampler(material.corpus, material.generator, longest=longest),
        specials_of(material.tokenizer),
        tokens=material.tokens,
        layouts=layouts,
    )


SYSTEMS = (
    System(
        "XLNet",
        2019,
        "Yang et al. 2019, “XLNet”",
        PermutationBody,
        XLNET,
        # Compiled by torch 2.11, its gradients on an H200 grew to norms of 10,000 and more within
        # 1,000 steps, and nothing was learnt; as they are they stayed below 1.
        (Recipe("permutation", _fresh, _task, needs=NEXT_WORDS, compiled=False),),
    ),
)
