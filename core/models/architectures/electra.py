"""ELECTRA: a small generator fills masks, a discriminator says which tokens were replaced.

Source: Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as Discriminators Rather Than
Generators", section 2. Both networks are this one body, each with its own head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from torch import nn

from core.config import Activation, Head, LabelConfig, ModelConfig
from core.errors import ConfigError
from core.hugging_face import encoders
from core.hugging_face.family import Family
from core.hugging_face.keys import KeyRules, Rename
from core.hugging_face.limits import MAX_WIDTH
from core.hugging_face.settings import COUNT, ConfigTable, Json, Setting
from core.models.architectures.bert import bert_config
from core.models.encoder import EncoderBody
from core.models.heads import MaskedLanguageHead, ReplacedTokenHead
from core.models.recipe import Recipe, Sizes
from core.models.system import System
from core.tokenisation import Tokenizer

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.objectives.objective import SummedObjective
    from core.training.material import Material


def electra_config(
    *,
    vocabulary: int,
    embedding_width: int = 128,
    width: int = 256,
    heads: int = 4,
    predicts: tuple[Head, ...] = (Head.REPLACED_TOKEN,),
    pooler: bool = False,
    labels: LabelConfig | None = None,
    **settings: Any,
) -> ModelConfig:
    """An ELECTRA network of the given size; the defaults are ELECTRA-small (table 6).

    Args:
        embedding_width: features of the tables; where it is not the width, a projection follows.
        predicts: ``REPLACED_TOKEN`` for a discriminator, ``MASKED_LANGUAGE`` for a generator.
        labels: of a fine-tuned model, whose head has a layer of its own.
        settings: further arguments of :func:`bert_config`.

    Raises:
        ConfigError: a pooler is asked for, or as in :func:`bert_config`.
    """
    if pooler:
        raise ConfigError("ELECTRA has no pooler")
    config = bert_config(
        vocabulary=vocabulary,
        width=width,
        heads=heads,
        predicts=predicts,
        pooler=False,
        labels=labels and replace(labels, hidden=Activation.GELU),
        **settings,
    )
    tables = replace(
        config.embedding,
        width=embedding_width,
        output_width=None if embedding_width == width else width,
    )
    return replace(config, system="electra", embedding=tables)


class Electra(EncoderBody):
    """The encoder body with the head of the generator or that of the discriminator."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        tables, layer = config.embedding, self.encoder_config.layer
        if Head.MASKED_LANGUAGE in config.heads:
            # The generator's head is always exact GELU, whatever its layers use.
            self.masked_language = MaskedLanguageHead(
                layer.width,
                tables.vocabulary,
                Activation.GELU,
                layer.norm_epsilon,
                tables.width,
                tied=config.tied,
            )
        if Head.REPLACED_TOKEN in config.heads:
            self.replaced_token = ReplacedTokenHead(layer.width, layer.feed_forward.activation)


# Checkpoints of ELECTRA: generators and discriminators.


def _keys(settings: Json) -> KeyRules:
    table = "electra.embeddings.word_embeddings.weight"
    return KeyRules(
        body="electra.",
        rules=(
            *encoders.embedding_rules("electra.embeddings"),
            *encoders.buffer_rules("electra.embeddings"),
            Rename("electra.embeddings_project", "embedding.projection"),
            *encoders.layer_rules("electra.encoder.layer.{}"),
            Rename("generator_predictions.dense", "masked_language.dense"),
            Rename("generator_predictions.LayerNorm", "masked_language.norm"),
            Rename("generator_lm_head.bias", "masked_language.bias"),
            *encoders.output_rules(settings, "generator_lm_head.weight", table),
            Rename("discriminator_predictions.dense", "replaced_token.dense"),
            Rename("discriminator_predictions.dense_prediction", "replaced_token.output"),
            *encoders.label_rules(
                settings,
                "Electra",
                ("classifier.dense", "dense"),
                ("classifier.out_proj", "output"),
            ),
        ),
    )


ELECTRA = Family(
    system="electra",
    model_type="electra",
    table=ConfigTable(
        build=electra_config,
        settings=(
            encoders.VOCABULARY,
            Setting("embedding_size", "embedding_width", "embedding.width", COUNT, 128, MAX_WIDTH),
            *encoders.layer_settings(),
            encoders.POSITIONS,
            encoders.SEGMENTS,
            encoders.NORM_EPSILON,
            encoders.DEVIATION,
            encoders.TIED,
        ),
        constants=encoders.CONSTANTS,
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "ElectraForPreTraining": (Head.REPLACED_TOKEN,),
            "ElectraForMaskedLM": (Head.MASKED_LANGUAGE,),
            "ElectraModel": (),
            **encoders.label_architectures("Electra"),
        },
        defaults={
            **encoders.DEFAULTS,
            "hidden_size": 256,
            "num_attention_heads": 4,
            "intermediate_size": 1_024,
        },
    ),
    keys=_keys,
)


def _fresh(tokenizer: Tokenizer, sizes: Sizes) -> ModelConfig:
    """A discriminator, with tables of 128 features at most."""
    return electra_config(
        vocabulary=tokenizer.vocabulary_size,
        embedding_width=min(128, sizes.width),
        **cast(Any, sizes.named()),
    )


def _task(material: Material) -> SummedObjective[Any, Any]:
    from core.objectives.replaced_tokens import ReplacedTokens

    return ReplacedTokens(
        alone=material.generator_alone,
        highest_temperature=material.generator_temperature,
        **material.hidden_words(None),
    )


def _with_generator(discriminator: Any, share: int, begun: Checkpoint | None) -> nn.Module:
    from core.training.fresh import with_generator

    return with_generator(discriminator, share, begun)


SYSTEMS = (
    System(
        "ELECTRA",
        2020,
        "Clark et al. 2020, “ELECTRA”",
        Electra,
        ELECTRA,
        (
            Recipe(
                "rtd",
                _fresh,
                _task,
                around=_with_generator,
                kept="discriminator",
                needs=((Head.REPLACED_TOKEN, "replaced tokens"),),
            ),
        ),
    ),
)
