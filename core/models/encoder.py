"""The bidirectional body: every token sees every other."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor

from core.config import ModelConfig
from core.errors import ConfigError, MissingHeadError
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.masks import Mask
from core.models.body import Body, Inputs, Reading
from core.models.heads import MaskedLanguageHead, Pooler, ReplacedTokenHead
from core.models.heads_label import build_label_heads


class EncoderBody(Body):
    """Embedding and encoder stack; systems of the BERT family add their heads to it.

    Attributes:
        masked_language: scores words from hidden states; ``None`` where a model has no such head.
        replaced_token: judges tokens; ``None`` likewise.
        pooler: summarises the input; ``None`` likewise.
        pair_head: name of the module that judges two segments.
        judged: what that says, for an error.
    """

    word_head = "masked_language"
    predicts = "masked words"
    pair_head: ClassVar[str | None] = None
    judged: ClassVar[str] = "how two texts belong together"
    masked_language: MaskedLanguageHead | None
    replaced_token: ReplacedTokenHead | None
    pooler: Pooler | None

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.encoder is None:
            raise ConfigError(f"{config.system} needs an encoder")
        self.config = config
        self.encoder_config = config.encoder
        self.embedding = build_embedding(config.embedding)
        self.encoder = build_stack(config.encoder)
        self.pooler = None
        self.masked_language = None
        self.replaced_token = None
        for name, head in build_label_heads(config, config.encoder.layer.width).items():
            self.add_module(name, head)

    def encode(
        self, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> Tensor:
        """Run the body without its heads; arguments and errors as in :class:`Inputs`.

        Returns:
            The last layer's output ``[batch, token, width]``.
        """
        mask = None if keep is None else Mask.padding(keep)
        return self.encoder(self.embedding(ids, segments), mask=mask)

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        """See :meth:`Body.read`."""
        hidden = self.encode(inputs.ids, inputs.segments, inputs.keep)
        if not predict:
            return Reading(hidden)
        pairs = None if self.pair_head is None else getattr(self, self.pair_head)
        return Reading(
            hidden,
            logits=None if self.masked_language is None else self.score_words(hidden),
            pair_logits=None if pairs is None else self.judge_pair(hidden),
            replaced_logits=None if self.replaced_token is None else self.judge_tokens(hidden),
            label_logits=self.give_labels(hidden, inputs.keep),
        )

    def forward(
        self, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> Reading:
        """:meth:`read` for what an encoder reads."""
        return self.read(Inputs(ids, segments, keep))

    def judge_pair(self, hidden: Tensor) -> Tensor:
        """See :meth:`Body.judge_pair`; the columns are those of the model's objective."""
        head = None if self.pair_head is None else getattr(self, self.pair_head)
        if head is None or self.pooler is None:
            raise MissingHeadError(self.judged)
        scores: Tensor = head(self.pooler(hidden))
        return scores

    def summarise(self, hidden: Tensor, keep: Tensor | None = None) -> Tensor:  # noqa: ARG002
        """See :meth:`Body.summarise`: the pooler's summary, or the first token's state."""
        labels = self.config.labels
        if labels is not None and labels.hidden is None and self.pooler is not None:
            return self.pooler(hidden)
        return hidden[:, 0]

    def judge_tokens(self, hidden: Tensor) -> Tensor:
        """See :meth:`Body.judge_tokens`."""
        if self.replaced_token is None:
            return super().judge_tokens(hidden)
        return self.replaced_token(hidden)
