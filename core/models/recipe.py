"""How a system learns: what its record says of its training.

A recipe imports what it trains with when it is asked for a task: whoever opens a checkpoint needs
no objective.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch import nn

from core.config import Head, ModelConfig
from core.errors import ConfigError, MissingHeadError
from core.tokenisation import Tokenizer

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint
    from core.objectives.objective import SummedObjective
    from core.training.material import Material

WORDS = (Head.MASKED_LANGUAGE, "masked words")
NEXT_WORDS = ((Head.LANGUAGE, "next words"),)


@dataclass(frozen=True)
class Sizes:
    """Sizes of a fresh model.

    Attributes:
        layers: of each side.
        width: features between the layers.
        heads: of the attention.
        feed_forward: features within the layers; ``None`` for four times the width.
        positions: tokens of the longest text.
    """

    layers: int
    width: int
    heads: int
    feed_forward: int | None = None
    positions: int = 512

    def named(self) -> dict[str, int]:
        """As the systems' configurations name them."""
        return {
            "layers": self.layers,
            "width": self.width,
            "heads": self.heads,
            "feed_forward": self.feed_forward or 4 * self.width,
            "max_positions": self.positions,
        }


Configure = Callable[[Tokenizer, Sizes], ModelConfig]


def like_bert(make: Callable[..., ModelConfig]) -> Configure:
    """By a system's function whose sizes have the names that BERT's have."""
    return lambda tokenizer, sizes: make(vocabulary=tokenizer.vocabulary_size, **sizes.named())


@dataclass(frozen=True)
class Recipe:
    """One objective, and what a system needs to learn it.

    Attributes:
        objective: its name on the command line.
        fresh: a configuration from a tokenizer and sizes.
        task: batches and loss.
        variant: name that asks for this recipe where another system is the objective's own: that
            of the system, or of a form of it.
        around: what is trained, around the model that is kept and with a generator so many times
            narrower or one that has learnt already (:func:`core.training.fresh.with_generator`);
            the model itself for ``None``.
        kept: name of the kept model within that.
        needs: heads that a model must have, and what they are for.
        segments: kinds of segments that it must tell apart.
        pairs: whether the data are pairs of texts, one a line, with a tab between them.
        taught: whether there is a teacher.
        labelled: whether the data are labelled tasks, for which the model gets heads.
        compiled: whether compiling its step is good for it.
        system: of a fresh model; ``core.training.recipes`` fills it in from the record.
        variants: how other models learn the same, by ``variant``; filled in likewise.
    """

    objective: str
    fresh: Configure
    task: Callable[[Material], SummedObjective[Any, Any]]
    variant: str = ""
    around: Callable[[Any, int, Checkpoint | None], nn.Module] | None = None
    kept: str = ""
    needs: tuple[tuple[Head, str], ...] = ()
    segments: int = 0
    pairs: bool = False
    taught: bool = False
    labelled: bool = False
    compiled: bool = True
    system: str = ""
    variants: Mapping[str, Recipe] = field(default_factory=dict)

    def check(self, config: ModelConfig) -> None:
        """Refuse a model that cannot learn this.

        Raises:
            MissingHeadError: it lacks a head.
            ConfigError: it knows too few kinds of segments.
        """
        for head, task in self.needs:
            if head not in config.heads:
                raise MissingHeadError(task)
        found = config.embedding.segments
        if found < self.segments:
            raise ConfigError(f"pairs need {self.segments} segment types; the model has {found}")


def start_of(config: ModelConfig) -> int:
    """What a decoder beside an encoder reads first.

    Raises:
        ConfigError: there is none.
    """
    if config.start_id is None:
        raise ConfigError(f"a model of the system {config.system} has no decoder of its own")
    return config.start_id
