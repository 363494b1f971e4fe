"""What each layer would have said in the place of the mask."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.figures.ranks import RankedWord, RankWords, rank_lines
from app.figures.theme import FigureTheme
from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.sections.fill_mask.reading import LENS_WORDS, MaskedReading
from core.tasks.logit_lens import LensResult


def draw_lens(reading: MaskedReading, status: DeltaGenerator) -> None:
    """Draw the ranks of the likeliest words and of what is hidden, layer by layer.

    Args:
        reading: with the mask that is looked at.
        status: where a wait is spoken of.
    """
    question = reading.lens()
    found = ask(question, status)
    hint = _("logit lens; layer 0 is the embeddings")
    card_heading(_("What each layer would have said"), hint)
    figure = remembered_figure(
        lambda theme: _lines(reading, found, theme), "lens", reading.mask, questions=[question]
    )
    draw_figure(figure, key="lens")


def _lines(reading: MaskedReading, found: LensResult, theme: FigureTheme) -> Figure:
    layers = [layer[reading.mask] for layer in found.layers]
    said = [[reading.readable(piece) for piece, _share in layer] for layer in layers]
    original = _("{word} (hidden)")
    ranked = [
        RankedWord(
            original.format(word=word) if one.original else word,
            one.original,
            one.ranks,
            one.probabilities,
        )
        for one in found.followed[reading.mask]
        for word in (reading.readable(one.token),)
    ]
    words = RankWords(
        layer=_("layer, and the word that it puts first"),
        rank=_("rank in the vocabulary"),
        said=_("puts first"),
    )
    return Figure.of_altair(
        rank_lines(ranked, [best[0] for best in said], words, theme),
        _table(ranked, said),
        _("Rank of the likeliest words and of the hidden one at every layer"),
    )


def _table(ranked: list[RankedWord], said: list[list[str]]) -> dict[str, list[Cell]]:
    columns: dict[str, list[Cell]] = {_("layer"): list(range(len(said)))}
    ordinals = (_("1st"), _("2nd"), _("3rd"))
    for at, ordinal in enumerate(ordinals[:LENS_WORDS]):
        columns[ordinal] = [best[at] if at < len(best) else None for best in said]
    rank, probability = _("rank of {word}"), _("p of {word}")
    for one in ranked:
        columns[rank.format(word=one.name)] = list(one.ranks)
        columns[probability.format(word=one.name)] = [f"{share:.4g}" for share in one.probabilities]
    return columns
