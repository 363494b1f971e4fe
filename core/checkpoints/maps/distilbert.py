"""Checkpoints of DistilBERT."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import ConfigTable
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.config import Head
from core.models.architectures.distilbert import distilbert_config

_LAYER = (
    ("attention.q_lin", "attention.query_projection"),
    ("attention.k_lin", "attention.key_projection"),
    ("attention.v_lin", "attention.value_projection"),
    ("attention.out_lin", "attention.output_projection"),
    ("sa_layer_norm", "attention_norm"),
    ("ffn.lin1", "feed_forward.inner_projection"),
    ("ffn.lin2", "feed_forward.output_projection"),
    ("output_layer_norm", "feed_forward_norm"),
)

_KEYS = KeyRules(
    body="distilbert.",
    rules=(
        *encoders.embedding_rules("distilbert.embeddings", with_segments=False),
        Drop("distilbert.embeddings.position_ids"),
        *encoders.layer_rules("distilbert.transformer.layer.{}", _LAYER),
        Rename("vocab_transform", "masked_language.dense"),
        Rename("vocab_layer_norm", "masked_language.norm"),
        Rename("vocab_projector.bias", "masked_language.bias"),
        Alias("vocab_projector.weight", "distilbert.embeddings.word_embeddings.weight"),
    ),
)

DISTILBERT = Family(
    system="distilbert",
    model_type="distilbert",
    table=ConfigTable(
        build=distilbert_config,
        settings=(
            encoders.VOCABULARY,
            *encoders.layer_settings(
                width="dim",
                layers="n_layers",
                heads="n_heads",
                feed_forward="hidden_dim",
                activation=("activation", "gelu"),
                dropout=("dropout", 0.1),
                attention_dropout=("attention_dropout", 0.1),
            ),
            encoders.POSITIONS,
            encoders.DEVIATION,
        ),
        constants={"tie_word_embeddings": True},
        multiples=(("dim", "n_heads"),),
        architectures={"DistilBertForMaskedLM": (Head.MASKED_LANGUAGE,), "DistilBertModel": ()},
    ),
    keys=lambda _settings: _KEYS,
)
