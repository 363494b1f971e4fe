"""Checkpoints of ELECTRA: generators and discriminators."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import COUNT, ConfigTable, Setting
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.checkpoints.sizes import MAX_WIDTH
from core.config import Head
from core.models.architectures.electra import electra_config

_KEYS = KeyRules(
    body="electra.",
    rules=(
        *encoders.embedding_rules("electra.embeddings"),
        Drop("electra.embeddings.position_ids"),
        Rename("electra.embeddings_project", "embedding.projection"),
        *encoders.layer_rules("electra.encoder.layer.{}"),
        Rename("generator_predictions.dense", "masked_language.dense"),
        Rename("generator_predictions.LayerNorm", "masked_language.norm"),
        Rename("generator_lm_head.bias", "masked_language.bias"),
        Alias("generator_lm_head.weight", "electra.embeddings.word_embeddings.weight"),
        Rename("discriminator_predictions.dense", "replaced_token.dense"),
        Rename("discriminator_predictions.dense_prediction", "replaced_token.output"),
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
            encoders.segments(2),
            encoders.norm_epsilon(1e-12),
            encoders.DEVIATION,
        ),
        constants={
            "position_embedding_type": "absolute",
            "tie_word_embeddings": True,
            "is_decoder": False,
            "add_cross_attention": False,
        },
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "ElectraForPreTraining": (Head.REPLACED_TOKEN,),
            "ElectraForMaskedLM": (Head.MASKED_LANGUAGE,),
            "ElectraModel": (),
        },
    ),
    keys=lambda _settings: _KEYS,
)
