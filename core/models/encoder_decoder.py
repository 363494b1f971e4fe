"""Text-to-text bodies: a bidirectional encoder, a causal decoder that also attends to it.

The original Transformer and T5 are this body with other blocks, so both are the one class here.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from core.config import ModelConfig
from core.errors import ConfigError
from core.hooks.sites import in_stream
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.cache import Cache
from core.models.blocks.masks import Mask
from core.models.body import Body, Inputs, Reading
from core.models.decoder import causal_mask
from core.models.heads import LanguageHead, build_language_head

TARGET = "target"


class TextToTextBody(Body):
    """A body whose decoder reads a target and attends to what its encoder made of a source."""

    text_to_text = True
    language: LanguageHead | None

    def encode(self, ids: Tensor, keep: Tensor | None = None) -> Tensor:
        """Read the source.

        Args:
            ids: token ids ``[batch, key]``.
            keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.

        Returns:
            The memory ``[batch, key, memory width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        raise NotImplementedError

    def decode(
        self,
        ids: Tensor,
        memory: Tensor,
        *,
        memory_keep: Tensor | None = None,
        keep: Tensor | None = None,
        cache: Any = None,
    ) -> Tensor:
        """Read the target, each token with those before it and with the source.

        Args:
            ids: token ids ``[batch, token]``, only the new ones if there is a cache.
            memory: of :meth:`encode`.
            memory_keep: boolean ``[batch, key]``, False at the source's padding.
            keep: boolean ``[batch, token]``, False at the target's padding, cached tokens included.
            cache: of ``new_cache``, what earlier steps have left; it is moved on.

        Returns:
            What the next pieces are scored with, ``[batch, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        raise NotImplementedError

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        """Read the source and the whole target at once, as in training; see :meth:`Body.read`."""
        memory = self.encode(inputs.ids, inputs.keep)
        if inputs.target is None:
            return Reading(memory, memory=(memory,))
        hidden = self.decode(
            inputs.target, memory, memory_keep=inputs.keep, keep=inputs.target_keep
        )
        scored = predict and self.language is not None
        return Reading(hidden, self.score_words(hidden) if scored else None, memory=(memory,))

    def forward(
        self,
        ids: Tensor,
        target: Tensor,
        keep: Tensor | None = None,
        target_keep: Tensor | None = None,
    ) -> Reading:
        """:meth:`read` for what two sides read."""
        return self.read(Inputs(ids, keep=keep, target=target, target_keep=target_keep))


class EncoderDecoder(TextToTextBody):
    """One embedding for both sides, two stacks, and a head that scores the next piece.

    Both sides meet the same hook points of the embedding: the target's visits carry the stream
    ``"target"``.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.encoder is None or config.decoder is None:
            raise ConfigError(f"{config.system} needs an encoder and a decoder")
        if not config.decoder.layer.cross_attention:
            raise ConfigError(f"the decoder of {config.system} needs cross-attention")
        self.config = config
        self.embedding = build_embedding(config.embedding)
        self.encoder = build_stack(config.encoder)
        self.decoder = build_stack(config.decoder, bidirectional=False)
        self.language = build_language_head(config)

    def new_cache(self) -> Cache:
        """An empty cache for decoding step by step."""
        return Cache(len(self.decoder.plan))

    def encode(self, ids: Tensor, keep: Tensor | None = None) -> Tensor:
        """See :meth:`TextToTextBody.encode`."""
        mask = None if keep is None else Mask.padding(keep)
        return self.encoder(self.embedding(ids), mask=mask)

    def decode(
        self,
        ids: Tensor,
        memory: Tensor,
        *,
        memory_keep: Tensor | None = None,
        keep: Tensor | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """See :meth:`TextToTextBody.decode`."""
        past = 0 if cache is None else cache.length
        with in_stream(TARGET):
            embedded = self.embedding(ids, start=past)
        return self.decoder(
            embedded,
            mask=causal_mask(ids, past, keep),
            memory=memory,
            memory_mask=None if memory_keep is None else Mask.padding(memory_keep),
            cache=cache,
        )
