"""What a fine-tuned model answers: heads for labelled tasks on top of any encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.errors import MissingPairError, UnknownTaskError
from core.hooks.point import HookPoint
from core.models.blocks.gated_unit import GatedUnit
from core.models.blocks.weights import Linear
from core.models.encoder import EncoderBody
from core.models.heads import Pooler
from core.task_config import TaskConfig, TaskKind


@dataclass(frozen=True)
class Encoded:
    """What a task's head reads.

    Attributes:
        hidden: of the encoder, ``[batch, token, width]``.
        summary: of the whole input, ``[batch, width]``.
        segments: ``[batch, token]``, 0 for the first text and 1 for the second, if there are two.
        keep: boolean ``[batch, token]``, False at padding; ``None`` if nothing is padded.
    """

    hidden: Tensor
    summary: Tensor
    segments: Tensor | None = None
    keep: Tensor | None = None


class ClassesHead(nn.Module):
    """Sorts one text, or a pair, into classes by its summary.

    Hook point: ``logits`` ``[batch, class]``.
    Sources: Devlin et al. 2019, "BERT", section 4.1; Liu et al. 2019, "Multi-Task Deep Neural
    Networks for Natural Language Understanding", equation 1.
    """

    def __init__(self, width: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.dense = Linear(width, classes)
        self.logits = HookPoint()

    def forward(self, encoded: Encoded) -> Tensor:
        """Scores ``[batch, class]``, to be normalised by a softmax."""
        return self.logits(self.dense(self.dropout(encoded.summary)))


class ScoreHead(nn.Module):
    """One number for every input, w . x: how alike two texts are, how well an answer fits.

    Hook point: ``scores`` ``[batch]``.
    Source: Liu et al. 2019, "Multi-Task Deep Neural Networks", equations 2 (similarity, trained on
    the squared error) and 5 (relevance; a sigmoid around it would leave the order as it is).
    """

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.dense = Linear(width, 1)
        self.scores = HookPoint()

    def forward(self, encoded: Encoded) -> Tensor:
        """Scores ``[batch]``, any real number."""
        return self.scores(self.dense(self.dropout(encoded.summary)).squeeze(-1))


class TokenHead(nn.Module):
    """Scores every token: in classes (tagging), or as start and as end of an answer (span).

    Hook point: ``logits`` ``[batch, token, class]``; of a span, column 0 is the start.
    Source: Devlin et al. 2019, "BERT", sections 4.2 and 5.3.
    """

    def __init__(self, width: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.dense = Linear(width, classes)
        self.logits = HookPoint()

    def forward(self, encoded: Encoded) -> Tensor:
        """Scores ``[batch, token, class]``, padding included."""
        return self.logits(self.dense(self.dropout(encoded.hidden)))


class AnswerNetworkHead(nn.Module):
    """Sorts a pair into classes in several steps, each of which reads the first text again.

    With the second text's states h_j and the first one's p_j::

        s_0     = sum_j a_j h_j,        a = softmax_j(w . h_j)
        x_k     = sum_j b_j p_j,        b = softmax_j(p_j . W s_k)
        P_k     = softmax(V [s_k; x_k; |s_k - x_k|; s_k * x_k])
        s_(k+1) = GRU(s_k, x_k)

    and the answer is the mean of P_0 to P_(K-1). Training leaves out some steps, never all.

    Hook points: ``first_weights`` (a) ``[batch, token]``; ``weights`` (b), one visit a step;
    ``probabilities`` ``[batch, step, class]``.

    Sources: Liu et al. 2019, "Multi-Task Deep Neural Networks", equations 3 and 4; Liu, Duh and Gao
    2018, "Stochastic Answer Networks for Natural Language Inference". The papers number x by the
    state that it leads to and leave x_0 open; as in the released code, a state is compared with
    what it has read itself.
    """

    def __init__(
        self, width: int, classes: int, *, steps: int, dropout: float, step_dropout: float
    ) -> None:
        super().__init__()
        self.steps = steps
        self.step_dropout = step_dropout
        self.first = Linear(width, 1, bias=False)
        self.bilinear = Linear(width, width, bias=False)
        self.unit = GatedUnit(width, width)
        self.dropout = nn.Dropout(dropout)
        self.dense = Linear(4 * width, classes)
        self.first_weights, self.weights = HookPoint(), HookPoint()
        self.probabilities = HookPoint()

    def forward(self, encoded: Encoded) -> Tensor:
        """Logarithms of the classes' probabilities, ``[batch, class]``.

        Raises:
            MissingPairError: the input has no segments.
        """
        if encoded.segments is None:
            raise MissingPairError
        hidden = encoded.hidden
        second = encoded.segments == 1  # [batch, token]
        first = ~second if encoded.keep is None else encoded.keep & ~second
        second = second if encoded.keep is None else encoded.keep & second
        weights = self.first_weights(_among(second, self.first(hidden).squeeze(-1)))
        state = _mixed(weights, hidden)
        answers = []
        for _ in range(self.steps):
            scores = _mixed_scores(hidden, self.bilinear(state))  # [batch, token]
            read = _mixed(self.weights(_among(first, scores)), hidden)
            both = torch.cat([state, read, (state - read).abs(), state * read], dim=-1)
            answers.append(self.dense(self.dropout(both)).softmax(dim=-1))
            state = self.unit.step(self.unit.input_projection(read), state)
        probabilities = self.probabilities(torch.stack(answers, dim=1))  # [batch, step, class]
        return self._mean(probabilities).log()

    def _mean(self, probabilities: Tensor) -> Tensor:
        if not self.training or self.step_dropout == 0.0:
            return probabilities.mean(dim=1)
        draws = torch.rand(probabilities.shape[:2], device=probabilities.device)
        # The step with the largest draw always stays.
        kept = (draws >= self.step_dropout) | (draws == draws.amax(dim=1, keepdim=True))
        share = kept / kept.sum(dim=1, keepdim=True)  # [batch, step]
        return (probabilities * share[..., None]).sum(dim=1)


def _among(allowed: Tensor, scores: Tensor) -> Tensor:
    """Weights over the allowed tokens, ``[batch, token]``."""
    return scores.masked_fill(~allowed, torch.finfo(scores.dtype).min).softmax(dim=-1)


def _mixed(weights: Tensor, hidden: Tensor) -> Tensor:
    """``[batch, token]`` and ``[batch, token, width]`` to ``[batch, width]``."""
    return (weights[:, None] @ hidden)[:, 0]


def _mixed_scores(hidden: Tensor, wanted: Tensor) -> Tensor:
    """``[batch, token, width]`` and ``[batch, width]`` to ``[batch, token]``."""
    return (hidden @ wanted[..., None])[..., 0]


def build_task_head(task: TaskConfig, width: int) -> nn.Module:
    """The head of a task, which reads states of this width as :class:`Encoded`."""
    match task.kind:
        case TaskKind.CLASSES:
            return ClassesHead(width, task.classes, task.dropout)
        case TaskKind.SIMILARITY | TaskKind.RANKING:
            return ScoreHead(width, task.dropout)
        case TaskKind.ANSWER_NETWORK:
            return AnswerNetworkHead(
                width,
                task.classes,
                steps=task.steps,
                dropout=task.dropout,
                step_dropout=task.step_dropout,
            )
        case TaskKind.SPAN:
            return TokenHead(width, 2, task.dropout)
        case TaskKind.TAGS:
            return TokenHead(width, task.classes, task.dropout)


class TaskHeads(nn.Module):
    """One head for each task, ``mood_head`` for a task named ``mood``."""

    def __init__(self, tasks: Sequence[TaskConfig], width: int) -> None:
        super().__init__()
        self.names = tuple(task.name for task in tasks)
        for task in tasks:
            # With an ending, or a task could not have a name that torch's modules use: "type".
            self.add_module(f"{task.name}_head", build_task_head(task, width))

    def answer(self, task: str, encoded: Encoded) -> Tensor:
        """What the task's head makes of an input; see the heads for the shapes.

        Raises:
            UnknownTaskError: there is no such task.
        """
        if task not in self.names:
            raise UnknownTaskError(task, self.names)
        return self.get_submodule(f"{task}_head")(encoded)


class FineTuned(nn.Module):
    """An encoder with the head of one task: any system of the BERT family.

    The encoder's own pooler makes the summary; an encoder without one gets a fresh one.

    Args:
        body: moved in, not copied, so that fine-tuning changes it.
        task: what is predicted.
    """

    def __init__(self, body: EncoderBody, task: TaskConfig) -> None:
        super().__init__()
        width = body.encoder_config.layer.width
        self.body = body
        self.pooler = Pooler(width) if body.pooler is None else body.pooler
        self.head = build_task_head(task, width)

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> Tensor:
        """Arguments as in :meth:`EncoderBody.encode`; the result is the head's."""
        hidden = self.body.encode(ids, segments, keep)
        return self.head(Encoded(hidden, self.pooler(hidden), segments, keep))


