"""Checkpoints of RoBERTa."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import COUNT, NUMBER_FROM_0, ConfigTable, Setting
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.checkpoints.sizes import MAX_POSITIONS, MAX_VOCABULARY
from core.config import Head
from core.models.architectures.roberta import roberta_config

_KEYS = KeyRules(
    body="roberta.",
    rules=(
        *encoders.embedding_rules("roberta.embeddings"),
        Drop("roberta.embeddings.position_ids"),
        *encoders.layer_rules("roberta.encoder.layer.{}"),
        Rename("roberta.pooler.dense", "pooler.dense"),
        Rename("lm_head.dense", "masked_language.dense"),
        Rename("lm_head.layer_norm", "masked_language.norm"),
        Rename("lm_head.bias", "masked_language.bias"),
        Alias("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight"),
        Alias("lm_head.decoder.bias", "lm_head.bias"),
    ),
)

ROBERTA = Family(
    system="roberta",
    model_type="roberta",
    table=ConfigTable(
        build=roberta_config,
        settings=(
            encoders.VOCABULARY,
            *encoders.layer_settings(),
            Setting(
                "max_position_embeddings",
                "position_rows",
                "embedding.position_rows",
                COUNT,
                limit=MAX_POSITIONS,
            ),
            Setting(
                "pad_token_id",
                "padding_id",
                "embedding.padding_id",
                NUMBER_FROM_0,
                1,
                MAX_VOCABULARY,
            ),
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
        architectures={"RobertaForMaskedLM": (Head.MASKED_LANGUAGE,), "RobertaModel": ()},
    ),
    keys=lambda _settings: _KEYS,
)
