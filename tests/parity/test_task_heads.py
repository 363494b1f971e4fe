"""Heads for labelled tasks against Hugging Face's classes with the same weights."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.models.architectures.bert import BERT, bert_config
from core.models.registry import build
from core.models.task_heads import FineTuned, best_spans
from core.parity import Batch
from core.parity.reference import tiny_reference
from core.task_config import TaskConfig, TaskKind

pytestmark = pytest.mark.parity

SIZES = {
    "vocab_size": 101,
    "hidden_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "max_position_embeddings": 128,
}
LENGTHS = (1, 9, 64)

CASES = {
    "BertForSequenceClassification": ("classifier", TaskConfig("it", TaskKind.CLASSES, classes=5)),
    "BertForQuestionAnswering": ("qa_outputs", TaskConfig("it", TaskKind.SPAN)),
    "BertForTokenClassification": ("classifier", TaskConfig("it", TaskKind.TAGS, classes=5)),
}


def sides(class_name: str) -> tuple[FineTuned, Any]:
    """Our fine-tuned encoder and the reference, both with the reference's weights."""
    theirs = tiny_reference(class_name, {**SIZES, "num_labels": 5} if "Question" not in class_name
                            else SIZES)  # fmt: skip
    head, task = CASES[class_name]
    state = {k: v for k, v in theirs.state_dict().items() if not k.startswith(head)}
    found = BERT.keys({}).assign(state)
    body = build(
        bert_config(
            vocabulary=101, layers=3, heads=4, width=48, feed_forward=96, max_positions=128,
            predicts=(), pooler=found.has("pooler"),
        )
    )  # fmt: skip
    body.load_state_dict({ours: s.read(state[s.key]) for ours, s in found.sources.items()})
    assert not isinstance(body, Tensor)
    ours = FineTuned(body, task)  # type: ignore[arg-type]
    dense = ours.head.get_submodule("dense")
    assert isinstance(dense, nn.Linear)
    dense.load_state_dict(theirs.get_submodule(head).state_dict())
    return ours.eval(), theirs


def results(class_name: str, theirs: Any, batch: Batch) -> Tensor:
    output = theirs(
        input_ids=batch.ids, token_type_ids=batch.segments, attention_mask=batch.valid.long()
    )
    if class_name == "BertForQuestionAnswering":
        return torch.stack([output.start_logits, output.end_logits], dim=-1)
    return output.logits


def distance(one: Tensor, two: Tensor, batch: Batch) -> float:
    assert one.shape == two.shape
    if one.ndim == 3:
        one, two = one[batch.valid], two[batch.valid]
    else:  # the summary is the first token's: not where that is padding
        one, two = one[batch.valid[:, 0]], two[batch.valid[:, 0]]
    return float((one - two).abs().max())


@pytest.mark.parametrize("class_name", CASES)
@torch.no_grad()
def test_logits_agree(class_name: str) -> None:
    ours, theirs = sides(class_name)
    for length in LENGTHS:
        batch = Batch.random(101, length)
        found = ours(batch.ids, batch.segments, batch.keep)
        expected = results(class_name, theirs, batch)
        assert expected.std() > 0.5
        assert distance(found, expected, batch) <= 1e-5


def swap(ours: FineTuned) -> None:
    dense = ours.head.get_submodule("dense")
    assert isinstance(dense, nn.Linear)
    dense.weight.data = dense.weight.data.flip(0)


def forget_tanh(ours: FineTuned) -> None:
    ours.pooler.forward = lambda hidden: ours.pooler.dense(hidden[:, 0])  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("class_name", "broken"),
    [(name, swap) for name in CASES] + [("BertForSequenceClassification", forget_tanh)],
)
@torch.no_grad()
def test_breaking_a_head_shows(class_name: str, broken: Any) -> None:
    ours, theirs = sides(class_name)
    batch = Batch.random(101, 9)
    broken(ours)
    found = ours(batch.ids, batch.segments, batch.keep)
    assert distance(found, results(class_name, theirs, batch), batch) > 0.01


@torch.no_grad()
def test_the_best_answer_is_the_same() -> None:
    ours, theirs = sides("BertForQuestionAnswering")
    batch = Batch.random(101, 32)
    expected = results("BertForQuestionAnswering", theirs, batch)
    found = ours(batch.ids, batch.segments, batch.keep)
    for mine, other, allowed in zip(found, expected, batch.valid, strict=True):
        one = best_spans(mine, longest=8, allowed=allowed)[0]
        two = best_spans(other, longest=8, allowed=allowed)[0]
        assert (one.start, one.end) == (two.start, two.end)
        assert 0 <= one.end - one.start < 8
        assert allowed[one.start]
        assert allowed[one.end]