def candidate_log_probabilities(scores: Tensor, keep: Tensor | None = None) -> Tensor:
    """Which of its candidates answers a query best: a softmax over each row.

    Source: Liu et al. 2019, "Multi-Task Deep Neural Networks", equation 8, with gamma 1.

    Args:
        scores: of a :class:`ScoreHead`, ``[query, candidate]``.
        keep: boolean of the same shape, False where a query has fewer candidates.
    """
    if keep is not None:
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    return scores.log_softmax(dim=-1)


@dataclass(frozen=True)
class Span:
    """An answer: its first and its last token, and the sum of their scores."""

    start: int
    end: int
    score: float


def best_spans(
    logits: Tensor, *, longest: int = 30, allowed: Tensor | None = None, top: int = 1
) -> list[Span]:
    """The answers with the largest score of start plus end, the best first.

    Among equal ones the one that starts first, then the shortest.

    With three tokens, starts 1, 5, 0 and ends 4, 0, 3, at most two tokens long, the sums are::

                end 0  end 1  end 2
        start 0   5      1      .
        start 1   .      5      8
        start 2   .      .      3

    Args:
        logits: of one text, ``[token, 2]``, start and end.
        longest: most tokens of an answer.
        allowed: boolean ``[token]``, True where an answer may start and end; ``None`` for all.
        top: how many; fewer are returned if there are fewer.

    Source: Devlin et al. 2019, "BERT", section 4.2.
    """
    tokens = logits.shape[0]
    start, end = logits.unbind(dim=-1)
    sums = start[:, None] + end[None, :]  # [start, end]
    ordered = torch.ones(tokens, tokens, dtype=torch.bool, device=logits.device)
    possible = ordered.triu() & ordered.tril(longest - 1)  # [start, end]
    if allowed is not None:
        possible &= allowed[:, None] & allowed[None, :]
    bounds = possible.nonzero()  # by start, then by end
    scores, order = sums[possible].sort(descending=True, stable=True)
    return [
        Span(int(bounds[index, 0]), int(bounds[index, 1]), float(score))
        for score, index in zip(scores[:top], order[:top], strict=True)
    ]
