"""The record of a system: everything that is not a block, stated in its architecture's file."""

from __future__ import annotations

from dataclasses import dataclass

from core.hugging_face.family import Family
from core.models.body import Body
from core.models.recipe import Recipe


@dataclass(frozen=True)
class System:
    """One system.

    Attributes:
        title: as a person reads it.
        year: of the paper: systems are listed in their order.
        paper: that it comes from.
        model: its body, built from a configuration.
        family: its checkpoints: how a configuration is read from ``config.json`` and what tensors
            are called there.
        recipes: how it learns; none for one that is opened only.
        relatives: further ``model_type`` under which its checkpoints come.
    """

    title: str
    year: int
    paper: str
    model: type[Body]
    family: Family
    recipes: tuple[Recipe, ...] = ()
    relatives: tuple[Family, ...] = ()

    @property
    def name(self) -> str:
        """As in ``ModelConfig.system``."""
        return self.family.system

    @property
    def text_to_text(self) -> bool:
        """Whether it reads one text and writes another."""
        return self.model.text_to_text

    @property
    def recurrent(self) -> bool:
        """Whether it reads with gates in place of attention heads."""
        return self.model.recurrent

    @property
    def permuting(self) -> bool:
        """Whether it reads the tokens of a text in any order, in two streams."""
        return bool(self.model.streams)

    @property
    def causal(self) -> bool:
        """Whether each token sees only those before it, in one text without segments."""
        return self.model.causal
