"""Every string that the picture of replaced tokens shows or speaks."""

from __future__ import annotations

from typing import Any

from app.figures.operating_points import PointWords
from app.i18n import _


def replaced_strings() -> dict[str, Any]:
    """The strings by name; places in braces are filled in the browser."""
    return {**_sentence(), **_tables(), **_losses(), **_curves(), **_score()}


def point_words() -> PointWords:
    """What stands at the axes of the curves and in their tooltips."""
    return PointWords(
        token=_("token"),
        score=_("P(replaced)"),
        truth=_("truth"),
        positive=_("replaced"),
        negative=_("original"),
        threshold=_("threshold"),
        recall=_("recall (share of the replaced)"),
        rate=_("false-positive rate (share of originals)"),
        precision=_("precision (share of the called)"),
    )


def _sentence() -> dict[str, Any]:
    return {
        "title": _("Which tokens were replaced?"),
        "lightHint": _("lit by P(replaced) = 1 − D; the paper’s D is P(original)"),
        "markHint": _("click those that you think were, then show the answer"),
        "threshold": _("Threshold"),
        "tokens": _("Tokens: {hint}"),
        "editHint": _("choose one to change its word"),
        "lookHint": _("choose one to read its numbers"),
        "verdicts": {
            "found": _("found"),
            "missed": _("missed"),
            "alarm": _("false alarm"),
            "same": _("drawn again"),
            "suspected": _("suspected"),
            "marked": _("marked"),
        },
        "tokenLabel": _("{piece}, P(replaced) {share}{verdict}"),
        "markLabel": _("{piece}, click to mark"),
        "readoutEmpty": _("Point at a token to read its numbers."),
        "readoutEdit": _("Click a word to change it: Enter keeps it, Esc does not."),
        "readoutMark": _("Nothing is lit before you have marked: {count} marked so far."),
        "readout": _("“{piece}”: P(replaced) {share}, so D = {original}."),
        "readoutWas": _("“{piece}” for “{was}”: P(replaced) {share}, so D = {original}."),
        "readoutNats": _("Loss here −ln {truth} = {nats} nats."),
        "readoutSame": _("The generator drew the original: that counts as original."),
        "notJudged": _("“{piece}” is not judged: nobody typed it."),
        "counts": _(
            "At {threshold}: found {found} of {replaced} replaced tokens, false alarms {alarms}."
            " Right on {right} of {all} typed tokens; who calls all original, on {base}."
        ),
        "countsUnknown": _(
            "At {threshold} the model suspects {suspected} of {all} typed tokens. Nothing is"
            " changed here, so there is no truth to compare with."
        ),
        "show": _("Show the answer"),
        "again": _("Mark once more"),
        "editLabel": _("New word for “{word}”"),
    }


def _tables() -> dict[str, Any]:
    return {
        "samples": _("What the generator puts there"),
        "samplesHint": _("its likeliest pieces, and its draw"),
        "samplesColumns": [_("hidden"), _("likeliest"), _("drawn"), _("nats")],
        "samplesNote": _(
            "Drawn by chance with these probabilities, not the likeliest. Nats: −ln of the"
            " probability of the hidden piece. Bold: the original."
        ),
        "changes": _("What you changed"),
        "changesHint": _("the highest P(replaced) of its tokens"),
        "changesColumns": [_("was"), _("is"), _("P(replaced)"), ""],
        "changesNone": _("Nothing yet. Click a word above and write another one."),
        "nothing": _("(taken out)"),
        "later": _("Comes with the answer."),
    }


def _losses() -> dict[str, Any]:
    return {
        "losses": _("The losses of this sentence"),
        "lossesHint": _("in nats"),
        "lossesNone": _("Without a truth there is no loss: change a word."),
        "masked": _("Generator, {count} hidden"),
        "sumOf": _("sum of {count}"),
        "ofReplaced": _("Discriminator, {count} replaced"),
        "ofOriginal": _("Discriminator, {count} original"),
        "mean": _("Mean over {count} tokens"),
        "weighted": _("{weight} × the mean"),
        "together": _("Together"),
        "lossesNote": _(
            "Worked step by step with the rounded numbers shown; unrounded {exact}. Clark et al."
            " 2020, “ELECTRA”, section 2."
        ),
        "lossesReader": _(
            "You replaced the words, so the generator has no loss. In training [CLS] and [SEP]"
            " count too; unrounded {exact}."
        ),
        "terms": _("Every token’s term"),
        "termColumns": [_("token"), _("P(replaced)"), _("truth"), _("nats")],
        "truths": [_("original"), _("replaced")],
    }


def _curves() -> dict[str, Any]:
    words = point_words()
    return {
        "curves": _("At every threshold"),
        "curvesHint": _("drag the line or the ring: the threshold above follows"),
        "operatingPoint": _(
            "At {threshold}: precision {precision} ({found} of {called} called tokens), recall"
            " {recall} ({found} of {replaced} replaced), false-positive rate {rate} ({alarms} of"
            " {original} original)."
        ),
        "tokensTitle": _("P(replaced) of each token"),
        "rocTitle": _("ROC curve · area {area}"),
        "precisionTitle": _("Precision-recall · average precision {average}"),
        "points": {
            "least": _("least threshold"),
            "rate": words.rate,
            "recall": words.recall,
            "precision": words.precision,
        },
        "fromThreshold": _("from {threshold}"),
        "below": _("below all"),
        "curvesNote": _(
            "This sentence alone: {replaced} replaced and {original} original tokens, so the curves"
            " go in large steps. Called is a token whose P(replaced) is above the threshold, which"
            " moves by 0.01. Dashed: what chance would reach."
        ),
        "noCurves": {
            "unknown": _("Nothing is changed here, so there is no truth to draw a curve from."),
            "noneReplaced": _(
                "No token of this sentence was replaced: without one there is no recall, and so no"
                " curve."
            ),
            "allReplaced": _(
                "Every token of this sentence was replaced: without an original one there is no"
                " false-positive rate, and so no curve."
            ),
        },
    }


def _score() -> dict[str, Any]:
    return {
        "score": _("The class against the model"),
        "scoreHint": _("in words; sentences so far: {count}"),
        "scoreColumns": ["", _("found"), _("false alarms"), _("points"), _("words right")],
        "players": [_("You"), _("The model"), _("Who marks nothing")],
        "of": _("{some} of {all}"),
        "scoreNote": _(
            "A replaced word found is a point, a false alarm takes one off. A word counts as"
            " replaced, or suspected, if any of its tokens is. The model is scored at the threshold"
            " that stood when the answer was shown; each sentence counts once. The score stays in"
            " this browser tab."
        ),
        "clear": _("Start again at 0"),
    }
