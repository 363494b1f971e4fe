"""The causal body: every token sees those before it and itself."""

from __future__ import annotations

from torch import Tensor, nn

from core.config import ModelConfig
from core.errors import ConfigError
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.cache import Cache
from core.models.blocks.masks import Mask


class DecoderBody(nn.Module):
    """Embedding and causal stack; language models add their head to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.decoder is None:
            raise ConfigError(f"{config.system} needs a decoder")
        self.config = config
        self.embedding = build_embedding(config.embedding)
        self.decoder = build_stack(config.decoder, both_ways=False)

    def new_cache(self) -> Cache:
        """An empty cache for decoding step by step."""
        return Cache(len(self.decoder.plan))

    def decode(self, ids: Tensor, keep: Tensor | None = None, cache: Cache | None = None) -> Tensor:
        """Run the body.

        Args:
            ids: token ids ``[batch, token]``, only the new ones if there is a cache.
            keep: boolean ``[batch, key]``, False at padding, the cached tokens included; ``None``
                if nothing is padded.
            cache: keys and values of earlier tokens; it is extended by these.

        Returns:
            The last layer's output ``[batch, token, width]``.

        Raises:
            SequenceTooLongError: more tokens than positions.
        """
        past = 0 if cache is None else cache.length
        mask = causal_mask(ids, past, keep)
        return self.decoder(self.embedding(ids, start=past), mask=mask, cache=cache)


def causal_mask(ids: Tensor, past: int, keep: Tensor | None) -> Mask | None:
    """No key after its query, and no padding: for ids ``[batch, token]`` after ``past`` others.

    ``None`` for a single query without padding: nothing comes after it.
    """
    tokens = ids.shape[1]
    if tokens == 1:
        return None if keep is None else Mask.padding(keep)
    mask = Mask.causal(tokens, past + tokens, ids.device)
    return mask if keep is None else mask & Mask.padding(keep)
