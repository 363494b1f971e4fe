"""The body with two sides: an encoder that sees everything, a decoder that also looks at it."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import ConfigError
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.cache import Cache
from core.models.blocks.masks import Mask
from core.models.decoder import causal_mask


class EncoderDecoderBody(nn.Module):
    """One embedding for both sides, an encoder stack, and a decoder stack with cross-attention."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.encoder is None or config.decoder is None:
            raise ConfigError(f"{config.system} needs an encoder and a decoder")
        if not config.decoder.layer.cross_attention:
            raise ConfigError(f"the decoder of {config.system} needs cross-attention")
        self.config = config
        self.embedding = build_embedding(config.embedding)
        self.encoder = build_stack(config.encoder)
        self.decoder = build_stack(config.decoder, both_ways=False)

    def new_cache(self) -> Cache:
        """An empty cache for decoding step by step."""
        return Cache(len(self.decoder.plan))

    def encode(self, ids: Tensor, keep: Tensor | None = None) -> Tensor:
        """Read the source.

        Args:
            ids: token ids ``[batch, key]``.
            keep: boolean of the same shape, False at padding; ``None`` if nothing is padded.

        Returns:
            The memory ``[batch, key, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
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
        """Read the target, each token with those before it and with the whole source.

        Args:
            ids: token ids ``[batch, token]``, only the new ones if there is a cache.
            memory: of :meth:`encode`, ``[batch, key, width]``.
            memory_keep: boolean ``[batch, key]``, False at the source's padding.
            keep: boolean ``[batch, token]``, False at the target's padding, cached tokens included.
            cache: keys and values of earlier tokens; it is extended by these.

        Returns:
            The last layer's output ``[batch, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        past = 0 if cache is None else cache.length
        return self.decoder(
            self.embedding(ids, start=past),
            mask=causal_mask(ids, past, keep),
            memory=memory,
            memory_mask=None if memory_keep is None else Mask.padding(memory_keep),
            cache=cache,
        )
