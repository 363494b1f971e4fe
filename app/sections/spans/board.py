"""The filled blanks, how they came about, and how they were sampled."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import BLANKS, ChosenModel
from app.parts.notices import notices
from app.parts.said import choose_said
from app.parts.sentence_box import draw_facts, offer_default_model
from app.sections.scenes import picture_of_scene
from app.sections.spans.controls import stop_button
from app.sections.spans.facts import facts_of
from app.sections.spans.foot import draw_weakness
from app.sections.spans.objectives import draw_objectives
from app.sections.spans.span_view import fits, span_view
from app.state import current_settings
from core.decoding import Sampling
from core.engine import Call, call
from core.errors import HeadlightError
from core.tasks.errors import NoBlankError
from core.tasks.step_spans import SteppedFilling, attend_written, step_spans

VIEW = "span_view"


def question_of(model: str, text: str) -> Call[SteppedFilling]:
    """What the settings ask for."""
    settings = current_settings()
    return call(
        step_spans,
        model,
        text,
        samples=settings.samples if settings.warmth else 1,
        sampling=Sampling(settings.warmth / 100),
        seed=settings.seed if settings.warmth else 0,
    )


def draw_board(
    model: ChosenModel, text: str, facts: DeltaGenerator, status: DeltaGenerator
) -> SteppedFilling | None:
    """Fill the blanks and draw everything that follows; return how they were filled, if they were.

    Args:
        model: which one.
        text: with blanks.
        facts, status: places beside the text.
    """
    question = question_of(model.name, text)
    with st.container(key="spans-result"), notices(way_out=_way_out):
        try:
            with stop_button(question, status) as place:
                filling = None if place is None else ask(question, place)
        except NoBlankError:
            st.info(_("There is no blank yet. Click a word above, or type ___ into the text."))
            return None
        if filling is None:
            return None
        draw_facts(facts, facts_of(model, filling), filling.source)
        _draw_view(model, question)
        return filling
    return None


def _way_out(error: HeadlightError) -> None:
    offer_default_model(error, BLANKS.default)


@st.fragment
def _draw_view(model: ChosenModel, question: Call[SteppedFilling]) -> None:
    """Draw the texts and steps; choosing another sample runs only this part."""
    with st.container(key="spans-view", gap="small"), notices():
        status = st.container(key="spans-view-status").empty()
        filling = ask(question, status)  # remembered
        sample = min(current_settings().sample, len(filling.texts) - 1)
        chosen = filling.texts[sample]
        attention = None
        if fits(filling, sample):
            written = call(attend_written, model.name, question["text"], chosen.ids)
            attention = ask(written, status)
        span_view(
            filling, sample, attention, picture_of_scene(), key=VIEW, on_sample=_remember_sample
        )
        draw_weakness(model)
        draw_objectives(model.name, filling.blanks.filled(chosen.fillings))


def _remember_sample() -> None:
    choose_said("sample", VIEW, "sample")
