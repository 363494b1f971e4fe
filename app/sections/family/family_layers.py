"""Small maps of every layer of some models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.i18n import _
from app.parts.scripts import script_component
from app.sections.family.family_card import SmallMap
from app.wire import pack


@dataclass(frozen=True, eq=False)
class LayerGroup:
    """One model: its title, a hint, the maps of all layers, and lines about each layer."""

    title: str
    hint: str
    maps: SmallMap
    captions: Sequence[Sequence[str]]


def family_layers(groups: Sequence[LayerGroup], *, key: str) -> None:
    """Draw the models below each other.

    Args:
        groups: the models.
        key: identity of this picture on its page.
    """
    script_component("sections/family/family_layers", "family-layers")(data=encode(groups), key=key)


def encode(groups: Sequence[LayerGroup]) -> bytes:
    """The message for the script."""
    return pack(
        {
            "groups": list(groups),
            "strings": {
                "rest": _(
                    "Mean over the heads; rows look at columns. Point at a map for a weight."
                ),
                "cell": _("{model}, layer {layer}: “{query}” to “{key}” {weight}"),
            },
        }
    )
