"""Charts of learning rates over a run, with sliders; everything is drawn in the browser."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from app.figures.schedules import steps_figure
from app.figures.theme import FigureTheme
from app.i18n import _, current_language
from app.parts.choices import Choice, address_choices
from app.parts.figure import figure_theme, value_strings
from app.parts.scripts import script_component, vega_address
from app.settings import DEFAULTS, FIELDS
from app.state import names
from app.theme import DARK, DASHES, LIGHT

Data = dict[str, Any]

# In the order of colours and dashes: what the lecture is about has the first ones.
STYLED: Final = {
    "schedules": ("transformer", "constant", "linear", "cosine", "bert"),
    "rectification": ("radam", "adam", "untuned", "warm"),
}
AXES: Final = {"schedules": ("linear", "rate", "both"), "rectification": ("both",)}


def schedule_chart(choice: Choice, *, key: str) -> None:
    """Draw the schedules with their sliders, values at a step, and lines of code.

    Args:
        choice: what the last scene says, with a number of its own.
        key: identity of this chart on its page.
    """
    _draw("schedules", choice, schedule_strings(), key=key)


def rectification_chart(choice: Choice, *, key: str) -> None:
    """Draw RAdam's rectification term over the steps; it shares its values with the schedules.

    Args:
        choice, key: as in :func:`schedule_chart`.
    """
    _draw("rectification", choice, rectification_strings(), key=key)


def schedule_names() -> dict[str, str]:
    """What the reader sees for the name of a schedule."""
    return {
        "constant": _("Constant"),
        "linear": _("Linear"),
        "transformer": _("Transformer’s"),
        "cosine": _("Cosine, restarts"),
        "bert": _("BERT’s"),
    }


def schedule_strings() -> Data:
    """What the chart of schedules says."""
    return {
        "names": schedule_names(),
        "controls": [_("One run"), _("for all curves")],
        "picture": [_("Learning rate"), _("point at a step, or move its slider")],
        "code": [_("The lines that make it"), _("with the numbers above")],
        "core": _("with Headlight’s core: what its own training uses"),
        "torch": _("with torch; schedule.step() follows every optimiser.step()"),
        "shown": _("Schedules that are drawn, with their rate at the step"),
        "label": _("Learning rate from step 0 to {total}: {names}"),
        "axis": _("updates made before (steps)"),
        "values": _("learning rate η"),
        "axes": _("Axes"),
        "scales": [
            ["linear", _("linear")],
            ["rate", _("log rate")],
            ["both", _("log rate, log steps")],
        ],
        "warm": _("warm-up ends"),
        "sliders": {
            "total": _named(_("Total steps"), _("Total steps, exactly")),
            "warm": _named(_("Warm-up steps"), _("Warm-up steps, exactly")),
            "model_width": _named(_("Width"), _("Width, exactly"), _("Transformer’s")),
            "peak": _named(_("Peak rate"), _("Peak rate, exactly"), _("the others")),
            "period": _named(_("First period"), _("First period, exactly"), _("cosine")),
            "growth": _named(_("Growth"), _("Growth of periods, exactly"), _("cosine")),
        },
        "step": _named(_("Step"), _("Step, exactly")),
    }


def rectification_strings() -> Data:
    """What the chart of the rectification term says."""
    return {
        "picture": [
            _("What the optimiser makes of the first steps"),
            _("the factor on each step, beside the schedule’s"),
        ],
        "table": _("The factors at the step"),
        "beta": _("Adam’s second decay, β₂"),
        "step": _named(_("Step"), _("Step of the optimiser, exactly")),
        "label": _("Factors on the optimiser’s step, from step 1 to {last}"),
        "axis": _("steps of the optimiser, counted from 1"),
        "values": _("factor on the step"),
        "none": _("← no adaptive step"),
        "no": _("none"),
        "names": {
            "adam": _("Adam, AdamW: trust at once"),
            "radam": _("RAdam’s rectification r"),
            "untuned": _("warm-up of 2 / (1 − β₂) = {untuned}"),
            "warm": _("the warm-up above: {warm} steps"),
        },
        "early": _(
            "At step {step} the average of squares has {now} degrees of freedom. With 4 or fewer"
            " the variance of the adaptive rate is infinite: RAdam goes by momentum alone, Adam"
            " adapts all the same."
        ),
        "late": _(
            "At step {step} the average of squares has {now} degrees of freedom of {most} at most;"
            " the variance of Adam’s adaptive rate is {times} times what it becomes."
        ),
    }


def _named(name: str, exact: str, hint: str = "") -> dict[str, str]:
    return {"name": name, "exact": exact, "hint": hint}


@cache
def _specs(part: str, _language: str, presented: bool) -> Data:
    """The chart of a part, for each scheme of colours and each choice of axes."""
    own = {"schedules": schedule_strings, "rectification": rectification_strings}[part]()
    return {
        scheme: {
            axes: steps_figure(
                STYLED[part],
                steps=own["axis"],
                values=own["values"],
                theme=FigureTheme(scheme == "dark", presented),
                log_steps=axes == "both",
                log_values=part == "schedules" and axes != "linear",
                small=part == "schedules",
                words=1.0 if part == "schedules" else 0.5,
            ).to_dict()
            for axes in AXES[part]
        }
        for scheme in ("light", "dark")
    }


def _styles(part: str) -> Data:
    """Dashes and colours of the curves by name, for their legend."""
    looks = zip(STYLED[part], DASHES, LIGHT.series, DARK.series, strict=False)
    return {
        name: {"dashes": dashes, "colour": f"light-dark({light}, {dark})"}
        for name, dashes, light, dark in looks
    }


def _draw(part: str, choice: Choice, strings: Data, *, key: str) -> None:
    own = names("charts")
    bounds = {
        name: {"least": FIELDS[name].metadata["least"], "most": FIELDS[name].metadata["most"]}
        for name in own
        if isinstance(DEFAULTS[name], int)
    }
    data = {
        "part": part,
        **address_choices(own, choice),
        "bounds": bounds,
        "strings": {**strings, **value_strings(strings["picture"][0])},
        "vega": vega_address(),
        "specs": _specs(part, current_language(), figure_theme().presented),
        "styles": _styles(part),
    }
    script_component(
        "sections/schedules/main",
        part,
        sheets=("sections/schedules/schedules", "css/figure_values"),
    )(data=data, key=key)
