"""How two texts belong together: what BERT, ALBERT and StructBERT were asked in training.

Devlin et al. 2019, "BERT", section 3.1, task 2 (does B follow A?); Lan et al. 2020, "ALBERT",
section 3.1 (do the two stand in their order?); Wang et al. 2020, "StructBERT", section 2.3 (does B
follow A, come before it, or is it from elsewhere?).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError, MissingPairError
from core.tasks.forward import encode, forward
from core.tokenisation import Encoding

FOLLOWS, PRECEDES, ELSEWHERE = "follows", "comes before", "from elsewhere"
IN_ORDER, SWAPPED = "in order", "swapped"


@dataclass(frozen=True)
class _Question:
    objective: str
    head: str  # name of the module
    labels: tuple[str, ...]  # of its columns, numbered as core.objectives.relations.Relation says


_QUESTIONS = {
    Head.NEXT_SENTENCE: _Question("next sentence", "next_sentence", (FOLLOWS, ELSEWHERE)),
    Head.SENTENCE_ORDER: _Question("sentence order", "sentence_order", (IN_ORDER, SWAPPED)),
    Head.SENTENCE_STRUCTURE: _Question(
        "sentence structure", "sentence_structure", (FOLLOWS, PRECEDES, ELSEWHERE)
    ),
}


@dataclass(frozen=True)
class PairJudgement:
    """A model's opinion on two texts.

    Attributes:
        encoding: exactly the tokens that ran.
        objective: what the model was asked in training: ``next sentence``, ``sentence order`` or
            ``sentence structure``.
        labels: the answers there are. The second text ``follows`` the first, ``comes before`` it,
            or is ``from elsewhere``; or the two are ``in order`` or ``swapped``.
        probabilities: of these, in the same order.
        patterns: attention of the pass ``[layer, head, query, key]``, read-only; ``None`` unless
            asked for.
        seconds: wall time of the pass.
        device: where it ran.
    """

    encoding: Encoding
    objective: str
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    patterns: NDArray[np.float32] | None
    seconds: float
    device: str

    @property
    def likeliest(self) -> str:
        """The label of the largest probability."""
        return max(zip(self.probabilities, self.labels, strict=True))[1]


def judge_pair(
    checkpoint: Checkpoint,
    text: str,
    pair: str | None,
    *,
    off: tuple[tuple[int, int], ...] = (),
    cut: bool = False,
    patterns: bool = False,
) -> PairJudgement:
    """Judge how two texts belong together.

    Args:
        checkpoint: a model that was asked about pairs in training.
        text: the first text.
        pair: the second one.
        off: pairs of layer and head to ablate in this pass.
        cut: leave out the end of the longer text until both fit, instead of refusing.
        patterns: also keep the attention of this pass.

    Raises:
        MissingHeadError: the model judges no pairs.
        MissingPairError: there is no second text.
        NoSuchHeadError: a head that the model does not have.
        EmptyTextError, TextTooLongError, SequenceTooLongError: as in :func:`attend`.
    """
    questions = [_QUESTIONS[head] for head in checkpoint.config.heads if head in _QUESTIONS]
    if not questions:
        raise MissingHeadError("how two texts belong together")
    if pair is None:
        raise MissingPairError
    question = questions[0]
    encoding = encode(checkpoint, text, pair, cut=cut)
    site = f"{question.head}.logits"
    ran = forward(checkpoint, encoding, head=site, off=off, patterns=patterns)
    return PairJudgement(
        encoding=encoding,
        objective=question.objective,
        labels=question.labels,
        probabilities=tuple(ran.logits.float().softmax(-1).tolist()),
        patterns=ran.patterns,
        seconds=ran.seconds,
        device=ran.device,
    )
