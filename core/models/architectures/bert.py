"""BERT: a post-norm encoder that predicts hidden words and whether two sentences follow.

Devlin, Chang, Lee and Toutanova 2019, "BERT: Pre-training of Deep Bidirectional Transformers for
Language Understanding".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
    StackConfig,
)
from core.hugging_face import encoders
from core.hugging_face.family import Family
from core.hugging_face.keys import KeyRules, Rename
from core.hugging_face.settings import ConfigTable, Json, Setting
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, Pooler, SequenceHead
from core.models.recipe import WORDS, Recipe, like_bert
from core.models.system import System

if TYPE_CHECKING:
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def bert_config(
    *,
    vocabulary: int,
    layers: int = 12,
    heads: int = 12,
    width: int = 768,
    feed_forward: int | None = None,
    max_positions: int = 512,
    segments: int = 2,
    activation: Activation = Activation.GELU,
    norm_epsilon: float = 1e-12,
    dropout: float = 0.1,
    attention_dropout: float = 0.1,
    predicts: tuple[Head, ...] = (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
    pooler: bool = True,
    initial_deviation: float = 0.02,
    tied: bool = True,
    labels: LabelConfig | None = None,
) -> ModelConfig:
    """A BERT of the given size; the defaults are BERT-base (section 3, "Model Architecture").

    Args:
        feed_forward: hidden features; ``None`` for four times the width.
        predicts: which heads to build.
        pooler: whether to build the pooler; the next-sentence head needs it.
        tied: whether masked words are scored with the token table.
        labels: of a fine-tuned model.

    Raises:
        ConfigError: the heads cannot share the width evenly, or a size is out of range.
    """
    return ModelConfig(
        system="bert",
        embedding=EmbeddingConfig(
            vocabulary, width, max_positions, segments, norm_epsilon, dropout
        ),
        encoder=StackConfig.of_depth(
            LayerConfig(
                width=width,
                attention=AttentionConfig.of_width(width, heads, dropout=attention_dropout),
                feed_forward=FeedForwardConfig(feed_forward or 4 * width, activation),
                norm_epsilon=norm_epsilon,
                dropout=dropout,
            ),
            layers,
        ),
        heads=predicts,
        pooler=pooler,
        initial_deviation=initial_deviation,
        tied=tied,
        labels=labels,
    )


class Bert(EncoderBody):
    """The encoder body with a pooler and BERT's two heads, each if the configuration has it."""

    pair_head = "next_sentence"
    judged = "next sentences"

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables = config.embedding
        self.pooler = Pooler(tables.width) if config.pooler else None
        if Head.MASKED_LANGUAGE in config.heads:
            self.masked_language = MaskedLanguageHead(
                tables.width,
                tables.vocabulary,
                self.encoder_config.layer.feed_forward.activation,
                tables.norm_epsilon,
                tied=config.tied,
            )
        self.next_sentence = (
            SequenceHead(tables.width, 2) if Head.NEXT_SENTENCE in config.heads else None
        )


# Checkpoints of BERT, with both heads, one or none.


def _keys(settings: Json) -> KeyRules:
    table = "bert.embeddings.word_embeddings.weight"
    return KeyRules(
        body="bert.",
        rules=(
            *encoders.embedding_rules("bert.embeddings"),
            *encoders.buffer_rules("bert.embeddings"),
            *encoders.layer_rules("bert.encoder.layer.{}"),
            Rename("bert.pooler.dense", "pooler.dense"),
            Rename("cls.predictions.transform.dense", "masked_language.dense"),
            Rename("cls.predictions.transform.LayerNorm", "masked_language.norm"),
            *encoders.bias_rules("cls.predictions.bias", "cls.predictions.decoder.bias"),
            *encoders.output_rules(settings, "cls.predictions.decoder.weight", table),
            Rename("cls.seq_relationship", "next_sentence.dense"),
            *encoders.label_rules(settings, "Bert", ("classifier", "output")),
        ),
    )


BERT = Family(
    system="bert",
    model_type="bert",
    table=ConfigTable(
        build=bert_config,
        settings=(
            encoders.VOCABULARY,
            *encoders.layer_settings(),
            encoders.POSITIONS,
            encoders.SEGMENTS,
            encoders.NORM_EPSILON,
            encoders.DEVIATION,
            encoders.TIED,
        ),
        constants={**encoders.CONSTANTS, "pruned_heads": {}},
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "BertForPreTraining": (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
            "BertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "BertForNextSentencePrediction": (Head.NEXT_SENTENCE,),
            "BertModel": (),
            **encoders.label_architectures("Bert"),
        },
        defaults=encoders.DEFAULTS,
    ),
    keys=_keys,
)


def beside_bert(
    system: str,
    build: Callable[..., ModelConfig],
    *,
    extra_heads: tuple[Head, ...] = (),
    settings: tuple[Setting, ...] = (),
    rules: tuple[Rename, ...] = (),
) -> Family:
    """Checkpoints of a system that is a BERT with something of its own beside it.

    Their ``config.json`` says ``bert``, so that transformers opens the body like any other, and
    names the system under a key that it does not look at. It passes over tensors it does not know.

    Args:
        system: its name.
        build: its configuration.
        extra_heads: that no class of transformers promises.
        settings: beside BERT's.
        rules: likewise.
    """

    def keys(settings: Json) -> KeyRules:
        plain = BERT.keys(settings)
        return KeyRules(plain.body, (*plain.rules, *rules), plain.old_endings)

    table = replace(
        BERT.table,
        build=build,
        settings=(*BERT.table.settings, *settings),
        extra_heads=extra_heads,
    )
    return Family(system, BERT.model_type, table, keys, marked=True)


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.bert_pretraining import BertPretraining
    from core.objectives.relations import Relation

    return BertPretraining(**material.hidden_words(Relation.NEXT))


SYSTEMS = (
    System(
        "BERT",
        2019,
        "Devlin et al. 2019, “BERT”",
        Bert,
        BERT,
        (
            Recipe(
                "mlm",
                like_bert(bert_config),
                _task,
                needs=(WORDS, (Head.NEXT_SENTENCE, "next sentences")),
                segments=2,
            ),
        ),
    ),
)
