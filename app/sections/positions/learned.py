"""Codes that models have learned, read from their hook points."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.model_picker import ChosenModel
from app.components.position_view import Code, Scores, Vectors
from app.i18n import _
from app.sections.positions.made import Drawn
from app.services import ask, title_of
from core.analysis.positions import products
from core.errors import SequenceTooLongError
from core.inference.position_requests import (
    DistanceBiasRequest,
    PositionScoresRequest,
    PositionTableRequest,
)


def trained_rows(
    model: ChosenModel, positions: int, start: int, status: DeltaGenerator
) -> Drawn | None:
    """A model's table; a sentence in its place where it has no such rows.

    Raises:
        HeadlightError: the model cannot be opened.
    """
    try:
        found = ask(PositionTableRequest(model.name, positions, start), status)
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
    found = ask(DistanceBiasRequest(name, positions), status)
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
    found = ask(PositionScoresRequest(name, text), status)
    assert found.encoding is not None
    source = _(
        "Transformer-XL’s, as {model} has it: the product of a query and the wave of a distance,"
        " from its hook point “position_scores” on the first {count} tokens of the sentence below."
        " Dai et al. 2019, section 3.3."
    ).format(model=title_of(name), count=len(found.encoding))
    named = _("layer {layer}, head {head}")
    heads = [
        Scores(named.format(layer=layer, head=head), scores, group=layer)
        for layer, of_layer in enumerate(found.scores)
        for head, scores in enumerate(of_layer)
    ]
    return source, Code(None, heads, _("term of the score"))
