"""Codes that models have learned, read from their hook points."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.models import title_of
from app.parts.model_picker import ChosenModel
from app.sections.positions.made import Drawn, names_of_waves
from app.sections.positions.position_view import Code, Scores, Vectors
from core.analysis.positions import products, sinusoids
from core.engine import call
from core.errors import SequenceTooLongError
from core.tasks.describe import describe
from core.tasks.position_codes import (
    PositionScores,
    constant_position_scores,
    distance_bias,
    position_scores,
    position_table,
)


def trained_rows(
    model: ChosenModel, positions: int, start: int, status: DeltaGenerator
) -> Drawn | None:
    """A model's table; a sentence in its place where it has no such rows.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    try:
        found = ask(call(position_table, model.name, positions, start=start), status)
    except SequenceTooLongError as error:
        st.info(
            _(
                "{model} was trained with {limit} positions and has a row for each: 0 to {last}."
                " For position {asked} there is none, so a longer text is refused. A formula goes"
                " on for ever: choose another code, or a smaller first position."
            ).format(
                model=model.title, limit=error.limit, last=error.limit - 1, asked=error.tokens - 1
            )
        )
        return None
    count, width = found.rows.shape
    source = _(
        "Learned by {model}, as its hook point “embedding.positions” adds them: {limit} rows in"
        " all. Devlin et al. 2019, “BERT”, figure 2."
    ).format(model=model.title, limit=found.limit)
    vectors = Vectors(
        found.rows,
        _("The code"),
        _("{positions} positions × {width} dimensions").format(positions=count, width=width),
        [_("dimension {at}").format(at=at) for at in range(width)],
    )
    scores = [Scores("", products(found.rows))]
    return source, Code(vectors, scores, _("dot product of their codes"), start)


def relative_bias(name: str, positions: int, status: DeltaGenerator) -> Drawn:
    """What T5 adds to the scores of every head, by distance.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    found = ask(call(distance_bias, name, positions), status)
    source = _(
        "Learned by {model}, from its hook point “encoder.position_bias”: {buckets} numbers a head,"
        " the last of a side for all distances near {far} and beyond. Raffel et al. 2020,"
        " section 2.1."
    ).format(model=title_of(name), buckets=found.buckets, far=found.max_distance)
    heads = [
        Scores(_("head {head}").format(head=head), scores)
        for head, scores in enumerate(found.scores[0])
    ]
    return source, Code(None, heads, _("added to the score"))


def position_term(name: str, text: str, status: DeltaGenerator) -> Drawn:
    """XLNet's position term on the reader's text.

    Raises:
        HeadlightError: the model cannot be opened, or the text not be read.
    """
    found = ask(call(position_scores, name, text), status)
    assert found.encoding is not None
    source = _(
        "A query and a learned bias, times the wave of a distance: from {model}’s hook point"
        " “position_scores”, on the first {count} tokens of the sentence below. Terms b and d of"
        " Dai et al. 2019, “Transformer-XL”, section 3.3."
    ).format(model=title_of(name), count=len(found.encoding))
    return source, Code(None, _heads(found), _("term of the score"))


def constant_term(name: str, positions: int, status: DeltaGenerator) -> Drawn:
    """The part of XLNet's position term that is the same in every text.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    found = ask(call(constant_position_scores, name, positions), status)
    source = _(
        "The learned bias alone, times the wave of a distance: what {model}’s hook point"
        " “position_scores” says of a query of zeros, so in every text the same. Term d of"
        " Dai et al. 2019, “Transformer-XL”, section 3.3."
    ).format(model=title_of(name))
    return source, Code(None, _heads(found), _("part of the term"))


def distance_waves(name: str, positions: int, status: DeltaGenerator) -> Drawn:
    """The waves that XLNet has for every distance.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    (side,) = ask(call(describe, name), status).sides
    rows = sinusoids(positions, side.width, halves=True)
    source = _(
        "By formula, as wide as {model}: sines and cosines of the distance from a query back to a"
        " key, which its layers turn into their terms; of a key ahead the sines change their sign."
        " Dai et al. 2019, “Transformer-XL”, section 3.3."
    ).format(model=title_of(name))
    vectors = Vectors(
        rows,
        _("The waves"),
        _("{distances} distances × {width} dimensions").format(
            distances=positions, width=side.width
        ),
        names_of_waves(side.width, halves=True),
    )
    scores = [Scores("", products(rows))]
    return source, Code(vectors, scores, _("their dot product"), strings=_of_distances())


def _heads(found: PositionScores) -> list[Scores]:
    named = _("layer {layer}, head {head}")
    return [
        Scores(named.format(layer=layer, head=head), scores, group=layer)
        for layer, of_layer in enumerate(found.scores)
        for head, scores in enumerate(of_layer)
    ]


def _of_distances() -> dict[str, str]:
    return {
        "zoom": _("distances shown"),
        "wavesHint": _("as waves over the distances"),
        "wavesLabel": _("Lines over the distances: {list}"),
        "matrixLabel": _(
            "{rows} distances down, {columns} dimensions across. Arrow keys read a number, Enter"
            " draws its dimension."
        ),
        "matrixCell": _("distance {position}, {name}: {value}"),
        "near": _("How near two distances are"),
        "nearLabel": _("{rows} distances down and across. Arrow keys read a number."),
        "nearHint": _("Point at a cell."),
        "nearCell": _("distances {row} and {column}, {distance} apart: {value}"),
    }
