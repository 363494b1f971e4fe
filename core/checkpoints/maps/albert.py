"""Checkpoints of ALBERT, with both heads, one or none."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import COUNT, ConfigTable, Setting
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.checkpoints.sizes import MAX_LAYERS, MAX_WIDTH
from core.config import Head
from core.models.architectures.albert import albert_config

_LAYER = (
    ("attention.query", "attention.query_projection"),
    ("attention.key", "attention.key_projection"),
    ("attention.value", "attention.value_projection"),
    ("attention.dense", "attention.output_projection"),
    ("attention.LayerNorm", "attention_norm"),
    ("ffn", "feed_forward.inner_projection"),
    ("ffn_output", "feed_forward.output_projection"),
    ("full_layer_layer_norm", "feed_forward_norm"),
)

_KEYS = KeyRules(
    body="albert.",
    rules=(
        *encoders.embedding_rules("albert.embeddings"),
        Drop("albert.embeddings.position_ids"),
        Rename("albert.encoder.embedding_hidden_mapping_in", "embedding.projection"),
        *encoders.layer_rules("albert.encoder.albert_layer_groups.{}.albert_layers.0", _LAYER),
        Rename("albert.pooler", "pooler.dense"),
        Rename("predictions.dense", "masked_language.dense"),
        Rename("predictions.LayerNorm", "masked_language.norm"),
        Rename("predictions.bias", "masked_language.bias"),
        Alias("predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"),
        Alias("predictions.decoder.bias", "predictions.bias"),
        Rename("sop_classifier.classifier", "sentence_order.dense"),
    ),
)

ALBERT = Family(
    system="albert",
    model_type="albert",
    table=ConfigTable(
        build=albert_config,
        settings=(
            encoders.VOCABULARY,
            Setting("embedding_size", "embedding_width", "embedding.width", COUNT, 128, MAX_WIDTH),
            *encoders.layer_settings(
                activation=("hidden_act", "gelu_new"),
                dropout=("hidden_dropout_prob", 0.0),
                attention_dropout=("attention_probs_dropout_prob", 0.0),
            ),
            Setting("num_hidden_groups", "groups", "encoder.modules", COUNT, 1, MAX_LAYERS),
            encoders.POSITIONS,
            encoders.segments(2),
            encoders.norm_epsilon(1e-12),
            encoders.DEVIATION,
        ),
        constants={
            "inner_group_num": 1,
            "position_embedding_type": "absolute",
            "tie_word_embeddings": True,
        },
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "AlbertForPreTraining": (Head.MASKED_LANGUAGE, Head.SENTENCE_ORDER),
            "AlbertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "AlbertModel": (),
        },
    ),
    keys=lambda _settings: _KEYS,
)
