"""A translation step by step in the browser: maps, the softmax, and the search as a tree.

The browser gets the weights of every head as uint16, 65,535 for 1, ``[layer, head, query, key]``,
so a weight is known to 1 / 131,070; a recurrent decoder's scores as float32 ``[target, source]``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import N_, _, ngettext
from app.parts.choices import Choice, address_choices
from app.parts.scripts import script_component
from app.theme import percent
from app.wire import pack
from core.tasks.errors import TooManyWeightsError
from core.tasks.watch_translation import WatchedTranslation
from core.tokenisation import Encoding, readable

LEVELS: Final = 65_535
MOST_WEIGHTS: Final = 6_000_000  # of two bytes each: what a reader waits for
OWN: Final = ("layer", "head", "step")  # settings that the picture keeps in the browser


# What each kind of attention is called, who asks in it, and who is asked.
KINDS: Final = {
    "encoder": (N_("Encoder"), N_("source to source"), "source", "source"),
    "decoder": (N_("Decoder"), N_("target to target"), "target", "target"),
    "cross": (N_("Cross"), N_("target to source"), "target", "source"),
}
ALIGNMENT: Final = (N_("Alignment"), N_("each row: where one piece came from"))


def translation_view(
    found: WatchedTranslation, choice: Choice, *, key: str, on_follow: Callable[[], None]
) -> None:
    """Draw a translation; steps, layer and head are chosen in the browser and rerun nothing.

    Args:
        found: what to draw.
        choice: what the last scene says, with a number of its own.
        key: identity of this picture on its page.
        on_follow: called when another translation is to be watched, which is `said` as ``follow``:
            its `number`.

    Raises:
        TooManyWeightsError: more than a browser is sent at once.
    """
    component = script_component(
        "sections/translate/translation",
        "translation",
        sheets=("sections/translate/translation", "sections/translate/translation_search"),
    )
    component(data=translation_payload(found, choice), key=key, on_follow_change=on_follow)


def translation_payload(found: WatchedTranslation, choice: Choice = None) -> bytes:
    """The message for the browser; takes what :func:`translation_view` takes."""
    weights = sum(one.patterns.size for one in found.attention.maps)
    if weights > MOST_WEIGHTS:
        raise TooManyWeightsError(weights, MOST_WEIGHTS)
    data: dict[str, Any] = {
        "source": _source(found),
        "target": _target(found),
        "written": [readable(step.token) for step in found.steps],
        "texts": [step.text for step in found.steps],
        "steps": [
            {
                "share": step.probability,
                "rank": step.rank,
                "candidates": [[readable(one.token), one.probability] for one in step.candidates],
            }
            for step in found.steps
        ],
        "padding": found.padding,
        "maps": [
            _map(one.name, one.patterns, alone=len(found.attention.maps) == 1)
            for one in found.attention.maps
        ],
        "scores": None if found.scores is None else found.scores.astype(np.float32),
        **_search(found),
    }
    return pack(
        {
            **data,
            "identity": hashlib.blake2b(pack(data), digest_size=12).hexdigest(),
            **address_choices(OWN, choice),
            "strings": translation_strings(found),
        }
    )


def translation_strings(found: WatchedTranslation) -> dict[str, Any]:
    """Every string that the picture shows or speaks."""
    running = max((sum(node.step == at for node in found.tree) for at in range(2)), default=1)
    kept = ngettext("{count} beginning", "{count} beginnings", running).format(count=running)
    return {
        "first": _("First step (Home)"),
        "back": _("Step back (arrow left)"),
        "on": _("Step forward (arrow right)"),
        "last": _("Last step (End)"),
        "play": _("Play"),
        "stop": _("Stop"),
        "step": _("Step"),
        "stepOf": _("Step {step} of {count} writes"),
        "layer": _("layer"),
        "head": _("head"),
        "source": _("Source"),
        "target": _("Target"),
        "lookedAt": _("{share} of this step’s attention to the source"),
        "encoderRow": _("Read once, before the first step. Point at a cell."),
        "row": _("After “{query}”, most at “{key}”: {share}.")
        if found.recurrent is None
        else _("For “{query}” most at “{key}”: {share}."),
        "cell": _("“{query}” to “{key}”: {weight}"),
        "maskedLater": _("“{query}” may not see what comes later: 0"),
        "maskedPadding": _("“{query}” may not see padding: 0"),
        "mapLabel": _("{title}, layer {layer}, head {head}."),
        "next": _("Softmax"),
        "nextHint": _("{count} pieces").format(count=f"{found.vocabulary:,}"),
        "others": _("All others: {share}."),
        "notArgmax": _("The beam wrote number {rank}: the whole sentence counts."),
        "largest": _("largest of the map"),
        "keyRow": _("this step’s row"),
        "keyLater": _("sequence mask: later pieces"),
        "keyPadding": _("padding mask"),
        "keys": _("← → step, Home, End"),
        "tree": _("The search") if running > 1 else _("The path"),
        "treeHint": _("at most {kept} kept a step; numbers are percent").format(kept=kept)
        if running > 1
        else _("argmax: the likeliest piece each time; numbers are percent"),
        "treeLabel": _("Pieces kept in each step, the likeliest above; click one to go there"),
        "node": _("{piece}: {share} after what is before it, log-probability {log}, {state}"),
        "states": {
            "on": _("goes on"),
            "dropped": _("dropped"),
            "complete": _("complete"),
        },
        "found": _("Found"),
        "foundHint": _("the best mean log-probability wins"),
        "nothing": _("(nothing)"),
        "numbers": _("The weights of this step in numbers"),
        "look": _("How it looks"),
        "lookHint": _("a score, then a softmax"),
        "lookToken": _("state of"),
        "lookScore": _("score"),
        "lookWeight": _("weight"),
        "lookNote": _("The context is the states’ sum by these weights; {share} is “{key}”."),
    }


def _source(found: WatchedTranslation) -> list[dict[str, str]]:
    """Every token the encoder reads, with what kind of token it is."""
    source: Encoding = found.source
    real = len(source) - found.padding
    has_language = len(source) - found.padding > len(found.encoding)
    kinds = [
        "padding"
        if at >= real
        else "language"
        if at == 0 and has_language
        else "special"
        if special
        else ""
        for at, special in enumerate(source.special)
    ]
    return [{"text": text, "kind": kind} for text, kind in zip(source.pieces, kinds, strict=True)]


def _target(found: WatchedTranslation) -> list[dict[str, str]]:
    """What the rows of the target's maps are called.

    A Transformer's row is that of a token it reads; a recurrent decoder's is that of the piece that
    it writes, as in Bahdanau, Cho and Bengio 2015, figure 3.
    """
    if found.recurrent is None:
        pieces, special = found.target.pieces, found.target.special
    else:
        pieces = tuple(readable(step.token) for step in found.steps)
        end = len(pieces) - 1 if found.attention.ended else len(pieces)
        special = tuple(at == end for at in range(len(pieces)))
    return [
        {"text": text, "kind": "special" if one else ""}
        for text, one in zip(pieces, special, strict=True)
    ]


def _map(name: str, patterns: NDArray[np.float32], *, alone: bool) -> dict[str, Any]:
    title, hint, rows, columns = KINDS[name]
    if alone:
        title, hint = ALIGNMENT
    layers, heads = patterns.shape[:2]
    return {
        "name": name,
        "title": _(title),
        "hint": _(hint),
        "rows": rows,
        "columns": columns,
        "layers": layers,
        "heads": heads,
        "weights": np.rint(patterns * LEVELS).clip(0, LEVELS).astype(np.uint16),
    }


def _search(found: WatchedTranslation) -> dict[str, Any]:
    """The tree, which of its nodes are on the way to the watched translation, and all results."""
    nodes = [
        {
            "piece": readable(token),
            "step": node.step,
            "parent": node.parent,
            "share": node.probability,
            "log": f"{node.log_probability:.2f}".replace("-", "\N{MINUS SIGN}"),
            "state": node.state.value,
        }
        for node, token in zip(found.tree, found.tokens, strict=True)
    ]
    return {
        "tree": nodes,
        "path": list(found.path),
        "found": [
            {
                "text": one.text,
                "about": _("p = {share}, mean log p = {score}").format(
                    share=percent_of(one.log_probability),
                    score=f"{one.score:.3f}".replace("-", "\N{MINUS SIGN}"),
                ),
            }
            for one in found.found
        ],
        "followed": found.followed,
    }


def percent_of(log_probability: float) -> str:
    """A probability from its logarithm, in percent, small ones with one digit more."""
    share = float(np.exp(log_probability))
    if 0.001 <= share < 0.1:
        return f"{share * 100:.1f}\N{NO-BREAK SPACE}%"
    return percent(share)
