"""Labelled tasks are asked what they fit, and say what their heads say."""

import json
from typing import Any, cast

import pytest
import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.commands import judge as verb
from core.commands import texts
from core.models.architectures.mtdnn import Mtdnn
from core.task_config import TaskConfig, TaskKind
from core.tasks import (
    CandidatesOutOfRangeError,
    NoSuchWordError,
    NoTaskError,
    judge_text,
    mark_word,
)
from core.training.fresh import with_tasks

TASKS = (
    TaskConfig("mood", TaskKind.CLASSES, classes=3, labels=("glad", "sad", "neither")),
    TaskConfig("order", TaskKind.ANSWER_NETWORK, steps=3),
    TaskConfig("alike", TaskKind.SIMILARITY),
    TaskConfig("answers", TaskKind.RANKING),
)


@pytest.fixture
def learnt(tiny_checkpoint: Checkpoint) -> Checkpoint:
    found = with_tasks(tiny_checkpoint, TASKS, seed=0)
    torch.manual_seed(4)
    for parameter in cast(Any, found.model).tasks.parameters():
        nn.init.normal_(parameter, std=0.5)
    return found


def alone(checkpoint: Checkpoint, task: str, text: str, pair: str | None = None) -> torch.Tensor:
    read = checkpoint.tokenizer.encode(text, pair)
    with torch.inference_mode():
        return cast(Mtdnn, checkpoint.model).answer(
            task, torch.tensor([read.ids]), torch.tensor([read.segments])
        )[0]


def test_one_text_is_sorted_into_named_classes(learnt: Checkpoint) -> None:
    result = judge_text(learnt, "the cat sat")
    (mood,) = result.judgements
    assert (mood.task, mood.kind) == ("mood", TaskKind.CLASSES)
    assert mood.labels == ("glad", "sad", "neither")
    expected = alone(learnt, "mood", "the cat sat").softmax(-1)
    assert mood.probabilities == pytest.approx(expected.tolist(), abs=1e-6)
    assert mood.best == mood.labels[int(expected.argmax())]
    assert [len(one) for one in (mood.steps, mood.scores, mood.first_weights)] == [0, 0, 0]


def test_a_pair_is_judged_step_by_step(learnt: Checkpoint) -> None:
    result = judge_text(learnt, "the cat", "it was open")
    order, alike = result.judgements
    expected = alone(learnt, "order", "the cat", "it was open").exp()
    assert order.labels == ("0", "1")
    assert order.probabilities == pytest.approx(expected.tolist(), abs=1e-6)
    assert len(order.steps) == 3
    mean = torch.tensor([step.probabilities for step in order.steps]).mean(0)
    assert mean.tolist() == pytest.approx(order.probabilities, abs=1e-6)
    assert len({step.probabilities for step in order.steps}) == 3
    segments = result.encoding.segments
    for weights, segment in [
        (order.first_weights, 1),
        *((step.weights, 0) for step in order.steps),
    ]:
        assert sum(weights) == pytest.approx(1.0, abs=1e-5)
        inside = [weight for weight, one in zip(weights, segments, strict=True) if one == segment]
        assert sum(inside) == pytest.approx(1.0, abs=1e-5)
    assert alike.scores == pytest.approx([float(alone(learnt, "alike", "the cat", "it was open"))])
    assert alike.best is None


def test_answers_of_any_length_are_ranked(learnt: Checkpoint) -> None:
    answers = ("sat", "the street was open", "the mat")
    (ranked,) = judge_text(learnt, "the cat", answers=answers).judgements
    scores = [float(alone(learnt, "answers", "the cat", one)) for one in answers]
    assert ranked.labels == answers
    assert ranked.scores == pytest.approx(scores, abs=1e-5)
    expected = torch.tensor(scores).softmax(0).tolist()
    assert ranked.probabilities == pytest.approx(expected, abs=1e-5)
    assert ranked.best == answers[scores.index(max(scores))]


def test_a_word_is_put_in_brackets(learnt: Checkpoint) -> None:
    assert mark_word(learnt, "the  cat sat", 1) == "the  [cat] sat"
    marked = judge_text(learnt, "the cat sat", word=2)
    assert marked.encoding.texts == ("the cat [sat]",)
    assert marked.judgements == judge_text(learnt, "the cat [sat]").judgements
    with pytest.raises(NoSuchWordError, match="there is no word 3"):
        judge_text(learnt, "the cat sat", word=3)


def test_what_no_task_fits_is_refused(learnt: Checkpoint, tiny_checkpoint: Checkpoint) -> None:
    with pytest.raises(NoTaskError, match="no task about one text; its tasks: none"):
        judge_text(tiny_checkpoint, "the cat")
    few = with_tasks(tiny_checkpoint, TASKS[:1], seed=0)
    with pytest.raises(NoTaskError, match="no task about a pair; its tasks: mood"):
        judge_text(few, "the cat", "sat")
    with pytest.raises(NoTaskError, match="about several answers"):
        judge_text(few, "the cat", answers=("sat", "open"))
    for answers in (("sat",), ("sat",) * 21):
        with pytest.raises(CandidatesOutOfRangeError, match=f"2 to 20 .*, not {len(answers)}"):
            judge_text(learnt, "the cat", answers=answers)
    with pytest.raises(CandidatesOutOfRangeError, match="no second text"):
        judge_text(learnt, "the cat", "the mat", answers=("sat", "open"))


def test_the_verb_prints_every_task(
    learnt: Checkpoint,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from core.__main__ import BAD_INPUT, main

    monkeypatch.setattr(texts, "load", lambda _name: learnt)
    words = ["judge", "--text", "the cat"]
    assert main([*words, "--pair", "sat", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    order, alike = answer["judgements"]
    assert (answer["text"], answer["pair"]) == ("the cat", "sat")
    assert order["kind"] == "answer_network"
    assert len(order["steps"]) == 3
    assert list(alike) == ["task", "kind", "scores"]
    printed = verb.table(answer).split("\n\n")
    assert printed[0] == "the cat\nsat"
    assert printed[1].startswith("order\n")
    assert printed[2] == f"alike: {alike['scores'][0]:.4f}"
    assert main([*words, "--answer", "sat", "--answer", "open", "--json"]) == 0
    ranked = json.loads(capsys.readouterr().out)
    assert "pair" not in ranked
    assert ranked["judgements"][0]["labels"] == ["sat", "open"]
    assert main([*words, "--word", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("the [cat]\n\nmood\n")
    shares = [float(line.split()[0]) for line in shown.splitlines()[3:]]
    assert shares == sorted(shares, reverse=True)
    assert main([*words, "--answer", "sat"]) == BAD_INPUT
    assert capsys.readouterr().err == "error: 2 to 20 answers are ranked, not 1\n"
