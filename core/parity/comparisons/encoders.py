"""The comparisons of the BERT family."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.config import Head, ModelConfig
from core.hugging_face.family import SYSTEM_KEY
from core.models.task_heads import Encoded
from core.parity.compare import (
    PATTERN_TOLERANCE,
    Batch,
    ComparedTensor,
    Comparison,
    first_token,
    queries,
)

_SIZES = {
    "vocab_size": 101,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "max_position_embeddings": 512,
}


def _run_ours(model: Any, batch: Batch) -> object:
    return model(batch.ids, batch.segments, batch.keep)


def _run_theirs(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    return model(input_ids=batch.ids, token_type_ids=batch.segments, attention_mask=keep)


# One segment type, or none: the batch's are left out.
def _run_ours_without_segments(model: Any, batch: Batch) -> object:
    return model(batch.ids, None, batch.keep)


def _run_theirs_without_segments(model: Any, batch: Batch) -> object:
    keep = None if batch.keep is None else batch.keep.long()
    return model(input_ids=batch.ids, attention_mask=keep)


def _body(
    embeddings: str,
    layer: str,
    *,
    attention: str = "attention.self",
    output: str = "attention.output.dense",
) -> tuple[ComparedTensor, ...]:
    """The parts of an encoder; ``layer`` has a place for a number."""
    first = layer.format(0)
    return (
        ComparedTensor("embeddings", "embedding.output", embeddings),
        ComparedTensor("first attention", "encoder.layers.0.attention.output", f"{first}.{output}"),
        ComparedTensor("first block", "encoder.layers.0.output", first),
        ComparedTensor(
            "every pattern",
            "encoder.layers.{}.attention.pattern",
            f"{layer}.{attention}",
            selection=queries,
            item=1,
            tolerance=PATTERN_TOLERANCE,
        ),
        ComparedTensor("every block", "encoder.layers.{}.output", layer),
    )


def _comparison(
    name: str,
    reference: str,
    parts: tuple[ComparedTensor, ...],
    *,
    settings: Mapping[str, Any] = _SIZES,
    segments: bool = True,
    system: str = "",
    fits: Callable[[ModelConfig], bool] = lambda _config: True,
    louder: Mapping[str, float] | None = None,
) -> Comparison:
    return Comparison(
        name=name,
        system=system or name,
        reference=reference,
        settings=settings,
        parts=parts,
        run_ours=_run_ours if segments else _run_ours_without_segments,
        run_theirs=_run_theirs if segments else _run_theirs_without_segments,
        reference_options={"louder": louder},
        fits=fits,
    )


def _has_projection(model: Any) -> bool:
    return model.embedding.projection is not None


BERT = _comparison(
    "bert",
    "BertForPreTraining",
    (
        *_body("bert.embeddings", "bert.encoder.layer.{}"),
        ComparedTensor("pooler", "pooler.output", "bert.pooler", selection=first_token),
        ComparedTensor("token logits", "masked_language.logits", "cls.predictions"),
        ComparedTensor(
            "pair logits", "next_sentence.logits", "cls.seq_relationship", selection=first_token
        ),
    ),
)


def _roberta(name: str, reference: str, table: str) -> Comparison:
    """With the name of the token table, which the classes list under one of its two."""
    return _comparison(
        name,
        reference,
        (
            *_body("roberta.embeddings", "roberta.encoder.layer.{}"),
            ComparedTensor("token logits", "masked_language.logits", "lm_head"),
        ),
        settings={**_SIZES, "max_position_embeddings": 514, "type_vocab_size": 1},
        system="roberta",
        segments=False,
        fits=lambda _config: name == "roberta",  # what we make of the others is one
        louder={
            "layer.2.attention.self.query": 1.4,
            "lm_head.dense": 1.4,
            table: 1.2,
        },
    )


ROBERTA = _roberta("roberta", "RobertaForMaskedLM", "word_embeddings")
XLM_ROBERTA = _roberta("xlm-roberta", "XLMRobertaForMaskedLM", "decoder.weight")
CAMEMBERT = _roberta("camembert", "CamembertForMaskedLM", "decoder.weight")

DISTILBERT = _comparison(
    "distilbert",
    "DistilBertForMaskedLM",
    (
        *_body(
            "distilbert.embeddings",
            "distilbert.transformer.layer.{}",
            attention="attention",
            output="attention.out_lin",
        ),
        ComparedTensor("token logits", "masked_language.logits", "vocab_projector"),
    ),
    settings={
        "vocab_size": 101,
        "dim": 48,
        "n_layers": 3,
        "n_heads": 4,
        "hidden_dim": 96,
        "max_position_embeddings": 512,
    },
    segments=False,
)

# Four layers in three groups: layers 0 and 1 share one, which no whole quotient would give.
ALBERT = _comparison(
    "albert",
    "AlbertForPreTraining",
    (
        ComparedTensor("embeddings", "embedding.output", "albert.embeddings"),
        ComparedTensor(
            "projection",
            "embedding.projected",
            "albert.encoder.embedding_hidden_mapping_in",
            only_if=_has_projection,
        ),
        *_body(
            "albert.embeddings",
            "albert.encoder.albert_layer_groups.{}.albert_layers.0",
            attention="attention",
            output="attention.dense",
        )[1:],
        ComparedTensor(
            "pooler", "pooler.output", "albert.pooler_activation", selection=first_token
        ),
        ComparedTensor("token logits", "masked_language.logits", "predictions"),
        ComparedTensor(
            "order logits", "sentence_order.logits", "sop_classifier", selection=first_token
        ),
    ),
    settings={**_SIZES, "embedding_size": 24, "num_hidden_groups": 3, "num_hidden_layers": 4},
    louder={"groups.2.albert_layers.0.attention.query": 1.3, "sop_classifier": 8.0},
)

_ELECTRA_BODY = (
    ComparedTensor("embeddings", "embedding.output", "electra.embeddings"),
    ComparedTensor(
        "projection",
        "embedding.projected",
        "electra.embeddings_project",
        only_if=_has_projection,
    ),
    *_body("electra.embeddings", "electra.encoder.layer.{}")[1:],
)

ELECTRA = _comparison(
    "electra",
    "ElectraForPreTraining",
    (
        *_ELECTRA_BODY,
        ComparedTensor("replaced logits", "replaced_token.logits", "discriminator_predictions"),
    ),
    settings={**_SIZES, "embedding_size": 24},
    fits=lambda config: Head.REPLACED_TOKEN in config.heads,
    louder={"layer.2.attention.self.query": 1.4, "dense_prediction": 3.0},
)

GENERATOR = _comparison(
    "electra-generator",
    "ElectraForMaskedLM",
    (
        *_ELECTRA_BODY,
        ComparedTensor("token logits", "masked_language.logits", "generator_lm_head"),
    ),
    settings={**_SIZES, "embedding_size": 24, "hidden_act": "relu"},
    system="electra",
    fits=lambda config: Head.MASKED_LANGUAGE in config.heads,
    louder={"layer.2.attention.self.query": 1.4},
)


def _bert_body(system: str) -> Comparison:
    """A system that is a BERT with something beside it, which transformers does not know."""
    return _comparison(
        system,
        "BertForMaskedLM",
        (
            *_body("bert.embeddings", "bert.encoder.layer.{}"),
            ComparedTensor("token logits", "masked_language.logits", "cls.predictions"),
        ),
        settings={**_SIZES, SYSTEM_KEY: system},
    )


SPANBERT, STRUCTBERT = _bert_body("spanbert"), _bert_body("structbert")


def _run_shared_encoder(model: Any, batch: Batch) -> object:
    hidden = model.encode(batch.ids, batch.segments, batch.keep)
    return Encoded(hidden, model.pooler(hidden))


MTDNN = Comparison(
    name="mtdnn",
    system="mtdnn",
    reference="BertModel",
    settings={**_SIZES, SYSTEM_KEY: "mtdnn", "headlight_tasks": []},
    parts=(
        *_body("embeddings", "encoder.layer.{}"),
        ComparedTensor("summary", "pooler.output", "pooler", selection=first_token),
    ),
    run_ours=_run_shared_encoder,
    run_theirs=_run_theirs,
)

COMPARISONS = (
    BERT,
    ROBERTA,
    XLM_ROBERTA,
    CAMEMBERT,
    ALBERT,
    DISTILBERT,
    ELECTRA,
    GENERATOR,
    SPANBERT,
    STRUCTBERT,
    MTDNN,
)
