"""What was found in the files of a model: its shape, its heads, its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from app.i18n import _, ngettext
from app.navigation import PAGES
from app.parts.card_heading import heading_html
from app.parts.model_picker import BLANKS, HIDDEN_WORDS, WITH_HEADS, ChosenModel
from app.parts.table_card import scrolling
from app.sections.model.words import (
    POOLER,
    SIDES,
    TYPES,
    megabytes,
    name_of_head,
    name_of_part,
)
from app.theme import grouped, percent, primary
from core.models.registry import SYSTEMS
from core.tasks.describe import Description, StackSummary

MOST_NAMES, LONGEST_NAME = 12, 60


def draw_found(model: ChosenModel, found: Description) -> None:
    """Draw the three cards, and the way to the pages that fit."""
    left = f"<div>{_shape(model, found)}{_heads(found)}</div>"
    st.html(f'<div class="model-cards">{left}{_parts(found)}</div>')
    if model.entry is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="model-links"):
        if WITH_HEADS.fits(model.entry):
            st.page_link(
                PAGES / "attention.py",
                label=primary(_("See its attention heads")),
                width="content",
            )
        if HIDDEN_WORDS.fits(model.entry):
            st.page_link(
                PAGES / "fill_mask.py",
                label=primary(_("Fill in a mask with it")),
                width="content",
            )
        if BLANKS.fits(model.entry):
            st.page_link(
                PAGES / "spans.py",
                label=primary(_("Fill blanks with it")),
                width="content",
            )


def _card(title: str, hint: str, body: str, name: str) -> str:
    return f'<section class="model-card model-{name}">{heading_html(title, hint)}{body}</section>'


def _shape(model: ChosenModel, found: Description) -> str:
    longest = (
        _("no end to its positions")
        if found.positions is None
        else ngettext("{count} token", "{count} tokens", found.positions)
    )
    types = ", ".join(TYPES.get(one, one) for one in found.stored_as)
    rows = [
        (_("System"), SYSTEMS[found.system].title),
        *((_(SIDES[side.name]).capitalize(), _side(side)) for side in found.sides),
        (_("Longest text"), longest.format(count=grouped(found.positions or 0))),
        (
            _("Tokenizer"),
            _("{method}, {count} pieces, from {files}").format(
                method=_method(found),
                count=grouped(found.pieces),
                files=", ".join(found.tokenizer_files),
            ),
        ),
        (
            _("Weights"),
            _("{size} as {types}; here float32 on {device}").format(
                size=megabytes(found.size_bytes), types=types, device=found.device.upper()
            ),
        ),
        (_("Revision"), found.revision),
    ]
    if found.vocabulary != found.pieces:
        rows.insert(-2, (_("Rows of its table"), grouped(found.vocabulary)))
    body = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    return _card(_("What was found"), model.title, f"<dl>{body}</dl>", "shape")


def _method(found: Description) -> str:
    return (
        _("byte-level {method}").format(method=found.method) if found.byte_level else found.method
    )


def _side(side: StackSummary) -> str:
    if not side.heads:
        return _("recurrent, {width} wide").format(width=grouped(side.width))
    said = _("{layers} layers × {heads} heads, {width} wide").format(
        layers=side.layers, heads=side.heads, width=grouped(side.width)
    )
    if side.modules == side.layers:
        return said
    shared = ngettext("{count} set of weights", "{count} sets of weights", side.modules)
    return f"{said}, {shared.format(count=side.modules)}"


def _heads(found: Description) -> str:
    there = [name_of_head(head, found.system) for head in found.heads]
    there += [_("the task “{name}”").format(name=name) for name in found.tasks]
    missing = [name_of_head(head, found.system) for head in found.missing]
    (there if found.pooler else missing).append(_(POOLER))
    body = _list(there, _("found"), "there") + _list(missing, _("not in the files"), "missing")
    notes = [_("What is not there is offered on no page.")] if missing else []
    if found.labels:
        said = _("Its labels: {names}.")
        notes.append(said.format(names=_some(found.labels)))
    if found.unused:
        said = ngettext(
            "{count} weight is of a head that Headlight does not have, and is not read: {names}.",
            "{count} weights are of heads that Headlight does not have, and are not read: {names}.",
            len(found.unused),
        )
        names = _some(found.unused)
        notes.append(said.format(count=grouped(len(found.unused)), names=names))
    body += "".join(f'<p class="model-note">{escape(note)}</p>' for note in notes)
    return _card(_("What it predicts"), _("heads that were trained"), body, "heads")


def _some(names: Sequence[str]) -> str:
    """The first of many names, each not too long."""
    told = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…" for name in names]
    return ", ".join([*told[:MOST_NAMES], *(["…"] if len(told) > MOST_NAMES else [])])


def _list(names: Iterable[str], mark: str, kind: str) -> str:
    items = "".join(
        f"<li><span>{escape(name)}</span> <small>{escape(mark)}</small></li>" for name in names
    )
    return f'<ul class="model-{kind}">{items}</ul>' if items else ""


def _parts(found: Description) -> str:
    most = max((part.count for part in found.parts), default=1)
    rows = []
    for part in sorted(found.parts, key=lambda part: -part.count):
        each = ""
        if part.modules > 1:
            each = f"{part.modules} × {grouped(part.count // part.modules)}"
        rows.append(
            f'<tr><th scope="row">{escape(name_of_part(part, found.system))}</th>'
            f'<td class="model-bar"><i style="width:{100 * part.count / most:.2f}%"></i></td>'
            f'<td class="model-each">{each}</td>'
            f"<td>{grouped(part.count)}</td>"
            f"<td>{percent(part.count / found.parameters)}</td></tr>"
        )
    title = _("Where its parameters are")
    total = _("{count} parameters").format(count=grouped(found.parameters))
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return _card(title, total, scrolling(table, title), "parts")
