"""What every model answers, whichever way it reads: its states, and scores where it has heads.

Tasks, evaluations and decoders ask a body; they never ask which class it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from core.config import FINE_TUNED_HEADS, Head, ModelConfig
from core.errors import MissingHeadError
from core.models.blocks.embedding import Embedding
from core.models.heads_label import last_token


@dataclass(frozen=True)
class Inputs:
    """What a body reads in one pass. A body leaves alone what it has no use for.

    Attributes:
        ids: token ids ``[batch, token]``; of a body with two sides, those of the source.
        segments: segment ids of the same shape; ``None`` for segment 0 everywhere, in XLNet for no
            segment term.
        keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.
        target: what the decoder beside an encoder reads, its start token first, ``[batch,
            target]``; ``None`` to read the source alone.
        target_keep: boolean like ``target``, False at padding.
        order: boolean ``[batch or 1, token, token]``, True where a key comes before a query in the
            order in which a permutation body reads; ``None`` for everybody before everybody.
        predicted: positions that the query stream of a permutation body predicts, ``[batch,
            prediction]``; ``None`` for no query stream.
    """

    ids: Tensor
    segments: Tensor | None = None
    keep: Tensor | None = None
    target: Tensor | None = None
    target_keep: Tensor | None = None
    order: Tensor | None = None
    predicted: Tensor | None = None


@dataclass(frozen=True)
class Reading:
    """What came out of one pass.

    Attributes:
        hidden: the last states ``[batch, token, width]``: of the target where there is one, of the
            query stream where there are predicted positions.
        logits: scores of every piece at these positions, ``[batch, token, vocabulary]``; ``None``
            without the head, or where it was not asked for.
        pair_logits: how two segments belong together, ``[batch, class]``, if the model has a head.
        replaced_logits: positive for a replaced token, ``[batch, token]``, if the model has a head.
        label_logits: of a fine-tuned model, ``[batch, label]`` or ``[batch, token, label]``; of one
            that answers questions, start and end of the answer ``[batch, token, 2]``.
        memory: what a later pass may read: the encoder's output ``[batch, key, width]`` of a body
            with two sides, ``[batch, kept, width]`` of every layer of a permutation body.
    """

    hidden: Tensor
    logits: Tensor | None = None
    pair_logits: Tensor | None = None
    replaced_logits: Tensor | None = None
    label_logits: Tensor | None = None
    memory: tuple[Tensor, ...] = ()


class Body(nn.Module):
    """A model. What it cannot do, it refuses by name.

    Attributes:
        text_to_text: whether it reads one text and writes another.
        causal: whether each token sees only those before it, in one text without segments.
        recurrent: whether it reads with gates in place of attention heads.
        streams: that read the text side by side, the one with the tokens first; empty for one.
        summary_segment: segment of the summary token where it has one of its own, else ``None``.
        word_head: name of the module that scores words.
        predicts: what that says, for an error.
        config: what it is made of.
        embedding: holds the token table, which scores words too.
    """

    text_to_text: ClassVar[bool] = False
    causal: ClassVar[bool] = False
    recurrent: ClassVar[bool] = False
    streams: ClassVar[tuple[str, ...]] = ()
    summary_segment: ClassVar[int | None] = None
    word_head: ClassVar[str] = "language"
    predicts: ClassVar[str] = "next words"
    config: ModelConfig
    embedding: Embedding

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        """Run once.

        Args:
            inputs: what is read.
            predict: whether to run the heads, too; scoring a vocabulary at every token takes a
                tenth of a pass and more.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        raise NotImplementedError

    @property
    def word_site(self) -> str:
        """The hook point that scores of words pass."""
        return f"{self.word_head}.logits"

    @property
    def scores_words(self) -> bool:
        """Whether there is a head for words."""
        return getattr(self, self.word_head) is not None

    def score_words(self, hidden: Tensor) -> Tensor:
        """Score every piece: ``[..., width]`` to ``[..., vocabulary]``.

        Raises:
            MissingHeadError: the model has no such head.
        """
        head = getattr(self, self.word_head)
        if head is None:
            raise MissingHeadError(self.predicts)
        scores: Tensor = head(hidden, self.embedding.token_table.weight)
        return scores

    @property
    def label_head(self) -> str | None:
        """The module that gives labels, or finds answers, of a fine-tuned model."""
        found = (head.value for head in FINE_TUNED_HEADS if head in self.config.heads)
        return next(found, None)

    def give_labels(self, hidden: Tensor, keep: Tensor | None = None) -> Tensor | None:
        """What the head of a fine-tuned model says, see ``core.models.heads_label``.

        Args:
            hidden: ``[batch, token, width]``.
            keep: boolean ``[batch, token]``, False at padding.

        Returns:
            As ``Reading.label_logits``; ``None`` without such a head.
        """
        if self.label_head is None:
            return None
        whole = self.label_head == Head.SEQUENCE_CLASSES.value
        seen = self.summarise(hidden, keep) if whole else hidden
        scores: Tensor = getattr(self, self.label_head)(seen)
        return scores

    def summarise(self, hidden: Tensor, keep: Tensor | None = None) -> Tensor:
        """What a head for whole texts reads: ``[batch, token, width]`` to ``[batch, width]``."""
        return last_token(hidden, keep)

    def judge_pair(self, hidden: Tensor) -> Tensor:  # noqa: ARG002
        """How do two segments belong together? ``[batch, token, width]`` to ``[batch, class]``.

        Raises:
            MissingHeadError: the model has no such head.
        """
        raise MissingHeadError("how two texts belong together")

    def judge_tokens(self, hidden: Tensor) -> Tensor:  # noqa: ARG002
        """Was each token replaced? ``[batch, token, width]`` to ``[batch, token]``.

        Raises:
            MissingHeadError: the model is no discriminator.
        """
        raise MissingHeadError("replaced tokens")

    @property
    def span_positions(self) -> int:
        """Positions of a span that :meth:`score_spans` knows; 0 without its head."""
        return 0

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:  # noqa: ARG002
        """Score words from the states around their span, see ``core.models.heads_span``.

        Raises:
            MissingHeadError: the model has no such head.
        """
        raise MissingHeadError("words from the boundaries of their span")

    def answer_tasks(self, inputs: Inputs, tasks: Sequence[str]) -> dict[str, Tensor]:  # noqa: ARG002
        """What the heads of labelled tasks say, see :mod:`core.models.task_heads`, by task.

        Raises:
            MissingHeadError: the model has no such heads.
        """
        raise MissingHeadError("labelled tasks")
