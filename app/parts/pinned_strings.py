"""What the attention explorer says of a pinned row and of a pinned cell."""

from app.i18n import _


def pinned_strings() -> dict[str, str]:
    """Strings in the reader's language, by the names under which the scripts know them."""
    return {
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
    }
