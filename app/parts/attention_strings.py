"""What the attention canvas shows or speaks."""

from app.i18n import _


def canvas_strings() -> dict[str, str]:
    """Every string the canvas shows or speaks, in the reader's language."""
    return {
        "tokens": _("Tokens: choose where the lines start"),
        "allHeads": _("All heads"),
        "allHeadsHint": _("layers down, heads across"),
        "atlas": _("Attention of all heads. Chosen: {head}."),
        "head": _("Layer {layer}, head {head}"),
        "from": _("from “{token}”"),
        "fromAll": _("from every token"),
        "strongest": _("strongest: “{query}” to “{key}” {weight}"),
        "keys": _("keys: arrows, Home, End"),
        "worthALook": _("Worth a look:"),
        "fetching": _("Fetching layer {layer}…"),
        "scale": _("Colour scale"),
        "scaleAbsolute": _("absolute"),
        "scaleHead": _("per head"),
        "scaleRow": _("per row"),
        "legendAbsolute": _("1"),
        "legendHead": _("largest in the head"),
        "legendRow": _("largest in the row"),
        "mapSet": _("Kind of attention"),
        "lines": _("Lines of {head}, {from}. {summary}"),
        "looksMost": _("“{query}” looks most at {list}"),
        "looksNowhere": _("“{query}” is masked: it may look at nothing."),
        "chooseToken": _("Choose a token to see its weights."),
        "keyWeight": _("“{key}” {weight}"),
        "gap": _("{count} more"),
        "attends": _("{head}: “{query}” attends {weight} to “{key}”"),
        "table": _("Weights as a table"),
        "tableCaption": _("Strongest weights of {head}, {from}"),
        "token": _("token"),
        "position": _("position"),
        "weight": _("weight"),
        "masked": _("masked"),
        # What the explorer has beyond the small canvas.
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
        "exportView": _("Save this view"),
        "layer": _("Layer {layer}"),
        "layerBefore": _("Previous layer"),
        "layerAfter": _("Next layer"),
        "headsHint": _("all heads"),
        "heads": _("Heads of a layer. Chosen: {head}."),
        "oneHead": _("head {head}"),
        "headsOfLayer": _("Layer {layer}, heads {list}"),
        "meanOfHeads": _("Layer {layer}, mean of heads {list}"),
        "legendMean": _("largest mean weight"),
        "rowsLookAt": _("rows look at columns"),
        "compare": _("compare heads"),
        "compareHint": _("Click further heads to add them; Ctrl-click does so, too"),
        "unpin": _("Esc unpins"),
        "cell": _("“{query}” → “{key}” {weight}"),
        "points": _("heads as points"),
        "pointsHint": _("Beside the grid: every head by distance, entropy and sink"),
        "pointsWaiting": _("The heads are being measured…"),
        "pointsMissing": _("The chart could not be drawn; below are its values."),
        "pointsHow": _("Drag over points: their heads light up in the grid. Click one: chosen."),
        "pointsLit": _("{count} of {all} heads are lit in the grid."),
        "sinkMasked": _("masked sink"),
        "notOne": _("Weights keep their values; rows no longer add up to 1."),
        "mergedNote": _("Merged: keys summed, queries averaged."),
        "overviewWhole": _("Long text: this overview shows every token as it is."),
        # What is pinned.
        "looksAt": _("“{query}” looks at"),
        "nothingPinned": _("Nothing is pinned"),
        "howToPin": _("Click a token, a row or a cell to see its weights as numbers."),
        "exact": _("exact, float32"),
        "rounded": _("as drawn, in 255 steps"),
        "allOthers": _("all others"),
        "rowSum": _("row sum"),
        "entropy": _("Entropy {entropy} of {most} bits"),
        "meanDistance": _("Mean distance {distance} tokens"),
        "onFirst": _("On the first token {share}"),
        "onSeparators": _("On separators {share}"),
        "resting": _("{share} of this head goes to “{key}”: a resting place."),
        "similarTo": _("Most like layer {layer}, head {head}"),
        "distanceMeans": _(
            "How much of a row’s weight would have to move, in the mean over all rows: 0 for the"
            " same map, 1 for maps that share nothing."
        ),
        "similarHead": _("Layer {layer}, head {head}, distance {distance}"),
        "breakdown": _("How this weight came about"),
        "breakdownHint": _("Pin a cell to see how its weight came about."),
        "breakdownCell": _("{head}: “{query}” to “{key}”"),
        "breakdownMerged": _(
            "Merged words have several weights, one for each pair of their pieces: unmerge them to"
            " see how one came about."
        ),
        "breakdownElsewhere": _(
            "How a weight came about is shown for texts that are read in their own order."
        ),
        "breakdownWaiting": _("The model is asked about this cell…"),
        "breakdownMissing": _("No answer came about this cell: unpin it and pin it again."),
        "productBars": _("Products of {count} features, {positive} of them above zero"),
        "feature": _("Feature {feature}: {product}"),
        "largestFeature": _("Most comes from feature {feature}: {product}"),
        "stepProduct": _("Query times key, {count} features"),
        "spokenProduct": _("Query times key, summed over {count} features, is {dot}."),
        "stepScale": _("Scaled to a score"),
        "spokenScale": _("{dot} times the scale {scale} is the score {score}."),
        "spokenBias": _(
            "{dot} times the scale {scale}, plus {bias} from the positions, is the score {score}."
        ),
        "scaleIsRoot": _("{scale} is 1 / √{count}"),
        "biasIsPosition": _(
            "{bias} is what else is added: for the distance of the two tokens, in XLNet for the key"
            " and the segments too"
        ),
        "stepMask": _("Mask"),
        "mayLook": _("may look"),
        "mayLookMeans": _("the score stays as it is"),
        "mayNotLook": _("may not look"),
        "mayNotLookMeans": _("the score becomes the lowest number there is"),
        "stepSoftmax": _("Softmax of the row"),
        "spokenSoftmax": _(
            "e to the power of {score} minus {largest} is {exponential}; divided by {total} it is"
            " the weight {weight}."
        ),
        "spokenMasked": _("{exponential} divided by {total} is the weight {weight}."),
        "softmaxMeans": _(
            "{largest} is the row’s largest score, {total} the sum over its {keys} tokens"
        ),
        # What is saved.
        "exportTooLong": _(
            "The table would have {count} lines, and a spreadsheet opens at most {most}. "
            "Raise the threshold, or take the matrix of one head or the .npz file."
        ),
    }
