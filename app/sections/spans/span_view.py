"""Filled blanks: the finished texts, what either side of the model reads, and every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from app.i18n import _, ngettext
from app.parts.attention_canvas import quantise
from app.parts.choices import Choice, address_choices
from app.parts.scripts import script_component
from app.wire import pack
from core.decoding.blanks import MOST_FREE
from core.tasks import AttendResult
from core.tasks.step_spans import SteppedFilling, WrittenPiece
from core.tokenisation.blanks import sentinel

OWN: Final = ("step", "layer", "head")  # settings that the picture keeps in the browser
# More would keep a reader waiting for maps that may never be looked at.
MOST_WEIGHTS: Final = 12_000_000


def span_view(
    filling: SteppedFilling,
    sample: int,
    attention: AttendResult | None,
    choice: Choice,
    *,
    key: str,
    on_sample: Callable[[], None],
) -> None:
    """Draw it. Steps, layers and heads are chosen in the browser and rerun nothing.

    Args:
        filling: all samples.
        sample: the one whose steps are shown.
        attention: of that sample, as :func:`core.tasks.step_spans.attend_written` gives it; None
            where its maps are too many.
        choice: what the last scene says, with a number of its own.
        key: identity of this picture on its page.
        on_sample: called when the reader chooses another sample; finds its number as ``sample`` in
            what the session keeps under ``key``.
    """
    script_component("sections/spans/span_view", "span-view")(
        data=span_payload(filling, sample, attention, choice), key=key, on_sample_change=on_sample
    )


def fits(filling: SteppedFilling, sample: int) -> bool:
    """Whether the maps of a sample go into one message."""
    steps = len(filling.texts[sample].pieces)
    return filling.layers[1] * filling.heads * steps * (steps + len(filling.source)) <= MOST_WEIGHTS


def span_payload(
    filling: SteppedFilling, sample: int, attention: AttendResult | None, choice: Choice = None
) -> bytes:
    """The message for the script: weights are bytes, with one float32 scale for every row."""
    return pack(
        {
            "parts": list(filling.blanks.parts),
            "sizes": list(filling.blanks.sizes),
            "texts": [list(one.fillings) for one in filling.texts],
            "notes": [_note(filling.blanks.bounded(one.fillings)) for one in filling.texts],
            "sample": sample,
            "source": [
                {"piece": piece, "blank": owner, "special": special}
                for piece, owner, special in zip(
                    filling.source.pieces, filling.owners, filling.source.special, strict=True
                )
            ],
            "steps": [_step(one) for one in filling.texts[sample].pieces],
            "attention": None if attention is None else _maps(attention),
            **address_choices(OWN, choice),
            "strings": span_strings(_said_of_samples(filling)),
        }
    )


def _step(one: WrittenPiece) -> dict[str, Any]:
    return {
        "piece": one.piece,
        "blank": one.blank,
        "mark": one.mark,
        "chosen": one.chosen,
        "forced": one.forced,
        "options": [[two.piece, two.probability, two.sampling_probability] for two in one.options],
    }


def _maps(result: AttendResult) -> dict[str, Any]:
    decoder, cross = result["decoder"], result["cross"]
    layers, heads, _steps, _keys = decoder.patterns.shape
    return {
        "layers": layers,
        "heads": heads,
        "reads": list(decoder.query.pieces),
        "decoder": _map(decoder.patterns),
        "cross": _map(cross.patterns),
    }


def _map(patterns: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    scales = patterns.max(axis=-1)  # [layer, head, query]
    levels = np.stack([quantise(one, two) for one, two in zip(patterns, scales, strict=True)])
    return {"scales": scales, "levels": levels}


def _said_of_samples(filling: SteppedFilling) -> str:
    """How many there are, and the words in their blanks, counted in what is shown."""
    sizes = filling.blanks.sizes
    sized = [number for number, size in enumerate(sizes) if size is not None]
    said = []
    if sized:
        given = min(sum(len(one.fillings[n].split()) for n in sized) for one in filling.texts)
        words = ngettext("{given} of {wanted} word", "{given} of {wanted} words", given)
        said.append(words.format(given=given, wanted=sum(sizes[n] or 0 for n in sized)))
    if free := len(sizes) - len(sized):
        blanks = ngettext("{count} free blank", "{count} free blanks", free)
        said.append(blanks.format(count=free))
    count = len(filling.texts)
    if count == 1:
        return " + ".join(said)
    return _("{count} to choose from, {words} each").format(count=count, words=" + ".join(said))


def _note(bounded: tuple[int, ...]) -> str:
    """What is said of free blanks that are as long as they can get; nothing of none."""
    if not bounded:
        return ""
    return ngettext(
        "{blanks} was ended here after {most} words, the most a free blank can get.",
        "{blanks} were ended here after {most} words each, the most a free blank can get.",
        len(bounded),
    ).format(blanks=", ".join(map(sentinel, bounded)), most=MOST_FREE)


def span_strings(samples: str) -> dict[str, str]:
    """Every string that the picture shows or speaks.

    Args:
        samples: what is said of them.
    """
    return {
        "finished": _("Finished"),
        "finishedHint": samples,
        "source": _("What the encoder reads"),
        "sourceHint": _("a sentinel for each blank, then its size unless it is free"),
        "target": _("What the decoder writes"),
        "targetHint": _("choose a piece, or walk with the arrow keys"),
        "step": _("Step {number} of {count}"),
        "reads": _("reads {read}, writes {piece}"),
        "forced": _("nothing else is allowed"),
        "options": _("What could come"),
        "optionsHint": _("allowed here"),
        "cross": _("Cross-attention"),
        "crossHint": _("where this step looks in the source"),
        "self": _("Self-attention"),
        "selfHint": _("and what it has read"),
        "layer": _("Layer"),
        "head": _("Head"),
        "mapLabel": _("{name}: heads down, pieces across. Arrow keys read a weight."),
        "hint": _("Point at a cell. Each row is a head; its weights add up to 1."),
        "cell": _("head {head} puts {weight} on {piece}"),
        "noMaps": _("The maps of so long a text are left out. Ask for fewer words to see them."),
        "back": _("Step back"),
        "on": _("Step on"),
        "chosen": _("written"),
        "unlikely": _("not among the ten likeliest: drawn by chance"),
    }
