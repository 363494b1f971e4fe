"""Checkpoints as people bring them, opened here and by transformers: the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints import Checkpoint, CheckpointError, LoadPolicy, load_checkpoint
from core.hugging_face.errors import MissingKeyError, SettingError, ShapeMismatchError
from core.tasks.fine_tuned import answer_question, classify_text, tag_tokens
from core.tasks.forward import encode, forward, inputs_of
from core.tokenisation import Tokenizer

pytestmark = pytest.mark.parity

TEXT = "the cat sat on the mat"
WIDTH, ROWS = 16, 320
BERT_SIZES = {
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
}
SIZES: dict[str, dict[str, Any]] = {
    "Bert": BERT_SIZES,
    "Roberta": {**BERT_SIZES, "type_vocab_size": 1},
    "Albert": {**BERT_SIZES, "embedding_size": 8},
    "Electra": {**BERT_SIZES, "embedding_size": 8},
    "DistilBert": {
        "dim": WIDTH,
        "n_layers": 2,
        "n_heads": 2,
        "hidden_dim": 24,
        "max_position_embeddings": 40,
    },
    "GPT2": {"n_embd": WIDTH, "n_layer": 3, "n_head": 2, "n_positions": 40, "pad_token_id": 0},
    "OpenAIGPT": {
        "n_embd": WIDTH,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": 40,
        "pad_token_id": 0,
    },
    "XLNet": {"d_model": WIDTH, "n_layer": 2, "n_head": 2, "d_inner": 24},
}
Tensors = dict[str, Tensor]


@dataclass(frozen=True)
class Case:
    """A checkpoint.

    Attributes:
        name: of the test.
        made: class of transformers that writes it.
        config: its settings, beside the sizes.
        settings: changes to ``config.json``; ``...`` removes a key.
        tensors: from the tensors in the file to those that it shall have.
        heads: that are found.
        unused: tensors that are not read.
        opened: class of transformers that opens it; ``None`` for the one that wrote it.
    """

    name: str
    made: str
    config: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    tensors: Callable[[Tensors], Tensors] = lambda tensors: tensors
    heads: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    opened: str | None = None

    @property
    def family(self) -> str:
        return next(name for name in sorted(SIZES, key=len) if self.made.startswith(name))


def also(**more: Tensor) -> Callable[[Tensors], Tensors]:
    return lambda tensors: {**tensors, **{key.replace("__", "."): one for key, one in more.items()}}


def renamed(*names: tuple[str, str]) -> Callable[[Tensors], Tensors]:
    def change(tensors: Tensors) -> Tensors:
        table = dict(names)
        return {table.get(key, key): one for key, one in tensors.items()}

    return change


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)))


TABLE, DECODER = "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"
WORDS = ("masked_language",)
LABELS = {"num_labels": 3}
CLASSES, TAGS, SPAN = ("sequence_classes",), ("token_classes",), ("answer_span",)

CASES = (
    *(
        Case(f"{family}: {task}", f"{family}For{task}", {"num_labels": labels}, heads=heads)
        for family in ("Bert", "Roberta", "Albert", "Electra", "DistilBert")
        for task, labels, heads in (
            ("SequenceClassification", 3, CLASSES),
            ("TokenClassification", 5, TAGS),
            ("QuestionAnswering", 2, SPAN),
        )
    ),
    Case("GPT-2: classes", "GPT2ForSequenceClassification", LABELS, heads=CLASSES),
    Case(
        "XLNet: classes of another summary",
        "XLNetForSequenceClassification",
        {"summary_type": "mean"},
        unused=(
            "sequence_summary.summary.weight",
            "sequence_summary.summary.bias",
            "logits_proj.weight",
            "logits_proj.bias",
        ),
        opened="XLNetModel",
    ),
    Case(
        "scores as they are",
        "GPT2LMHeadModel",
        {"scale_attn_weights": False, "scale_attn_by_inverse_layer_idx": True},
        heads=("language",),
    ),
    Case("GPT-1: classes", "OpenAIGPTForSequenceClassification", LABELS, heads=CLASSES),
    Case("XLNet: tags", "XLNetForTokenClassification", LABELS, heads=TAGS),
    Case(
        "XLNet: answers",
        "XLNetForQuestionAnsweringSimple",
        unused=("qa_outputs.weight", "qa_outputs.bias"),
        opened="XLNetModel",
    ),
    Case("XLNet: classes", "XLNetForSequenceClassification", LABELS, heads=CLASSES),
    Case(
        "multiple choice",
        "BertForMultipleChoice",
        unused=("classifier.bias", "classifier.weight"),
        opened="BertModel",
    ),
    Case(
        "tags of a GPT-2",
        "GPT2ForTokenClassification",
        unused=("classifier.bias", "classifier.weight"),
        opened="GPT2Model",
    ),
    Case(
        "no class is named",
        "BertForSequenceClassification",
        settings={"architectures": ...},
        unused=("classifier.bias", "classifier.weight"),
        opened="BertModel",
    ),
    Case(
        "two heads of a GPT-2",
        "GPT2DoubleHeadsModel",
        heads=("language",),
        unused=("multiple_choice_head.summary.bias", "multiple_choice_head.summary.weight"),
        opened="GPT2LMHeadModel",
    ),
    Case(
        "TinyBERT",
        "BertForMaskedLM",
        tensors=also(fit_dense__weight=drawn(4, WIDTH), fit_dense__bias=drawn(4)),
        heads=WORDS,
        unused=("fit_dense.weight", "fit_dense.bias"),
    ),
    Case(
        "a head of whole numbers",
        "BertForMaskedLM",
        tensors=also(labels=torch.arange(4)),
        heads=WORDS,
        unused=("labels",),
    ),
    # Either name of a tied weight, and those that are not tied.
    Case("the decoder's table", "BertForMaskedLM", tensors=renamed((TABLE, DECODER)), heads=WORDS),
    Case(
        "the decoder's bias",
        "BertForMaskedLM",
        tensors=renamed(("cls.predictions.bias", "cls.predictions.decoder.bias")),
        heads=WORDS,
    ),
    Case(
        "another bias of the decoder",
        "BertForMaskedLM",
        tensors=also(cls__predictions__decoder__bias=drawn(ROWS)),
        heads=WORDS,
    ),
    Case(
        "another table of the decoder",
        "BertForMaskedLM",
        tensors=also(cls__predictions__decoder__weight=drawn(ROWS, WIDTH)),
        heads=WORDS,
    ),
    *(
        Case(f"not tied: {made}", made, {"tie_word_embeddings": False}, heads=(head,))
        for made, head in (
            ("BertForMaskedLM", "masked_language"),
            ("RobertaForMaskedLM", "masked_language"),
            ("DistilBertForMaskedLM", "masked_language"),
            ("AlbertForMaskedLM", "masked_language"),
            ("ElectraForMaskedLM", "masked_language"),
            ("GPT2LMHeadModel", "language"),
            ("XLNetLMHeadModel", "language"),
        )
    ),
    Case(
        "the output matrix of a GPT-2 alone",
        "GPT2LMHeadModel",
        tensors=renamed(("transformer.wte.weight", "lm_head.weight")),
        heads=("language",),
    ),
    Case(
        "the output matrix of a RoBERTa alone",
        "RobertaForMaskedLM",
        tensors=renamed(("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight")),
        heads=WORDS,
    ),
    Case(
        "the output matrix of a DistilBERT alone",
        "DistilBertForMaskedLM",
        tensors=renamed(("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight")),
        heads=WORDS,
    ),
    # Names of tensors.
    Case(
        "buffers and names of old versions",
        "BertForMaskedLM",
        tensors=lambda tensors: {
            **{
                key.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): one
                for key, one in tensors.items()
            },
            "bert.embeddings.position_ids": torch.arange(40)[None],
            "bert.embeddings.token_type_ids": torch.zeros(1, 40, dtype=torch.long),
        },
        heads=WORDS,
    ),
    Case(
        "masks of an old GPT-2, without the prefix",
        "GPT2LMHeadModel",
        tensors=lambda tensors: {
            **{key.removeprefix("transformer."): one for key, one in tensors.items()},
            "h.0.attn.bias": torch.ones(1, 1, 40, 40).tril(),
            "h.0.attn.masked_bias": torch.tensor(-1e4),
        },
        heads=("language",),
    ),
    Case(
        "the prefix at some names only",
        "BertForMaskedLM",
        tensors=lambda tensors: {
            key.removeprefix("bert.") if "layer.1" in key else key: one
            for key, one in tensors.items()
        },
        heads=WORDS,
    ),
    # A head that is only promised.
    Case("sentence-transformers", "BertModel", settings={"architectures": ["BertForMaskedLM"]}),
    Case(
        "sentence-transformers, RoBERTa",
        "RobertaModel",
        settings={"architectures": ["RobertaForMaskedLM"]},
    ),
    # Settings.
    *(
        Case(f"activation {name}", "BertForMaskedLM", {"hidden_act": name}, heads=WORDS)
        for name in (
            "gelu_fast",
            "gelu_10",
            "gelu_accurate",
            "swish",
            "mish",
            "quick_gelu",
            "tanh",
            "relu2",
            "relu6",
            "leaky_relu",
            "hardswish",
            "gelu_python_tanh",
            "sigmoid",
            "linear",
        )
    ),
    Case(
        "scores by layer",
        "GPT2LMHeadModel",
        {"scale_attn_by_inverse_layer_idx": True},
        heads=("language",),
    ),
    Case(
        "float32 scores", "GPT2LMHeadModel", {"reorder_and_upcast_attn": True}, heads=("language",)
    ),
    Case("no model_type", "BertForMaskedLM", settings={"model_type": ...}, heads=WORDS),
    Case(
        "null where transformers takes it",
        "BertForMaskedLM",
        settings={"position_embedding_type": None, "pruned_heads": None, "problem_type": None},
        heads=WORDS,
    ),
    Case(
        "few settings",
        "BertForMaskedLM",
        settings=dict.fromkeys(
            (
                "hidden_act",
                "layer_norm_eps",
                "type_vocab_size",
                "pad_token_id",
                "initializer_range",
            ),
            ...,
        ),
        heads=WORDS,
    ),
    Case(
        "other names of sizes",
        "GPT2LMHeadModel",
        settings={"n_layer": ..., "num_hidden_layers": 3, "n_embd": ..., "hidden_size": WIDTH},
        heads=("language",),
    ),
    Case("fewer rows than pieces", "BertForMaskedLM", {"vocab_size": 150}, heads=WORDS),
)


def write(case: Case, folder: Path, tokenizer: Tokenizer) -> Path:
    family = case.family
    sizes = {"vocab_size": ROWS, **SIZES[family], **case.config}
    model = getattr(transformers, case.made)(getattr(transformers, f"{family}Config")(**sizes))
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3, generator=generator)
    model.save_pretrained(folder)
    file = folder / "model.safetensors"
    tensors = {key: one.clone() for key, one in case.tensors(load_file(file)).items()}
    save_file(tensors, file, metadata={"format": "pt"})
    change_settings(folder, case.settings)
    tokenizer.to_file(folder / "tokenizer.json")
    as_written = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(as_written))
    return folder


def change_settings(folder: Path, changes: dict[str, Any]) -> None:
    settings = json.loads((folder / "config.json").read_text()) | changes
    kept = {key: value for key, value in settings.items() if value is not ...}
    (folder / "config.json").write_text(json.dumps(kept))


def load(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder.parent,)))


def logits_of(reference: Any) -> Tensor | None:
    if hasattr(reference, "start_logits"):
        return torch.stack([reference.start_logits, reference.end_logits], dim=-1)
    return getattr(reference, "logits", None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@torch.no_grad()
def test_it_opens_with_the_numbers_of_transformers(
    case: Case, tmp_path: Path, word_pieces: Tokenizer
) -> None:
    folder = write(case, tmp_path / "brought", word_pieces)
    checkpoint = load(folder)
    assert tuple(head.value for head in checkpoint.config.heads) == case.heads
    assert set(checkpoint.unused) == set(case.unused)

    encoding = encode(checkpoint, TEXT)
    inputs = inputs_of(checkpoint, encoding.ids, encoding.segments)
    kind = getattr(transformers, case.opened or case.made)
    reference = kind.from_pretrained(folder, attn_implementation="eager").eval()
    segments = {} if inputs.segments is None else {"token_type_ids": inputs.segments}
    theirs = reference(input_ids=inputs.ids, output_attentions=True, **segments)
    patterns = forward(checkpoint, encoding, patterns=True).patterns
    assert patterns is not None
    for ours, layer in zip(patterns, theirs.attentions, strict=True):
        np.testing.assert_allclose(ours, layer[0].numpy(), atol=2e-6)

    read = checkpoint.model.read(inputs)
    logits = read.label_logits if read.label_logits is not None else read.logits
    expected = logits_of(theirs)
    assert (logits is None) == (expected is None)
    if logits is not None and expected is not None:
        torch.testing.assert_close(logits, expected, atol=2e-5, rtol=1e-5)


REFUSED: tuple[tuple[Case, type[CheckpointError], str], ...] = (
    (Case("a decoder", "BertForMaskedLM", {"is_decoder": True}), SettingError, "is_decoder"),
    (
        Case("relative keys", "BertForMaskedLM",
             settings={"position_embedding_type": "relative_key"}),
        SettingError, "relative_key",
    ),
    (
        Case("no matrix, not tied", "BertForMaskedLM", settings={"tie_word_embeddings": False}),
        MissingKeyError, r"cls\.predictions\.decoder\.weight",
    ),
    (
        Case("another number of labels", "BertForSequenceClassification",
             settings={"id2label": {"0": "a", "1": "b", "2": "c"}}),
        ShapeMismatchError, "classifier",
    ),
    (
        Case("labels with a gap", "BertForSequenceClassification",
             settings={"id2label": {"0": "a", "2": "c"}}),
        SettingError, "id2label.*from 0 to 1",
    ),
    (
        Case("a table that is none", "BertForTokenClassification",
             settings={"id2label": {"0": [], "1": {}}}),
        SettingError, "id2label",
    ),
    (
        Case("an unknown problem", "BertForSequenceClassification",
             settings={"problem_type": "ranking"}),
        SettingError, "problem_type.*regression",
    ),
    (
        Case("quantised", "BertForMaskedLM",
             settings={"quantization_config": {"quant_method": "bitsandbytes"}}),
        SettingError, "quantization_config",
    ),
    (
        Case("two depths", "DistilBertForMaskedLM", settings={"num_hidden_layers": 7}),
        SettingError, "num_hidden_layers.*n_layers is 2",
    ),
    (Case("clamped", "XLNetLMHeadModel", {"clamp_len": 8}), SettingError, "clamp_len"),
)  # fmt: skip


@pytest.mark.parametrize(("case", "error", "said"), REFUSED, ids=[one.name for one, *_ in REFUSED])
def test_what_would_give_other_numbers_is_refused_by_name(
    case: Case, error: type[CheckpointError], said: str, tmp_path: Path, word_pieces: Tokenizer
) -> None:
    folder = write(case, tmp_path / "brought", word_pieces)
    with pytest.raises(error, match=said):
        load(folder)


NAMED = {"id2label": {"0": "NEGATIVE", "1": "POSITIVE"}}


@torch.no_grad()
def test_labels_of_a_text_have_their_names(tmp_path: Path, word_pieces: Tokenizer) -> None:
    case = Case("", "DistilBertForSequenceClassification", settings=NAMED)
    folder = write(case, tmp_path / "sst-2", word_pieces)
    found = classify_text(load(folder), TEXT)
    kind = transformers.DistilBertForSequenceClassification
    scores = kind.from_pretrained(folder).eval()(torch.tensor([found.encoding.ids])).logits[0]
    assert found.labels == ("NEGATIVE", "POSITIVE")
    np.testing.assert_allclose(found.scores, scores, atol=1e-5)
    np.testing.assert_allclose(found.probabilities, scores.softmax(0), atol=1e-6)

    change_settings(folder, {"problem_type": "multi_label_classification"})
    found = classify_text(load(folder), TEXT)
    np.testing.assert_allclose(found.probabilities, scores.sigmoid(), atol=1e-6)
    change_settings(folder, {"problem_type": "regression"})
    assert classify_text(load(folder), TEXT).probabilities == ()


@torch.no_grad()
def test_labels_of_tokens_have_their_names(tmp_path: Path, word_pieces: Tokenizer) -> None:
    names = ["O", "B-PER", "I-PER"]
    case = Case(
        "", "BertForTokenClassification", LABELS,
        {"id2label": {str(number): name for number, name in enumerate(names)}},
    )  # fmt: skip
    folder = write(case, tmp_path / "ner", word_pieces)
    found = tag_tokens(load(folder), TEXT)
    kind = transformers.BertForTokenClassification
    scores = kind.from_pretrained(folder).eval()(torch.tensor([found.encoding.ids])).logits[0]
    np.testing.assert_allclose(found.probabilities, scores.softmax(-1), atol=1e-6)
    assert found.best == tuple(names[number] for number in scores.argmax(-1))


@pytest.mark.parametrize("made", ["BertForQuestionAnswering", "RobertaForQuestionAnswering"])
@torch.no_grad()
def test_an_answer_is_a_span_of_the_second_text(
    made: str, tmp_path: Path, word_pieces: Tokenizer
) -> None:
    checkpoint = load(write(Case("", made), tmp_path / "squad", word_pieces))
    found = answer_question(checkpoint, "who sat", TEXT, top=3)
    encoding = found.encoding
    segments = torch.tensor([encoding.segments]) if made.startswith("Bert") else None
    reference = getattr(transformers, made).from_pretrained(tmp_path / "squad").eval()
    theirs = reference(torch.tensor([encoding.ids]), token_type_ids=segments)
    inside = [
        position
        for position in range(len(encoding))
        if encoding.segments[position] == 1 and not encoding.special[position]
    ]
    sums = {
        (start, end): float(theirs.start_logits[0, start] + theirs.end_logits[0, end])
        for start in inside
        for end in inside
        if start <= end
    }
    best = sorted(sums, key=lambda span: -sums[span])[:3]
    assert [(one.start, one.end) for one in found.answers] == best
    assert found.answers[0].score == pytest.approx(sums[best[0]], abs=1e-4)
    assert all(one.text and one.text in TEXT for one in found.answers)
