"""Parameters part by part: of the published sizes, and of the models that answered above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.figures.model_sizes import ModelParameters, ParameterWords, parameter_bars
from app.figures.theme import FigureTheme
from app.i18n import N_, _, ngettext
from app.models import title_of
from app.parts.card_heading import card_heading
from app.parts.fields import toggle_field
from app.parts.figure import Figure, draw_figure, remembered_figure
from app.sections.family.members import models_of_members
from core.analysis.parts import ParameterGroup
from core.engine import Call, call
from core.models.published import Count, PublishedSize, count, published_sizes
from core.tasks.describe import Description, describe

# Parts of a bar, in their order, each with the kinds of tensors that it adds up.
PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (N_("pieces"), ("tokens",)),
    (N_("projection"), ("projection",)),
    (N_("attention"), ("attention",)),
    (N_("feed-forward"), ("feed_forward",)),
    (N_("rest"), ("positions", "segments", "query_start", "norms")),
    (N_("pooler"), ("pooler",)),
)
BERT, ALBERT = "BERT-large, 30,000 pieces", "ALBERT-large"
MILLIONS = "M"  # how papers write them


@dataclass(frozen=True)
class Row:
    """A model with what was stated of it, in the words of its paper."""

    model: ModelParameters
    pooler: int
    stated: str = ""
    source: str = ""
    met: str = ""  # the count that is what was stated

    @property
    def body(self) -> int:
        """Tables and layers."""
        return sum(self.model.counts) - self.pooler


@cache
def _counts() -> tuple[tuple[PublishedSize, Count], ...]:
    return tuple((one, count(one.config)) for one in published_sizes())


@st.fragment
def draw_parameters() -> None:
    """Draw both figures; whether in shares runs only this part."""
    with st.container(key="family-parameters", gap="small"):
        status = st.container(key="family-parameters-status").empty()
        with st.container(key="card-family-published", border=True, gap="small"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                counted = _("counted from the shapes of the published sizes; a shared tensor once")
                # Not at the right, where Streamlit's toolbar of the chart would cover the toggle.
                card_heading(_("Parameters, part by part"), counted, width="content")
                shares = toggle_field("shares", _("As shares of each model"))
            rows = [_published(one, found) for one, found in _counts()]
            _draw_bars(rows, "family-published", _("Published models"), shares=shares)
            st.html(f'<p class="mask-note">{escape(_note())}</p>')
        questions = [call(describe, entry.name) for entry in models_of_members().values() if entry]
        if questions:
            with st.container(key="card-family-ours", border=True, gap="small"):
                card_heading(_("The models on this page"), _("counted from their own tensors"))
                _draw_bars(
                    [_ours(one, status) for one in questions],
                    "family-ours",
                    _("The models on this page"),
                    shares=shares,
                    questions=questions,
                )
                said = _("Heads for hidden words and for tasks are left out here as above.")
                st.html(f'<p class="mask-note">{escape(said)}</p>')


def _draw_bars(
    rows: Sequence[Row],
    key: str,
    title: str,
    *,
    shares: bool,
    questions: Sequence[Call[Description]] = (),
) -> None:
    """Draw what follows from the published sizes, or from the answers to some questions."""
    figure = remembered_figure(
        lambda theme: _bars(rows, title, theme, shares=shares), key, shares, questions=questions
    )
    draw_figure(figure, key=key)


def _bars(rows: Sequence[Row], title: str, theme: FigureTheme, *, shares: bool) -> Figure:
    words = ParameterWords(
        parameters=_("parameters"),
        share=_("share of the model"),
        model=_("model"),
        sizes=_("layers"),
        part=_("part"),
        stated=_("published"),
        source=_("where"),
    )
    parts = [_(name) for name, _kinds in PARTS]
    ordered = sorted(rows, key=lambda row: -sum(row.model.counts))
    models = [row.model for row in ordered]
    chart = parameter_bars(models, parts, words, theme, shares=shares)
    table: dict[str, list[float | str | None]] = {
        words.model: [row.model.name for row in ordered],
        words.sizes: [row.model.hint for row in ordered],
    }
    table |= {
        part: [row.model.counts[at] or None for row in ordered] for at, part in enumerate(parts)
    }
    table[_("together, without pooler")] = [row.body for row in ordered]
    table[_("with pooler")] = [row.body + row.pooler if row.pooler else None for row in ordered]
    if any(row.stated for row in ordered):
        table[words.stated] = [row.stated for row in ordered]
        table[_("counted")] = [row.met for row in ordered]
        table[words.source] = [row.source for row in ordered]
    alt = _("{models}: parameters of each part, the largest model first").format(models=title)
    return Figure.of_altair(chart, table, alt)


def _published(one: PublishedSize, found: Count) -> Row:
    stack = one.config.encoder
    assert stack is not None  # all of them are encoders
    met = "" if one.pooler is None else _("with pooler") if one.pooler else _("without pooler")
    stated = (float(one.stated.removesuffix(MILLIONS)) * 1e6, one.source) if one.stated else None
    hint = _layers(stack.depth, stack.modules, stack.layer.width)
    model = ModelParameters(one.title, hint, _sums(found.parts, found.pooler), stated)
    return Row(model, found.pooler, one.stated, one.source, met)


def _ours(question: Call[Description], status: DeltaGenerator) -> Row:
    found = ask(question, status)
    (side,) = found.sides
    parts = tuple(part for part in found.parts if part.side != "head")
    pooler = sum(part.count for part in found.parts if part.name == "pooler")
    hint = _layers(side.layers, side.modules, side.width)
    name = title_of(question.checkpoint)
    return Row(ModelParameters(name, hint, _sums(parts, pooler)), pooler)


def _sums(parts: Iterable[ParameterGroup], pooler: int) -> list[int]:
    """Parameters of each of `PARTS`."""
    counts = [(part.name, part.count) for part in parts] + [("pooler", pooler)]
    return [sum(count for name, count in counts if name in kinds) for _part, kinds in PARTS]


def _layers(depth: int, modules: int, width: int) -> str:
    said = ngettext("{count} layer of {width}", "{count} layers of {width}", depth)
    said = said.format(count=depth, width=f"{width:,}")
    if modules == depth:
        return said
    shared = ngettext("{count} set of weights", "{count} sets of weights", modules)
    return f"{said}, {shared.format(count=modules)}"


def _note() -> str:
    found = {one.title: counted for one, counted in _counts()}
    bert, albert = found[BERT], found[ALBERT]
    return _(
        "The lecture’s 334 and 18 million are one column of ALBERT’s table 1, counted in two ways:"
        " BERT-large with 30,000 pieces and without its pooler, {bert}; ALBERT-large with its"
        " pooler, {albert}. Like for like: {bert_pooler} and {albert} with, {bert} and"
        " {albert_body} without. A line across a bar is the paper’s own figure; the rest is"
        " positions, segments and norms."
    ).format(
        bert=f"{bert.body:,}",
        albert=f"{albert.with_pooler:,}",
        bert_pooler=f"{bert.with_pooler:,}",
        albert_body=f"{albert.body:,}",
    )
