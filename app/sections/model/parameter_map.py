"""The parameters of a model module by module, as rectangles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Final

import streamlit as st

from app.figures.theme import FigureTheme
from app.i18n import N_, _, ngettext
from app.parts.card_heading import card_heading
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.parts.model_picker import ChosenModel
from app.sections.model.words import SIDES, name_of_kind
from core.analysis.parts import path_of
from core.engine import call
from core.tasks.describe import Description, StackSummary, describe

if TYPE_CHECKING:  # Plotly takes a third of a second to import
    from app.figures.parameter_map import MappedPart

GROUPS: Final = {**SIDES, "embedding": N_("embeddings"), "head": N_("heads")}
KINDS: Final = {
    "attention": "attention",
    "cross_attention": "attention",
    "relative_bias": "attention",
    "feed_forward": "feed_forward",
    "norms": "norms",
}


def draw_parameter_map(model: ChosenModel, found: Description) -> None:
    """Draw the rectangles, and say what is counted once."""
    figure = remembered_figure(
        lambda theme: _map(model, found, theme),
        "parameter-map",
        model.title,
        questions=[call(describe, model.name)],
    )
    with st.container(key="model-map", border=True, gap="small"):
        card_heading(_("Its parameters, module by module"), _hint(found))
        if len(figure.table[_("part")]) < len(found.tensors):
            st.caption(_("These are more tensors than can be drawn: the innermost are added up."))
        draw_figure(figure, key="parameters")


def _hint(found: Description) -> str:
    """What serves more than once; and what a press does."""
    said = []
    if found.tied:
        said.append(_("the table of tokens also scores words, and counts once"))
    for side in found.sides:
        if side.modules < side.layers:
            shared = ngettext(
                "{layers} layers of the {side} share {count} set of weights, which counts once",
                "{layers} layers of the {side} share {count} sets of weights, each counts once",
                side.modules,
            )
            name = _(SIDES[side.name])
            said.append(shared.format(layers=side.layers, side=name, count=side.modules))
    return "; ".join([*said, _("press a module: it opens")])


def _map(model: ChosenModel, found: Description, theme: FigureTheme) -> Figure:
    from app.figures.parameter_map import MapWords, modules_of, parameter_map

    parts = modules_of(_tensors(found))
    words = MapWords(
        model=model.title,
        parameters=_("{count} parameters"),
        of_model=_("{share} of the model"),
        of_module=_("{share} of what is around it"),
    )
    table: dict[str, Sequence[Cell]] = {
        _("part"): [" / ".join(one.path) or words.model for one in parts],
        _("shape"): [one.sizes or None for one in parts],
        _("parameters"): [one.count for one in parts],
        _("share of the model"): [one.count / found.parameters for one in parts],
    }
    alt = _("Parameters of {model} by module").format(model=model.title)
    return Figure(parameter_map(parts, words, theme), table, alt)


def _tensors(found: Description) -> list[MappedPart]:
    from app.figures.parameter_map import MappedPart

    layers = {side.name: _layers(side) for side in found.sides}
    tensors = []
    for name, shape in found.tensors:
        side, *module, kind, own = path_of(name)
        colour = {"embedding": "table", "head": "head"}.get(side) or KINDS.get(kind, "other")
        path = (
            _(GROUPS[side]),
            *(layers[side][int(one)] for one in module),
            name_of_kind(side, kind, found.system),
            own,
        )
        tensors.append(MappedPart(path, prod(shape), colour, shape))
    return tensors


def _layers(side: StackSummary) -> dict[int, str]:
    """What the modules of a stack are called: by the layers that they serve, from 0."""
    served: dict[int, list[int]] = {}
    for layer, module in enumerate(side.plan):
        served.setdefault(module, []).append(layer)
    one, several = _("layer {layer}"), _("layers {layers}, shared")
    return {
        module: one.format(layer=layers[0])
        if len(layers) == 1
        else several.format(layers=_ranged(layers))
        for module, layers in served.items()
    }


def _ranged(layers: Sequence[int]) -> str:
    """Numbers of layers: `0–5`, or one by one where there are gaps."""
    if layers[-1] - layers[0] == len(layers) - 1:
        return f"{layers[0]}–{layers[-1]}"
    return ", ".join(map(str, layers))
