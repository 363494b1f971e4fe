"""The runs of the lab: a table of where each is, and six charts that grow while they train."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.figures.live_runs import PANELS, LiveWords, live_runs, whole_axis
from app.figures.theme import FigureTheme
from app.i18n import _, current_language
from app.lab.record import Record
from app.lab.run import Run, State
from app.parts.figure import figure_theme, value_strings
from app.parts.scripts import script_component, vega_address
from app.theme import DARK, DASHES, LIGHT
from app.wire import pack
from core.lab.probes import KINDS


def lab_curves(payload: bytes, *, key: str) -> None:
    """Draw the runs; new bytes under the same key grow the curves in place, zoom and all.

    Args:
        payload: of :func:`curves_payload`.
        key: identity of this component on its page.
    """
    component = script_component(
        "sections/warm_up/curves",
        "lab-curves",
        sheets=("css/figure_values", "css/vega_chart", "sections/warm_up/lab_curves"),
    )
    component(data=payload, key=key)


def curves_payload(
    runs: Sequence[Run], names: Sequence[str], places: Sequence[int], looked: int
) -> bytes:
    """What the browser draws.

    Args:
        runs: in the order of the legend.
        names: of the runs, in the reader's language.
        places: how many other runs wait before each.
        looked: number of the run whose layers and heads are drawn.
    """
    packed = []
    for at, (run, name, place) in enumerate(zip(runs, names, places, strict=True)):
        with run.lock:
            told = _lines_of(run.record, inside=at == looked)
            state = run.state
        packed.append(
            {
                "number": run.number,
                "name": name,
                "state": state.value,
                "stateText": state_in_words(state, place),
                "wanted": run.settings.steps,
                **told,
            }
        )
    return pack(
        {
            "runs": packed,
            "looked": looked,
            "most": max(run.settings.steps for run in runs),
            "strings": _strings(),
            "specs": _specs(current_language(), figure_theme().presented),
            "vega": vega_address(),
            "styles": [
                {"dashes": dashes, "colour": f"light-dark({light}, {dark})"}
                for dashes, light, dark in zip(DASHES, LIGHT.series, DARK.series, strict=True)
            ],
        }
    )


@cache
def _specs(_language: str, presented: bool) -> dict[str, Any]:
    """The charts for each scheme of colours."""
    words = LiveWords(_("training step"), _("training step · drag to zoom"), _titles())
    return {
        scheme: {
            name: make(words, FigureTheme(scheme == "dark", presented)).to_dict()
            for name, make in (("panels", live_runs), ("whole", whole_axis))
        }
        for scheme in ("light", "dark")
    }


def _titles() -> dict[str, str]:
    """Of the panels, with the unit of their values."""
    titles = {
        "loss": _("loss (nats a token) · bold: held out"),
        "accuracy": _("held-out tokens right (share)"),
        "rate": _("learning rate of the step"),
        "gradients": _("gradient norm of each layer"),
        "variance": _("variance of the logarithm of Adam’s rate"),
        "entropy": _("attention entropy of each head (bits)"),
    }
    return {name: titles[name] for name in PANELS}


def state_in_words(state: State, place: int = 0) -> str:
    """Where a run is, as a reader says it; for one that waits, with how many wait before it."""
    if state is State.WAITING and place:
        return _("waits behind {count}").format(count=place)
    return {
        State.WAITING: _("waits for a processor"),
        State.RUNNING: _("learning"),
        State.STOPPING: _("stopping"),
        State.STOPPED: _("stopped"),
        State.FINISHED: _("done"),
        State.DIVERGED: _("diverged: no numbers any more"),
        State.FAILED: _("ended without a word"),
    }[state]


def part_in_words(part: str) -> str:
    """A part of the model: `decoder.3` is layer 3 of the decoder, counted from 0."""
    stack, _dot, layer = part.partition(".")
    if not layer:
        return _("embedding")
    words = _("encoder layer {layer}") if stack == "encoder" else _("decoder layer {layer}")
    return words.format(layer=layer)


def kinds_in_words() -> dict[str, str]:
    """The kinds of attention."""
    return {"encoder": _("encoder"), "decoder": _("decoder"), "cross": _("cross")}


def _numbers(values: Iterable[float | None]) -> NDArray[np.float32]:
    return np.array([np.nan if one is None else one for one in values], np.float32)


def _lines_of(record: Record, *, inside: bool) -> dict[str, Any]:
    """Everything of a run that is drawn; of its layers and heads only if it is looked into."""

    def of(events: Sequence[dict[str, Any]], name: str) -> NDArray[np.float32]:
        return _numbers(event[name] for event in events)

    steps, looks = record.steps, record.looks
    parts: list[str] = record.start["parts"] if record.start and inside else []
    return {
        "step": record.step,
        "steps": of(steps, "step"),
        "looks": of(looks, "step"),
        "byStep": {name: of(steps, name) for name in ("loss", "rate")},
        "byLook": {
            "held_out": of(looks, "held_out_loss"),
            "accuracy": of(looks, "accuracy"),
            "whole": of(looks, "whole"),
            "variance": of(looks, "variance"),
            "expected": of(looks, "expected_variance"),
        },
        "gradients": [
            {
                "name": part_in_words(part),
                "kind": part.partition(".")[0],
                "layer": int(part.partition(".")[2] or -1),
                "values": _numbers(look["gradient_norms"][part] for look in looks),
            }
            for part in parts
        ],
        "entropy": [
            {
                "name": _("layer {layer}, head {head}").format(layer=layer, head=head),
                "kind": kind,
                "layer": layer,
                "values": _numbers(look["entropy"][kind][layer][head] for look in looks),
            }
            for kind in (KINDS if looks and inside else ())
            for layer, heads in enumerate(looks[0]["entropy"][kind])
            for head in range(len(heads))
        ],
    }


def _strings() -> dict[str, Any]:
    return {
        "table": _("The runs: how far each is, and its values at the step looked at"),
        "columns": [
            _("run"),
            _("progress"),
            _("state"),
            _("batch loss"),
            _("held-out loss"),
            _("tokens right"),
            _("answers right"),
        ],
        "steps": _("{step} of {steps} steps"),
        "step": _("step"),
        "newest": _("newest"),
        "atStep": _("step {step}"),
        "axis": _("training step"),
        "theory": _("noise alone"),
        "inside": _("layers and heads of: {run}"),
        "kind": _("Kind of attention"),
        "kinds": [[name, word] for name, word in kinds_in_words().items()],
        "label": _("Six charts of the runs over their steps: {runs}"),
        "seen": _("The steps that are seen: {first} to {last}"),
        "keys": _(
            "Drag over the lowest axis to zoom all charts, double-click to see all; on the slider:"
            " arrows, + and −, 0. In a run of more than 600 steps several share a column of pixels:"
            " the least and the most of them are drawn. The table has the steps at which held-out"
            " pairs were looked at, the CSV every step."
        ),
        "titles": {
            "loss": _("batch loss"),
            "held_out": _("held-out loss"),
            "accuracy": _("tokens right"),
            "rate": _("learning rate"),
            "gradients": _("gradient norm"),
            "variance": _("variance"),
            "expected": _("variance"),
            "entropy": _("entropy"),
        },
        "saved": value_strings(_("What the charts draw, step by step")),
    }
