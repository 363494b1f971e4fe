"""Heads of labelled tasks against numbers that can be worked out on paper."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import ConfigError, MissingPairError, UnknownTaskError
from core.hooks import HookPoint, capture
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.mtdnn import Mtdnn, mtdnn_config
from core.models.encoder import EncoderBody
from core.models.registry import build
from core.models.task_heads import (
    AnswerNetworkHead,
    ClassesHead,
    Encoded,
    FineTuned,
    ScoreHead,
    Span,
    TaskHeads,
    best_spans,
    candidate_log_probabilities,
)
from core.task_config import TaskConfig, TaskKind


def fill(layer: nn.Linear, weight: list[list[float]], bias: list[float] | None = None) -> None:
    with torch.no_grad():
        assert layer.weight.shape == (len(weight), len(weight[0]))
        layer.weight.copy_(torch.tensor(weight))
        if bias is not None:
            layer.bias.copy_(torch.tensor(bias))


def encoded(summary: list[list[float]]) -> Encoded:
    return Encoded(hidden=torch.zeros(len(summary), 1, 2), summary=torch.tensor(summary))


def test_classes_by_hand() -> None:
    head = ClassesHead(2, 2, dropout=0.0)
    fill(head.dense, [[1.0, 0.0], [0.0, 2.0]], [0.0, math.log(3.0)])
    probabilities = head(encoded([[0.0, 0.0], [math.log(6.0), 0.0]])).softmax(-1)
    expected = torch.tensor([[1 / 4, 3 / 4], [6 / 9, 3 / 9]])
    torch.testing.assert_close(probabilities, expected)


def test_similarity_and_relevance_by_hand() -> None:
    head = ScoreHead(2, dropout=0.0)
    fill(head.dense, [[2.0, -1.0]], [0.0])
    scores = head(encoded([[1.0, 0.0], [0.0, 3.0], [math.log(2.0) / 2, 0.0]]))
    torch.testing.assert_close(scores, torch.tensor([2.0, -3.0, math.log(2.0)]))


def test_a_query_chooses_among_its_own_candidates() -> None:
    scores = torch.tensor([[math.log(1.0), math.log(3.0), math.log(4.0)], [0.0, 0.0, 9.0]])
    keep = torch.tensor([[True, True, True], [True, True, False]])
    found = candidate_log_probabilities(scores, keep).exp()
    expected = torch.tensor([[1 / 8, 3 / 8, 4 / 8], [1 / 2, 1 / 2, 0.0]])
    torch.testing.assert_close(found, expected)


def answer_network(steps: int) -> AnswerNetworkHead:
    """Width 1. w = 1, W = 1; the unit's update gate is 1/2, its candidate is tanh(x)."""
    head = AnswerNetworkHead(1, 2, steps=steps, dropout=0.0, step_dropout=0.0)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.zero_()
    fill(head.first, [[1.0]])
    fill(head.bilinear, [[1.0]])
    fill(head.unit.input_projection, [[0.0], [0.0], [1.0]])
    fill(head.dense, [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]])
    return head.eval()


# Positions: padding, two of the first text, two of the second, padding of a second text.
HIDDEN = torch.tensor([[[7.0], [1.0], [0.0], [0.0], [math.log(3.0)], [9.0]]])
SEGMENTS = torch.tensor([[0, 0, 0, 1, 1, 1]])
KEEP = torch.tensor([[False, True, True, True, True, False]])
PAIR = Encoded(HIDDEN, HIDDEN[:, 0], SEGMENTS, KEEP)


def by_hand(steps: int) -> tuple[list[float], list[float]]:
    """The two probabilities of every step, from the formulas."""
    # exp(w h) is 1 and 3, so the weights are 1/4 and 3/4.
    state = 3 / 4 * math.log(3.0)
    first, second = [], []
    for _ in range(steps):
        one = math.exp(state) / (math.exp(state) + 1.0)  # scores s and 0 of the states 1 and 0
        read = one * 1.0
        a, b = state, read + abs(state - read) + state * read
        first.append(math.exp(a) / (math.exp(a) + math.exp(b)))
        second.append(math.exp(b) / (math.exp(a) + math.exp(b)))
        state = 0.5 * math.tanh(read) + 0.5 * state
    return first, second


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_the_answer_network_by_hand(steps: int) -> None:
    head = answer_network(steps)
    first, second = by_hand(steps)
    assert first[0] != pytest.approx(first[-1], abs=0.01) or steps == 1
    with torch.no_grad():
        probabilities = head(PAIR).exp()[0]
    assert float(probabilities[0]) == pytest.approx(sum(first) / steps, abs=1e-6)
    assert float(probabilities[1]) == pytest.approx(sum(second) / steps, abs=1e-6)


