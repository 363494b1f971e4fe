"""What an MT-DNN's labelled tasks say about a text, a pair of texts, or several answers to one.

Liu et al. 2019, "Multi-Task Deep Neural Networks for Natural Language Understanding", section 3.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.hooks import Trace, capture, to_host
from core.models.body import Inputs
from core.models.task_heads import candidate_log_probabilities
from core.task_config import TaskConfig, TaskKind
from core.tasks.errors import CandidatesOutOfRangeError, NoSuchWordError, NoTaskError
from core.tasks.forward import encode
from core.tokenisation import Encoding

MOST_ANSWERS = 20

Row = tuple[float, ...]


@dataclass(frozen=True)
class ReasoningStep:
    """One step of an answer network (:class:`core.models.task_heads.AnswerNetworkHead`).

    Attributes:
        probabilities: what this step alone says, one number a class.
        weights: what it reads of the first text, one number a token; 0 outside.
    """

    probabilities: Row
    weights: Row


@dataclass(frozen=True)
class TaskJudgement:
    """What one task says.

    Attributes:
        task: its name.
        kind: what it predicts.
        labels: names of the classes, or the answers that are ranked; none of a similarity.
        probabilities: of the labels.
        scores: the head's numbers where it gives such: of a similarity one, of a ranking one for
            each answer.
        steps: of an answer network; their mean is ``probabilities``.
        first_weights: of an answer network, where it begins: what it reads of the second text, one
            number a token.
    """

    task: str
    kind: TaskKind
    labels: tuple[str, ...] = ()
    probabilities: Row = ()
    scores: Row = ()
    steps: tuple[ReasoningStep, ...] = ()
    first_weights: Row = ()

    @property
    def best(self) -> str | None:
        """The label with the largest probability, the first of equal ones."""
        if not self.labels:
            return None
        return self.labels[self.probabilities.index(max(self.probabilities))]


@dataclass(frozen=True)
class JudgementResult:
    """What all tasks say that fit what was given.

    Attributes:
        encoding: of the text, or of the pair; of several answers, of the text and the first one.
        judgements: one a task, in the model's order.
        seconds: wall time of the passes.
        device: where they ran.
    """

    encoding: Encoding
    judgements: tuple[TaskJudgement, ...]
    seconds: float
    device: str


def mark_word(checkpoint: Checkpoint, text: str, word: int) -> str:
    """The text with one word in brackets, as a task about single words reads it.

    Args:
        checkpoint: whose words are counted.
        text: what a person typed.
        word: its number, from 0.

    Raises:
        NoSuchWordError: the text has no such word.
        EmptyTextError, TextTooLongError: see :meth:`Tokenizer.encode`.
    """
    spans = checkpoint.tokenizer.encode(text).spans
    if not 0 <= word < len(spans):
        raise NoSuchWordError(word, len(spans))
    _, start, end = spans[word]
    return f"{text[:start]}[{text[start:end]}]{text[end:]}"


@torch.inference_mode()
def judge_text(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None = None,
    *,
    answers: Sequence[str] = (),
    word: int | None = None,
    cut: bool = False,
) -> JudgementResult:
    """Ask every task that fits: about one text, about a pair, or which answer is the best.

    Args:
        checkpoint: an MT-DNN.
        text: what a person typed.
        pair: a second text: tasks about pairs are asked, and none about one text.
        answers: 2 to 20 texts instead, to be ranked as answers to the first.
        word: put this word of the text in brackets, see :func:`mark_word`.
        cut: leave out the end of texts that are too long, instead of refusing.

    Raises:
        NoTaskError: the model has no task about what is given.
        CandidatesOutOfRangeError: too few or too many answers, or a pair beside them.
        NoSuchWordError: the text has no such word.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    given, kinds = "one text", frozenset({TaskKind.CLASSES})
    seconds: Sequence[str | None] = [pair]
    if answers:
        if pair is not None or not 2 <= len(answers) <= MOST_ANSWERS:
            raise CandidatesOutOfRangeError(len(answers), MOST_ANSWERS, pair=pair is not None)
        given, kinds, seconds = "several answers", frozenset({TaskKind.RANKING}), answers
    elif pair is not None:
        given, kinds = "a pair", frozenset({TaskKind.ANSWER_NETWORK, TaskKind.SIMILARITY})
    model = checkpoint.model
    tasks = [task for task in checkpoint.config.tasks if task.kind in kinds]
    if not tasks:
        raise NoTaskError(given, [task.name for task in checkpoint.config.tasks])
    if word is not None:
        text = mark_word(checkpoint, text, word)
    encodings = [encode(checkpoint, text, second, cut=cut) for second in seconds]
    device = next(model.parameters()).device
    began = time.perf_counter()
    ids, segments, keep = _batch(encodings, checkpoint.tokenizer.pad_id, device)
    with capture(_sites(tasks), keep=to_host) as trace:
        model.answer_tasks(Inputs(ids, segments, keep), [task.name for task in tasks])
    took = time.perf_counter() - began
    judgements = tuple(_judgement(task, answers, trace) for task in tasks)
    return JudgementResult(encodings[0], judgements, took, str(device))


def _batch(
    encodings: Sequence[Encoding], padding: int, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    longest = max(map(len, encodings))
    rows = [
        [list(one.ids), list(one.segments), [1] * len(one)] for one in encodings
    ]  # ids, segments, kept
    fill = (padding, 0, 0)
    parts = [
        torch.tensor([row[n] + [fill[n]] * (longest - len(row[n])) for row in rows], device=device)
        for n in range(3)
    ]
    return parts[0], parts[1], parts[2].bool()


# The hook points of each kind of head.
_POINTS = {
    TaskKind.CLASSES: ("logits",),
    TaskKind.SIMILARITY: ("scores",),
    TaskKind.RANKING: ("scores",),
    TaskKind.ANSWER_NETWORK: ("first_weights", "weights", "probabilities"),
}


def _sites(tasks: Sequence[TaskConfig]) -> list[str]:
    return [f"{_head(task)}.{point}" for task in tasks for point in _POINTS[task.kind]]


def _head(task: TaskConfig) -> str:
    return f"tasks.{task.name}_head"


def _judgement(task: TaskConfig, answers: Sequence[str], trace: Trace) -> TaskJudgement:
    labels = task.labels or tuple(str(number) for number in range(task.classes))
    head = _head(task)
    match task.kind:
        case TaskKind.SIMILARITY:
            return TaskJudgement(task.name, task.kind, scores=_row(trace[f"{head}.scores"]))
        case TaskKind.RANKING:
            scores = trace[f"{head}.scores"]
            shares = candidate_log_probabilities(scores[None])[0].exp()
            return TaskJudgement(task.name, task.kind, tuple(answers), _row(shares), _row(scores))
        case TaskKind.CLASSES:
            shares = trace[f"{head}.logits"][0].softmax(-1)
            return TaskJudgement(task.name, task.kind, labels, _row(shares))
    reads = [record.value[0] for record in trace.matching(f"{head}.weights")]
    says = trace[f"{head}.probabilities"][0]  # [step, class]
    return TaskJudgement(
        task.name,
        task.kind,
        labels,
        _row(says.mean(dim=0)),
        steps=tuple(
            ReasoningStep(_row(said), _row(read)) for said, read in zip(says, reads, strict=True)
        ),
        first_weights=_row(trace[f"{head}.first_weights"][0]),
    )


def _row(values: Tensor) -> Row:
    return tuple(values.tolist())
