"""Heads as points, for the canvas of attention: drawn in the browser beside the grid of all heads.

Figure and numbers come by the canvas's channel once a reader asks for them: a page that opens loads
neither Altair nor Vega.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.figures.theme import FigureTheme
from app.i18n import _, ngettext
from app.parts.attention_canvas import is_of_one_text
from app.parts.figure import Cell, Figure, value_strings
from app.parts.scripts import vega_address
from core.analysis.heads import HeadMeasures, measure_heads, telling_rows
from core.tasks import AttentionMap


def head_points_message(one: AttentionMap, theme: FigureTheme) -> dict[str, Any]:
    """What the browser draws of one kind of attention.

    Args:
        one: the maps.
        theme: of the screen.

    Returns:
        The figure as a specification of Vega-Lite, ``None`` where no row says anything; its table
        by columns; what is said of one head; what was measured, in a sentence.
    """
    rows = telling_rows(one.query.special, one.masked)
    if not rows.any():
        return {"figure": None, "said": _("No row of this text says anything of a head.")}
    found = measure_heads(one.patterns, rows, across=not is_of_one_text(one))
    figure = _figure(one, found, theme)
    says = _("{head} · {distance} tokens · {entropy} bits · {first} on the first token")
    if not is_of_one_text(one):
        says = _("{head} · {distance} from the diagonal · {entropy} bits · {first} on the first")
    return {
        "figure": figure.chart,
        "says": says,
        "columns": list(figure.table),
        "cells": [list(column) for column in figure.table.values()],
        "said": _said(int(rows.sum()), across=not is_of_one_text(one)),
        "strings": value_strings(figure.alt),
        "vega": vega_address(),
    }


def _figure(one: AttentionMap, found: HeadMeasures, theme: FigureTheme) -> Figure:
    from app.figures.head_points import HeadWords, head_points

    token = one.key.pieces[0]
    distance = _("mean distance (tokens)")
    if not is_of_one_text(one):
        distance = _("mean distance from the diagonal (share)")
    words = HeadWords(
        distance=distance,
        entropy=_("mean entropy of a row (bits)"),
        first=_("share of the weight on the first token, “{token}”").format(token=token),
    )
    layers, heads = np.indices(found.distance.shape)
    table: Mapping[str, Sequence[Cell]] = {
        _("layer"): layers.ravel().tolist(),
        _("head"): heads.ravel().tolist(),
        words.distance: found.distance.ravel().tolist(),
        words.entropy: found.entropy.ravel().tolist(),
        words.first: found.first.ravel().tolist(),
    }
    return Figure.of_altair(
        head_points(*found, words, theme), table, _("Every head by distance, entropy and sink")
    )


def _said(rows: int, *, across: bool) -> str:
    said = ngettext(
        "Mean over {count} row; those of special tokens and of one key alone are left out.",
        "Mean over {count} rows; those of special tokens and of one key alone are left out.",
        rows,
    ).format(count=rows)
    if not across:
        return said
    places = _("Places in either text go from 0 to 1: on the diagonal they are the same.")
    return f"{said} {places}"
