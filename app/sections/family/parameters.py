"""Parameters part by part: of the published sizes, and of the models that answered above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import N_, _, ngettext
from app.models import title_of
from app.parts.card_heading import heading_html
from app.parts.table_card import scrolling
from app.sections.family.members import models_of_members
from core.analysis.parts import ParameterGroup
from core.engine import call
from core.models.published import Count, PublishedSize, count, published_sizes
from core.tasks.describe import describe

# Columns, each with the parts that it adds up; the bar shows them in this order.
GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("pieces", N_("pieces"), ("tokens",)),
    ("projection", N_("projection"), ("projection",)),
    ("attention", N_("attention"), ("attention",)),
    ("feed-forward", N_("feed-forward"), ("feed_forward",)),
    ("rest", N_("rest"), ("positions", "segments", "query_start", "norms")),
)
BERT, ALBERT = "BERT-large, 30,000 pieces", "ALBERT-large"


@dataclass(frozen=True)
class Row:
    """One line of a table: what it is called, a hint, its parts, and what was stated of it."""

    title: str
    hint: str
    parts: tuple[ParameterGroup, ...]
    pooler: int
    stated: str = ""
    source: str = ""
    met: str = ""  # the column that is what was stated: "body" or "pooler"

    @property
    def body(self) -> int:
        """Tables and layers."""
        return sum(part.count for part in self.parts)


@cache
def _counts() -> tuple[tuple[PublishedSize, Count], ...]:
    return tuple((one, count(one.config)) for one in published_sizes())


@st.fragment
def draw_parameters() -> None:
    """Draw both tables."""
    with st.container(key="family-parameters", gap="small"):
        status = st.container(key="family-parameters-status").empty()
        _card(
            _("Parameters, part by part"),
            _("counted from the shapes of the published sizes; a shared tensor once"),
            _table([_published(one, found) for one, found in _counts()]),
            _note(),
        )
        ours = _ours(status)
        if ours:
            _card(
                _("The models on this page"),
                _("counted from their own tensors"),
                _table(ours, stated=False),
                _("Heads for hidden words and for tasks are left out here as above."),
            )


def _published(one: PublishedSize, found: Count) -> Row:
    stack = one.config.encoder
    assert stack is not None  # all of them are encoders
    met = "" if one.pooler is None else "pooler" if one.pooler else "body"
    hint = _layers(stack.depth, stack.modules, stack.layer.width)
    return Row(one.title, hint, found.parts, found.pooler, one.stated, one.source, met)


def _ours(status: DeltaGenerator) -> list[Row]:
    rows = []
    for entry in models_of_members().values():
        if entry is None:
            continue
        found = ask(call(describe, entry.name), status)
        (side,) = found.sides
        parts = tuple(part for part in found.parts if part.side != "head")
        pooler = sum(part.count for part in found.parts if part.name == "pooler")
        hint = _layers(side.layers, side.modules, side.width)
        rows.append(Row(title_of(entry.name), hint, parts, pooler))
    return rows


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
        " {albert_body} without. Amber marks the count that a paper’s figure stands for; the rest"
        " is positions, segments and norms."
    ).format(
        bert=f"{bert.body:,}",
        albert=f"{albert.with_pooler:,}",
        bert_pooler=f"{bert.with_pooler:,}",
        albert_body=f"{albert.body:,}",
    )


def _card(title: str, hint: str, table: str, note: str) -> None:
    st.html(
        f'<section class="mask-card family-table">{heading_html(title, hint)}'
        f'{scrolling(table, title)}<p class="mask-note">{escape(note)}</p></section>'
    )


def _table(rows: Sequence[Row], *, stated: bool = True) -> str:
    heads = [f'<th scope="col">{escape(_("model"))}</th>', "<td></td>"]
    sums = (_("together"), _("with pooler"), *([_("published")] if stated else []))
    heads += [f'<th scope="col" class="number">{escape(said)}</th>' for said in sums]
    heads += [
        f'<th scope="col" class="number"><i class="dot {key}"></i>{escape(_(said))}</th>'
        for key, said, _parts in GROUPS
    ]
    most = max(row.body + row.pooler for row in rows)
    body = "".join(_line(row, most, stated) for row in rows)
    return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table>"


def _line(row: Row, most: int, stated: bool) -> str:
    sums = [
        (key, sum(part.count for part in row.parts if part.name in names))
        for key, _said, names in GROUPS
    ]
    cells = [
        f'<th scope="row"><bdi>{escape(row.title)}</bdi><small>{escape(row.hint)}</small></th>',
        f"<td>{_bar(sums, most)}</td>",
        _number(row.body, marked=row.met == "body"),
        _number(row.body + row.pooler if row.pooler else 0, marked=row.met == "pooler"),
    ]
    if stated:
        source = escape(row.source)
        cells.append(
            f'<td class="number published" title="{source}">{escape(row.stated or "–")}</td>'
        )
    cells += [_number(number) for _key, number in sums]
    return f"<tr>{''.join(cells)}</tr>"


def _bar(sums: Iterable[tuple[str, int]], most: int) -> str:
    parts = "".join(
        f'<i class="{key}" style="width:{100 * number / most:.2f}%"></i>' for key, number in sums
    )
    return f'<span class="family-bar" aria-hidden="true">{parts}</span>'


def _number(number: int, *, marked: bool = False) -> str:
    said = f"{number:,}" if number else "–"
    return f'<td class="number">{f"<b>{said}</b>" if marked else said}</td>'
