"""Checkpoints of BERT, with both heads, one or none."""

from core.checkpoints.family import Family
from core.checkpoints.hf_config import ConfigTable
from core.checkpoints.key_rules import Alias, Drop, KeyRules, Rename
from core.checkpoints.maps import encoders
from core.config import Head
from core.models.architectures.bert import bert_config

_KEYS = KeyRules(
    body="bert.",
    rules=(
        *encoders.embedding_rules("bert.embeddings"),
        Drop("bert.embeddings.position_ids"),
        *encoders.layer_rules("bert.encoder.layer.{}"),
        Rename("bert.pooler.dense", "pooler.dense"),
        Rename("cls.predictions.transform.dense", "masked_language.dense"),
        Rename("cls.predictions.transform.LayerNorm", "masked_language.norm"),
        Rename("cls.predictions.bias", "masked_language.bias"),
        Alias("cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
        Alias("cls.predictions.decoder.bias", "cls.predictions.bias"),
        Rename("cls.seq_relationship", "next_sentence.dense"),
    ),
    old_endings=(
        (".LayerNorm.gamma", ".LayerNorm.weight"),
        (".LayerNorm.beta", ".LayerNorm.bias"),
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
            encoders.segments(2),
            encoders.norm_epsilon(1e-12),
            encoders.DEVIATION,
        ),
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
    keys=lambda _settings: _KEYS,
)