def test_its_first_step_in_figures() -> None:
    with torch.no_grad():
        probabilities = answer_network(1)(PAIR).exp()[0]
    # s = 0.8240, x = 0.6951: the scores are 0.8240 and 0.6951 + 0.1289 + 0.5727 = 1.3967
    assert probabilities.tolist() == pytest.approx([0.3606, 0.6394], abs=1e-4)


def test_each_weight_is_over_its_own_text() -> None:
    head = TaskHeads([TaskConfig("pair", TaskKind.ANSWER_NETWORK)], 1)
    points = dict(head.get_submodule("pair_head").named_modules())
    for name in ("first_weights", "weights", "probabilities"):
        point = points[name]
        assert isinstance(point, HookPoint)
        point.path = name
    with torch.no_grad(), capture(["first_weights", "weights", "probabilities"]) as trace:
        head.eval().answer("pair", PAIR)
    assert (trace["first_weights"] > 0).tolist() == [[False, False, False, True, True, False]]
    reads = [record.value for record in trace.matching("weights")]
    assert len(reads) == 5
    for read in reads:
        assert (read > 0).tolist() == [[False, True, True, False, False, False]]
    torch.testing.assert_close(trace["probabilities"].sum(-1), torch.ones(1, 5))


def test_training_takes_the_mean_of_some_steps_never_of_none() -> None:
    head = answer_network(3).train()
    first, _ = by_hand(3)
    subsets = {
        tuple(kept): sum(p for p, k in zip(first, kept, strict=True) if k) / sum(kept)
        for kept in torch.cartesian_prod(*[torch.tensor([0, 1])] * 3).tolist()
        if any(kept)
    }
    rows = 400
    many = Encoded(
        HIDDEN.expand(rows, -1, -1),
        torch.zeros(rows, 1),
        SEGMENTS.expand(rows, -1),
        KEEP.expand(rows, -1),
    )
    shares = {}
    for probability in (0.5, 0.999):
        head.step_dropout = probability
        torch.manual_seed(0)
        with torch.no_grad():
            found = head(many).exp()
        torch.testing.assert_close(found.sum(-1), torch.ones(rows))
        counts = dict.fromkeys(subsets, 0)
        for value in found[:, 0].tolist():
            nearest = min(subsets, key=lambda kept: abs(subsets[kept] - value))
            assert subsets[nearest] == pytest.approx(value, abs=1e-6)
            counts[nearest] += 1
        shares[probability] = sum(count for kept, count in counts.items() if sum(kept) == 1) / rows
        if probability == 0.5:
            assert min(counts.values()) > 0
    # Of three steps at 1/2, one stays in 3/8 of the draws, and in the 1/8 where none would.
    assert 0.42 < shares[0.5] < 0.58
    assert shares[0.999] > 0.98


def test_an_answer_network_asks_for_two_texts() -> None:
    with pytest.raises(MissingPairError):
        answer_network(2)(Encoded(HIDDEN, HIDDEN[:, 0]))


STARTS_ENDS = torch.tensor([[1.0, 4.0], [5.0, 0.0], [0.0, 3.0]])


def test_spans_of_the_worked_example() -> None:
    assert best_spans(STARTS_ENDS, longest=2, top=9) == [
        Span(1, 2, 8.0),
        Span(0, 0, 5.0),
        Span(1, 1, 5.0),
        Span(2, 2, 3.0),
        Span(0, 1, 1.0),
    ]
    assert best_spans(STARTS_ENDS, longest=1)[0] == Span(0, 0, 5.0)
    only_last = torch.tensor([False, False, True])
    assert best_spans(STARTS_ENDS, allowed=only_last, top=3) == [Span(2, 2, 3.0)]
    assert best_spans(STARTS_ENDS, allowed=torch.zeros(3).bool()) == []


