"""ELECTRA's two networks in training: they share their tables."""

from __future__ import annotations

from torch import nn

from core.errors import ConfigError
from core.models.architectures.electra import Electra


class ElectraPair(nn.Module):
    """A generator and a discriminator with the same token, position and segment tables.

    Source: Clark et al. 2020, "ELECTRA", section 3.2: with a smaller generator the tables have the
    width of the discriminator's, and the generator a projection.

    Attributes:
        generator: fills in hidden words; its tables are replaced by the discriminator's.
        discriminator: what is kept after the training.

    Raises:
        ConfigError: the tables of the two have different shapes.
    """

    def __init__(self, generator: Electra, discriminator: Electra) -> None:
        super().__init__()
        small, large = generator.config.embedding, discriminator.config.embedding
        sizes = [
            (one.vocabulary, one.width, one.position_rows, one.segments) for one in (small, large)
        ]
        if sizes[0] != sizes[1]:
            raise ConfigError(
                "generator and discriminator share their tables, but tokens, width, positions and"
                f" segments are {sizes[0]} and {sizes[1]}"
            )
        self.generator = generator
        self.discriminator = discriminator
        for name in ("token_table", "position_table", "segment_table"):
            setattr(generator.embedding, name, getattr(discriminator.embedding, name))
