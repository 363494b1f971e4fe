"""The causal body: every token sees those before it and itself."""

from __future__ import annotations

from torch import Tensor

from core.config import ModelConfig
from core.errors import ConfigError
from core.models.blocks.build import build_embedding, build_stack
from core.models.blocks.cache import Cache
from core.models.blocks.masks import Mask
from core.models.body import Body, Inputs, Reading
from core.models.heads import build_language_head
from core.models.heads_label import build_label_heads


class DecoderBody(Body):
    """Embedding and causal stack, with a head on the token table."""

    causal = True

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        if config.decoder is None:
            raise ConfigError(f"{config.system} needs a decoder")
        self.config = config
        self.embedding = build_embedding(config.embedding)
        self.decoder = build_stack(config.decoder, bidirectional=False)
        self.window = config.decoder.window
        self.language = build_language_head(config)
        for name, head in build_label_heads(config, config.decoder.layer.width, bias=False).items():
            self.add_module(name, head)

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
        mask = causal_mask(ids, past, keep, self.window)
        return self.decoder(self.embedding(ids, start=past), mask=mask, cache=cache)

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        """See :meth:`Body.read`."""
        return self._predicted(self.decode(inputs.ids, inputs.keep), predict, inputs.keep)

    def forward(
        self, ids: Tensor, keep: Tensor | None = None, cache: Cache | None = None
    ) -> Reading:
        """As :meth:`read`; arguments as in :meth:`decode`."""
        return self._predicted(self.decode(ids, keep, cache), True)

    def _predicted(self, hidden: Tensor, predict: bool, keep: Tensor | None = None) -> Reading:
        if not predict:
            return Reading(hidden)
        words = None if self.language is None else self.score_words(hidden)
        return Reading(hidden, words, label_logits=self.give_labels(hidden, keep))


def causal_mask(
    ids: Tensor, past: int, keep: Tensor | None, window: int | None = None
) -> Mask | None:
    """No key after its query, and no padding: for ids ``[batch, token]`` after ``past`` others.

    ``None`` for a single query that sees all before it, without padding: nothing comes after it.
    """
    tokens = ids.shape[1]
    if tokens == 1 and (window is None or past < window):
        return None if keep is None else Mask.padding(keep)
    mask = Mask.causal(tokens, past + tokens, ids.device, window)
    return mask if keep is None else mask & Mask.padding(keep)
