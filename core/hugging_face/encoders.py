"""What the checkpoints of the BERT family have in common."""

from collections.abc import Mapping
from typing import Any

from core.config import Head
from core.hugging_face.keys import Alias, Drop, Rename, Rule
from core.hugging_face.limits import (
    MAX_LAYERS,
    MAX_POSITIONS,
    MAX_SEGMENTS,
    MAX_VOCABULARY,
    MAX_WIDTH,
)
from core.hugging_face.settings import (
    ACTIVATION,
    COUNT,
    FLAG,
    NUMBER,
    PROBABILITY,
    Json,
    Setting,
)

_LAYER = "encoder.layer"
_ATTENTION = "encoder.layer.attention"

VOCABULARY = Setting(
    "vocab_size", "vocabulary", "embedding.vocabulary", COUNT, limit=MAX_VOCABULARY
)
POSITIONS = Setting(
    "max_position_embeddings",
    "max_positions",
    "embedding.max_positions",
    COUNT,
    limit=MAX_POSITIONS,
)
SEGMENTS = Setting("type_vocab_size", "segments", "embedding.segments", COUNT, 2, MAX_SEGMENTS)
NORM_EPSILON = Setting("layer_norm_eps", "norm_epsilon", f"{_LAYER}.norm_epsilon", NUMBER, 1e-12)
DEVIATION = Setting("initializer_range", "initial_deviation", "initial_deviation", NUMBER, 0.02)
TIED = Setting("tie_word_embeddings", "tied", "tied", FLAG, True)

CONSTANTS: Mapping[str, Any] = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}
"""What a file must say if it says anything: one stack, which is bidirectional."""

DEFAULTS: Mapping[str, Any] = {
    "vocab_size": 30_522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3_072,
    "max_position_embeddings": 512,
}
"""The sizes that transformers takes where a file is silent."""


def layer_settings(
    *,
    width: str = "hidden_size",
    layers: str | None = "num_hidden_layers",
    heads: str = "num_attention_heads",
    feed_forward: str = "intermediate_size",
    activation: tuple[str, str] = ("hidden_act", "gelu"),
    dropout: tuple[str, float] = ("hidden_dropout_prob", 0.1),
    attention_dropout: tuple[str, float] = ("attention_probs_dropout_prob", 0.1),
) -> tuple[Setting, ...]:
    """The sizes of the layers, under a family's names, some of them with their default.

    Without a name for ``layers``, the family has settings of its own for the depth.
    """
    act, act_default = activation
    drop, drop_default = dropout
    attention_drop, attention_default = attention_dropout
    depth = () if layers is None else (_depth(layers),)
    return (
        Setting(width, "width", f"{_LAYER}.width", COUNT, limit=MAX_WIDTH),
        *depth,
        Setting(heads, "heads", f"{_ATTENTION}.heads", COUNT, limit=MAX_WIDTH),
        Setting(
            feed_forward, "feed_forward", f"{_LAYER}.feed_forward.hidden", COUNT, limit=MAX_WIDTH
        ),
        Setting(act, "activation", f"{_LAYER}.feed_forward.activation", ACTIVATION, act_default),
        Setting(drop, "dropout", f"{_LAYER}.dropout", PROBABILITY, drop_default),
        Setting(
            attention_drop,
            "attention_dropout",
            f"{_ATTENTION}.dropout",
            PROBABILITY,
            attention_default,
        ),
    )


def _depth(name: str) -> Setting:
    return Setting(name, "layers", "encoder.depth", COUNT, limit=MAX_LAYERS)


def embedding_rules(theirs: str, *, with_segments: bool = True) -> tuple[Rename, ...]:
    """Tables and norm below a module of theirs."""
    names = [
        ("word_embeddings", "token_table"),
        ("position_embeddings", "position_table.table"),
        ("LayerNorm", "norm"),
    ]
    if with_segments:
        names.append(("token_type_embeddings", "segment_table"))
    return tuple(Rename(f"{theirs}.{one}", f"embedding.{two}") for one, two in names)


def buffer_rules(theirs: str) -> tuple[Drop, ...]:
    """What old files keep of a module of embeddings and is no weight."""
    return tuple(Drop(f"{theirs}.{name}") for name in ("position_ids", "token_type_ids"))


def output_rules(settings: Json, weight: str, table: str) -> tuple[Rule, ...]:
    """The output matrix of masked words: the token table under its second name, or its own."""
    tied = () if settings.get(TIED.theirs) is False else (Alias(weight, table),)
    return (*tied, Rename(weight, "masked_language.own.weight"))


def bias_rules(bias: str, decoder: str) -> tuple[Rule, ...]:
    """The bias of masked words, under either of its names: the decoder's is the one in use."""
    return (
        Rename(bias, "masked_language.bias"),
        Alias(decoder, bias, wins=True),
        Rename(decoder, "masked_language.bias"),
    )


def label_architectures(name: str) -> Mapping[str, tuple[Head, ...]]:
    """The classes of fine-tuned models of a family: ``BertForTokenClassification`` and so on."""
    return {
        f"{name}ForSequenceClassification": (Head.SEQUENCE_CLASSES,),
        f"{name}ForTokenClassification": (Head.TOKEN_CLASSES,),
        f"{name}ForQuestionAnswering": (Head.ANSWER_SPAN,),
        f"{name}ForMultipleChoice": (),
    }


def label_rules(settings: Json, name: str, *sequence: tuple[str, str]) -> tuple[Rename, ...]:
    """The head of the class in ``architectures``: several classes give their tensors one name.

    Args:
        settings: of the file.
        name: of the family, as its classes begin.
        sequence: names of the layers of the head for texts, theirs and ours.
    """
    rules = {
        "SequenceClassification": [
            Rename(one, f"{Head.SEQUENCE_CLASSES.value}.{two}") for one, two in sequence
        ],
        "TokenClassification": [Rename("classifier", f"{Head.TOKEN_CLASSES.value}.dense")],
        "QuestionAnswering": [Rename("qa_outputs", f"{Head.ANSWER_SPAN.value}.dense")],
    }
    named = settings.get("architectures")
    classes = named if isinstance(named, list) else []
    return next((tuple(rules[one]) for one in rules if f"{name}For{one}" in classes), ())


BERT_LAYER = (
    ("attention.self.query", "attention.query_projection"),
    ("attention.self.key", "attention.key_projection"),
    ("attention.self.value", "attention.value_projection"),
    ("attention.output.dense", "attention.output_projection"),
    ("attention.output.LayerNorm", "attention_norm"),
    ("intermediate.dense", "feed_forward.inner_projection"),
    ("output.dense", "feed_forward.output_projection"),
    ("output.LayerNorm", "feed_forward_norm"),
)


def layer_rules(theirs: str, names: tuple[tuple[str, str], ...] = BERT_LAYER) -> tuple[Rename, ...]:
    """The parts of every layer; ``theirs`` has a place for its number."""
    return tuple(Rename(f"{theirs}.{one}", f"encoder.layers.{{}}.{two}") for one, two in names)
