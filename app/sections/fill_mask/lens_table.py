"""What each layer would have said, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.i18n import _
from app.parts.table_card import Cell, table_card
from app.theme import probability


@dataclass(frozen=True)
class LayerSays:
    """One layer: its likeliest words, and the probability it gives to the word said in the end."""

    words: Sequence[str]
    final: float


def lens_table(layers: Sequence[LayerSays], final: str) -> None:
    """Draw the table; the word said in the end is marked wherever it stands.

    Args:
        layers: from the embeddings to the last layer, three words each.
        final: the word that the last layer says first.
    """
    columns = [
        Cell(_("layer")),
        Cell(_("1st")),
        Cell(_("2nd")),
        Cell(_("3rd")),
        Cell(_("p of “{word}”").format(word=final), number=True),
    ]
    rows = []
    for number, layer in enumerate(layers):
        words = [Cell(word, marked=word == final) for word in layer.words]
        words += [Cell("")] * (3 - len(words))
        rows.append([Cell(str(number)), *words, Cell(probability(layer.final), number=True)])
    table_card(
        _("What each layer would have said"),
        _("logit lens"),
        columns,
        rows,
        note=_("The model’s own head reads what every layer hands on; 0 is the embeddings."),
    )