def test_the_best_span_is_the_best_of_all_that_may_be() -> None:
    generator = torch.Generator().manual_seed(0)
    for longest in (1, 4, 50):
        logits = torch.randn(40, 2, generator=generator)
        allowed = torch.rand(40, generator=generator) > 0.3
        every = [
            (float(logits[i, 0] + logits[j, 1]), i, j)
            for i in range(40)
            for j in range(i, min(40, i + longest))
            if allowed[i] and allowed[j]
        ]
        expected = sorted(every, key=lambda one: (-one[0], one[1], one[2]))[:5]
        found = best_spans(logits, longest=longest, allowed=allowed, top=5)
        assert [(span.start, span.end) for span in found] == [(i, j) for _, i, j in expected]


TASKS = (
    TaskConfig("mood", TaskKind.CLASSES, classes=4),
    TaskConfig("alike", TaskKind.SIMILARITY),
    TaskConfig("follows", TaskKind.ANSWER_NETWORK, classes=3),
    TaskConfig("fits", TaskKind.RANKING),
    TaskConfig("answer", TaskKind.SPAN),
    TaskConfig("type", TaskKind.TAGS, classes=7),
)
SIZES: dict[str, Any] = {"vocabulary": 30, "layers": 2, "heads": 2, "width": 8, "max_positions": 12}


def test_one_encoder_answers_every_task() -> None:
    torch.manual_seed(0)
    model = build(mtdnn_config(**SIZES, tasks=TASKS, initial_deviation=0.4)).eval()
    assert isinstance(model, Mtdnn)
    ids = torch.randint(30, (2, 6))
    segments = torch.tensor([[0, 0, 0, 1, 1, 1]] * 2)
    keep = torch.ones_like(ids).bool()
    keep[1, 5] = False
    shapes = {
        "mood": (2, 4), "alike": (2,), "follows": (2, 3), "fits": (2,),
        "answer": (2, 6, 2), "type": (2, 6, 7),
    }  # fmt: skip
    for task, shape in shapes.items():
        with torch.no_grad():
            result: Tensor = model.answer(task, ids, segments, keep)
            changed = model.answer(task, ids.flip(1), segments, keep)
        assert result.shape == shape
        assert not torch.allclose(result, changed), task
    with pytest.raises(UnknownTaskError, match="mood, alike"):
        model.answer("moods", ids)


def test_each_task_trains_its_own_head_and_the_shared_encoder() -> None:
    torch.manual_seed(0)
    model = build(mtdnn_config(**SIZES, tasks=TASKS, dropout=0.0))
    assert isinstance(model, Mtdnn)
    ids, segments = torch.randint(30, (2, 6)), torch.tensor([[0, 0, 0, 1, 1, 1]] * 2)
    for task in TASKS:
        model.zero_grad()
        model.answer(task.name, ids, segments).square().sum().backward()
        moved = {name for name, p in model.named_parameters() if p.grad is not None}
        heads = {name.split(".")[1] for name in moved if name.startswith("tasks.")}
        assert heads == {f"{task.name}_head"}
        assert "encoder.layers.0.attention.query_projection.weight" in moved


@pytest.mark.parametrize("name", ["Mood", "", "a.b", "9", "a" * 101])
def test_names_that_cannot_stand_in_a_tensors_name(name: str) -> None:
    with pytest.raises(ConfigError, match="lower-case"):
        TaskConfig(name, TaskKind.CLASSES)


def test_tasks_that_cannot_be_told_apart_or_have_nothing_to_read() -> None:
    with pytest.raises(ConfigError, match="one name: mood, mood"):
        mtdnn_config(**SIZES, tasks=(TASKS[0], TASKS[0]))
    with pytest.raises(ConfigError, match="pooler"):
        mtdnn_config(**SIZES, tasks=TASKS, pooler=False)


BODIES = {
    "bert with its pooler": bert_config(**SIZES),
    "bert without": bert_config(**SIZES, predicts=(), pooler=False),
    "albert": albert_config(**SIZES, embedding_width=4),
    "electra": electra_config(**SIZES, embedding_width=4),
}


@pytest.mark.parametrize("config", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_any_encoder_can_be_fine_tuned(config: ModelConfig, task: TaskConfig) -> None:
    body = build(config)
    assert isinstance(body, EncoderBody)
    model = FineTuned(body, task)
    ids, segments = torch.randint(30, (2, 6)), torch.tensor([[0, 0, 0, 1, 1, 1]] * 2)
    model(ids, segments).square().sum().backward()
    assert (model.pooler is getattr(body, "pooler", None)) == config.pooler
    grads = {name: p.grad for name, p in model.named_parameters()}
    assert grads["body.embedding.token_table.weight"] is not None
    assert any(grads[name] is not None for name in grads if name.startswith("head."))
