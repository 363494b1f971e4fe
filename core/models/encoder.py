"""The bidirectional body: every token sees every other."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import ConfigError, MissingHeadError
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.masks import Mask
from core.models.heads import MaskedLanguageHead


class EncoderBody(nn.Module):
    """Embedding and encoder stack; systems of the BERT family add their heads to it.

    Attributes:
        masked_language: scores words from hidden states; ``None`` where a model has no such head.
    """

    masked_language: MaskedLanguageHead | None

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.encoder is None:
            raise ConfigError(f"{config.system} needs an encoder")
        self.config = config
        self.encoder_config = config.encoder
        self.embedding = build_embedding(config.embedding)
        self.encoder = build_stack(config.encoder)
        self.masked_language = None

    def encode(
        self, ids: Tensor, segments: Tensor | None = None, keep: Tensor | None = None
    ) -> Tensor:
        """Run the body.

        Args:
            ids: token ids ``[batch, token]``.
            segments: segment ids of the same shape; ``None`` for segment 0 everywhere.
            keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.

        Returns:
            The last layer's output ``[batch, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        mask = None if keep is None else Mask.padding(keep)
        return self.encoder(self.embedding(ids, segments), mask=mask)

    def score_words(self, hidden: Tensor) -> Tensor:
        """Score every piece at every position: ``[..., width]`` to ``[..., vocabulary]``.

        Raises:
            MissingHeadError: the model has no masked-word head.
        """
        if self.masked_language is None:
            raise MissingHeadError("masked words")
        return self.masked_language(hidden, self.embedding.token_table.weight)
