"""ALBERT's one layer twelve times: one set of weights, and attention that differs all the same."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.ask import ask
from app.i18n import _, ngettext
from app.models import title_of
from app.parts.card_heading import card_heading
from app.parts.notices import notices
from app.sections.family.family_card import small_map
from app.sections.family.family_layers import LayerGroup, family_layers
from app.sections.family.members import models_of_members
from app.theme import percent
from core.engine import call
from core.tasks.layer_steps import LayerStep, LayerSteps, layer_steps

SYSTEMS_SHOWN = ("albert", "bert")


@st.fragment
def draw_layers(text: str) -> None:
    """Draw the card, with BERT below for comparison."""
    there = models_of_members()
    entries = [one for system in SYSTEMS_SHOWN if (one := there[system]) is not None]
    if there["albert"] is None:
        return
    with st.container(key="card-family-layers", border=True):
        status = st.container(key="family-layers-status").empty()
        title = _("ALBERT: one layer, twelve times")
        hint = _("the same weights look elsewhere, because they read something else")
        card_heading(title, hint)
        with notices():
            groups = []
            for entry in entries:
                found = ask(call(layer_steps, entry.name, text), status)
                groups.append(_group(title_of(entry.name), found))
            family_layers(groups, key="family-layers")
            st.html(f'<p class="mask-note">{escape(_note())}</p>')


def _group(title: str, found: LayerSteps) -> LayerGroup:
    modules = len(found.module_parameters)
    sets = ngettext("{count} set of weights", "{count} sets of weights", modules)
    hint = _("{layers} layers, {sets}; {each} parameters each").format(
        layers=len(found.steps),
        sets=sets.format(count=modules),
        each=f"{found.module_parameters[0]:,}",
    )
    maps = small_map(found.patterns, found.encoding.pieces, (), layers=range(len(found.steps)))
    return LayerGroup(title, hint, maps, [_lines(*one) for one in enumerate(found.steps, 1)])


def _lines(layer: int, step: LayerStep) -> list[str]:
    lines = [
        _("layer {layer}, weights {module}").format(layer=layer, module=step.module + 1),
        _("cosine {cosine}").format(cosine=f"{step.cosine:.3f}"),
        _("moves {distance}").format(distance=f"{step.distance:.1f}"),
    ]
    if step.apart is not None:
        lines.append(_("{share} looks elsewhere").format(share=percent(step.apart)))
    return lines


def _note() -> str:
    return _(
        "Cosine and distance are between what a layer reads and what it gives, mean over the tokens"
        " (Lan et al. 2020, “ALBERT”, figure 1); “looks elsewhere” is the share of attention that"
        " lies on other tokens than in the layer before."
    )
