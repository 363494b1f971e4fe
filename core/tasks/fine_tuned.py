"""What fine-tuned checkpoints say: a label of a text, a label of every token, an answer.

Devlin et al. 2019, "BERT", sections 4.1, 4.2 and 5.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.checkpoints import Checkpoint
from core.config import Head, LabelChoice
from core.errors import MissingHeadError, MissingPairError
from core.models.task_heads import best_spans
from core.tasks.errors import TopOutOfRangeError
from core.tasks.forward import encode, forward, read_only
from core.tokenisation import Encoding

MOST_ANSWERS = 20
MOST_TOKENS = 30  # of an answer


@dataclass(frozen=True)
class ClassifiedText:
    """The labels of a text, or of a pair.

    Attributes:
        encoding: exactly the tokens that ran.
        labels: that there are, by their numbers.
        scores: of each, as they pass the head's hook point.
        choice: whether one label is right, whether each may be, or whether scores are numbers.
        probabilities: of the labels, a softmax or a sigmoid each; empty where scores are numbers.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    labels: tuple[str, ...]
    scores: tuple[float, ...]
    choice: LabelChoice
    probabilities: tuple[float, ...]
    seconds: float
    device: str


@dataclass(frozen=True)
class TaggedText:
    """The labels of all tokens.

    Attributes:
        encoding: exactly the tokens that ran.
        labels: that there are, by their numbers.
        probabilities: ``[token, label]``, float32, read-only.
        best: the likeliest label of every token, special ones included.
        seconds, device: as in :class:`ClassifiedText`.
    """

    encoding: Encoding
    labels: tuple[str, ...]
    probabilities: NDArray[np.float32]
    best: tuple[str, ...]
    seconds: float
    device: str


@dataclass(frozen=True)
class FoundAnswer:
    """One answer to a question.

    Attributes:
        text: as it stands in the text.
        start, end: its first and its last token.
        score: start and end together, as they pass the head's hook point.
        probability: of this start times that of this end, among all tokens of the text.
    """

    text: str
    start: int
    end: int
    score: float
    probability: float


@dataclass(frozen=True)
class AnsweredQuestion:
    """Where a text answers a question.

    Attributes:
        encoding: of question and text.
        answers: the best first.
        seconds, device: as in :class:`ClassifiedText`.
    """

    encoding: Encoding
    answers: tuple[FoundAnswer, ...]
    seconds: float
    device: str


def classify_text(
    checkpoint: Checkpoint, text: str, pair: str | None = None, *, cut: bool = False
) -> ClassifiedText:
    """Give a text, or a pair, the labels of a fine-tuned model.

    Args:
        checkpoint: a model for sequence classification.
        text: what a person typed.
        pair: a second text, for a model that was fine-tuned on pairs.
        cut: leave out the end of texts that are too long, instead of refusing.

    Raises:
        MissingHeadError: the model gives no labels to texts.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    labels = checkpoint.config.labels
    if labels is None or Head.SEQUENCE_CLASSES not in checkpoint.config.heads:
        raise MissingHeadError("labels of texts")
    encoding = encode(checkpoint, text, pair, cut=cut)
    ran = forward(checkpoint, encoding, head=f"{Head.SEQUENCE_CLASSES.value}.logits")
    scores = ran.logits.float()  # [label]
    shares: Tensor = scores.new_empty(0)
    if labels.choice is LabelChoice.ONE:
        shares = scores.softmax(-1)
    elif labels.choice is LabelChoice.SEVERAL:
        shares = scores.sigmoid()
    return ClassifiedText(
        encoding=encoding,
        labels=labels.names,
        scores=tuple(scores.tolist()),
        choice=labels.choice,
        probabilities=tuple(shares.tolist()),
        seconds=ran.seconds,
        device=ran.device,
    )


def tag_tokens(checkpoint: Checkpoint, text: str, *, cut: bool = False) -> TaggedText:
    """Give every token of a text a label of a fine-tuned model.

    Args:
        checkpoint: a model for token classification.
        text: what a person typed.
        cut: leave out the end of a text that is too long, instead of refusing.

    Raises:
        MissingHeadError: the model gives no labels to tokens.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    labels = checkpoint.config.labels
    if labels is None or Head.TOKEN_CLASSES not in checkpoint.config.heads:
        raise MissingHeadError("labels of tokens")
    encoding = encode(checkpoint, text, cut=cut)
    ran = forward(checkpoint, encoding, head=f"{Head.TOKEN_CLASSES.value}.logits")
    shares = ran.logits.float().softmax(-1).cpu()  # [token, label]
    best = tuple(labels.names[number] for number in shares.argmax(-1).tolist())
    return TaggedText(encoding, labels.names, read_only(shares), best, ran.seconds, ran.device)


def answer_question(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None,
    *,
    top: int = 5,
    cut: bool = False,
) -> AnsweredQuestion:
    """Find where a text answers a question.

    Args:
        checkpoint: a model for answers that are spans of a text.
        text: the question.
        pair: the text that answers it.
        top: how many answers, at most ``MOST_ANSWERS``.
        cut: leave out the end of texts that are too long, instead of refusing.

    Raises:
        MissingHeadError: the model finds no answers.
        MissingPairError: there is only a question.
        TopOutOfRangeError: too few or too many answers are asked for.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    if Head.ANSWER_SPAN not in checkpoint.config.heads:
        raise MissingHeadError("answers in a text")
    if pair is None:
        raise MissingPairError
    if not 1 <= top <= MOST_ANSWERS:
        raise TopOutOfRangeError(top, MOST_ANSWERS)
    encoding = encode(checkpoint, text, pair, cut=cut)
    ran = forward(checkpoint, encoding, head=f"{Head.ANSWER_SPAN.value}.logits")
    logits = ran.logits.float().cpu()  # [token, 2]
    allowed = torch.tensor(
        [
            segment == 1 and not special
            for segment, special in zip(encoding.segments, encoding.special, strict=True)
        ]
    )
    shares = logits.masked_fill(~allowed[:, None], -torch.inf).log_softmax(0)
    found = best_spans(
        logits,
        longest=MOST_TOKENS,
        allowed=allowed,
        top=top,
    )
    return AnsweredQuestion(
        encoding=encoding,
        answers=tuple(
            FoundAnswer(
                text=_between(encoding, one.start, one.end),
                start=one.start,
                end=one.end,
                score=one.score,
                probability=float((shares[one.start, 0] + shares[one.end, 1]).exp()),
            )
            for one in found
        ),
        seconds=ran.seconds,
        device=ran.device,
    )


def _between(encoding: Encoding, start: int, end: int) -> str:
    return encoding.texts[1][encoding.offsets[start][0] : encoding.offsets[end][1]]
