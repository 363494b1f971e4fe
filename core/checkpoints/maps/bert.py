"""Checkpoints of BERT, with both heads, one or none."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import (
    ACTIVATION,
    COUNT,
    NUMBER,
    PROBABILITY,
    ConfigTable,
    Setting,
)
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename, Rule
from core.checkpoints.sizes import (
    MAX_LAYERS,
    MAX_POSITIONS,
    MAX_SEGMENTS,
    MAX_VOCABULARY,
    MAX_WIDTH,
)
from core.config import Head
from core.models.architectures.bert import bert_config

_LAYER = "encoder.layer"
_ATTENTION = "encoder.layer.attention"

_SETTINGS = (
    Setting("vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY),
    Setting("hidden_size", "width", "embedding.width", COUNT, limit=MAX_WIDTH),
    Setting("num_hidden_layers", "layers", "encoder.depth", COUNT, limit=MAX_LAYERS),
    Setting("num_attention_heads", "heads", f"{_ATTENTION}.heads", COUNT, limit=MAX_WIDTH),
    Setting(
        "intermediate_size",
        "feed_forward",
        f"{_LAYER}.feed_forward.hidden",
        COUNT,
        limit=MAX_WIDTH,
    ),
    Setting(
        "max_position_embeddings",
        "max_positions",
        "embedding.max_positions",
        COUNT,
        limit=MAX_POSITIONS,
    ),
    Setting("type_vocab_size", "segments", "embedding.segments", COUNT, 2, MAX_SEGMENTS),
    Setting("hidden_act", "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, "gelu"),
    Setting("layer_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-12),
    Setting("hidden_dropout_prob", "dropout", f"{_LAYER}.dropout", PROBABILITY, 0.1),
    Setting(
        "attention_probs_dropout_prob",
        "attention_dropout",
        f"{_ATTENTION}.dropout",
        PROBABILITY,
        0.1,
    ),
    Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02),
)

_THEIR_LAYER = "bert.encoder.layer.{}"
_OUR_LAYER = "encoder.layers.{}"

_RULES: tuple[Rule, ...] = (
    Rename("bert.embeddings.word_embeddings", "embedding.token_table"),
    Rename("bert.embeddings.position_embeddings", "embedding.position_table.table"),
    Rename("bert.embeddings.token_type_embeddings", "embedding.segment_table"),
    Rename("bert.embeddings.LayerNorm", "embedding.norm"),
    Drop("bert.embeddings.position_ids"),
    *(
        Rename(f"{_THEIR_LAYER}.{theirs}", f"{_OUR_LAYER}.{ours}")
        for theirs, ours in (
            ("attention.self.query", "attention.query_projection"),
            ("attention.self.key", "attention.key_projection"),
            ("attention.self.value", "attention.value_projection"),
            ("attention.output.dense", "attention.output_projection"),
            ("attention.output.LayerNorm", "attention_norm"),
            ("intermediate.dense", "feed_forward.inner_projection"),
            ("output.dense", "feed_forward.output_projection"),
            ("output.LayerNorm", "feed_forward_norm"),
        )
    ),
    Rename("bert.pooler.dense", "pooler.dense"),
    Rename("cls.predictions.transform.dense", "masked_language.dense"),
    Rename("cls.predictions.transform.LayerNorm", "masked_language.norm"),
    Rename("cls.predictions.bias", "masked_language.bias"),
    Alias("cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
    Alias("cls.predictions.decoder.bias", "cls.predictions.bias"),
    Rename("cls.seq_relationship", "next_sentence.dense"),
)

BERT = Family(
    system="bert",
    model_type="bert",
    table=ConfigTable(
        build=bert_config,
        settings=_SETTINGS,
        constants={
            "position_embedding_type": "absolute",
            "tie_word_embeddings": True,
            "is_decoder": False,
            "add_cross_attention": False,
            "pruned_heads": {},
        },
        multiples=(("hidden_size", "num_attention_heads"),),
        architectures={
            "BertForPreTraining": (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE),
            "BertForMaskedLM": (Head.MASKED_LANGUAGE,),
            "BertForNextSentencePrediction": (Head.NEXT_SENTENCE,),
            "BertModel": (),
        },
    ),
    keys=KeyRules(
        body="bert.",
        rules=_RULES,
        old_endings=(
            (".LayerNorm.gamma", ".LayerNorm.weight"),
            (".LayerNorm.beta", ".LayerNorm.bias"),
        ),
    ),
)
