"""What the attention explorer shows or speaks beyond the small canvas."""

from app.i18n import _


def explorer_strings() -> dict[str, str]:
    """Strings in the reader's language, by the names under which the scripts know them."""
    return {
        "view": _("View"),
        "viewGrid": _("Grid"),
        "viewHeads": _("Heads"),
        "viewMatrix": _("Matrix"),
        "viewLines": _("Lines"),
        "palette": _("Palette"),
        "paletteIndigo": _("indigo"),
        "paletteViridis": _("viridis"),
        "paletteCividis": _("cividis"),
        "least": _("Smallest weight drawn"),
        "leastShown": _("≥ {weight}"),
        "hideSpecials": _("hide specials"),
        "maskSink": _("mask sink"),
        "mergePieces": _("merge pieces"),
        "hideSpecialsHint": _("Leave out tokens such as [CLS] and [SEP]"),
        "maskSinkHint": _("Blank the column that most of a head falls on, each head its own"),
        "mergePiecesHint": _("Draw the pieces of a word as one"),
        "part": _("Sentences looked from and at"),
        "partAll": _("all"),
        "partAA": _("A to A"),
        "partAB": _("A to B"),
        "partBA": _("B to A"),
        "partBB": _("B to B"),
        "layer": _("Layer {layer}"),
        "layerBefore": _("Previous layer"),
        "layerAfter": _("Next layer"),
        "headsHint": _("all heads"),
        "heads": _("Heads of a layer. Chosen: {head}."),
        "oneHead": _("head {head}"),
        "headsOfLayer": _("Layer {layer}, heads {list}"),
        "meanOfHeads": _("Layer {layer}, mean of heads {list}"),
        "rowsLookAt": _("rows look at columns"),
        "compare": _("compare heads"),
        "compareHint": _("Click further heads to add them; Ctrl-click does so, too"),
        "unpin": _("Esc unpins"),
        "cell": _("“{query}” → “{key}” {weight}"),
        "sinkMasked": _("masked sink"),
        "notOne": _("Weights keep their values; rows no longer add up to 1."),
        "mergedNote": _("Merged pieces: the sum of what is looked at, the mean of what looks."),
        "overviewWhole": _("Long text: this overview shows every token as it is."),
    }
