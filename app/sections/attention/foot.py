"""Below the picture: is it right, a link to it, its numbers as a file, and how to read it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.components.copy_link import copy_link
from app.components.reference_check import reference_check
from app.components.sentence_box import first_token
from app.i18n import _
from app.services import trace_npz
from app.state import current_settings
from core.inference import AttendRequest
from core.parity.sentence import ReferenceRequest
from core.tokenisation import Encoding


def draw_foot(request: AttendRequest, encoding: Encoding, status: DeltaGenerator) -> None:
    """Draw the line at the bottom of the page.

    Args:
        request: what is shown.
        encoding: the tokens that ran.
        status: where a wait is spoken of.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        reference_check(ReferenceRequest(request.checkpoint, request.text, request.pair))
        copy_link(current_settings(), canvas={"token": first_token(encoding)})
        st.download_button(
            f":primary[{_('Numbers (.npz)')}]",
            data=lambda: trace_npz(request, status),
            file_name="attention.npz",
            mime="application/octet-stream",
            key="npz",
            on_click="ignore",
            type="tertiary",
            help=_("Every weight in float32, with the tokens; numpy opens it."),
        )
        _draw_how_to_read()


def _draw_how_to_read() -> None:
    with st.popover(f":primary[{_('How to read this')}]", type="tertiary", width="content"):
        st.markdown(
            _(
                "- **A row looks, a column is looked at.** A row is one token: how it shares out"
                " its attention among all columns. Every row adds up to 1.\n"
                "- **A weight** is the softmax of one row of scores. A score is the product of a"
                " query and a key, divided by the square root of their length; pin a cell to see"
                " its own numbers.\n"
                "- **Full colour** is a weight of 1, or the largest of the head or of the row: the"
                " legend says which. Compare two heads only on the absolute scale.\n"
                "- **The threshold** leaves out weaker weights of the picture. Nothing is computed"
                " anew, so what is left of a row adds up to less than 1; so it does with special"
                " tokens hidden or the sink masked.\n"
                "- **Merged pieces** are one word: its weights as columns are added up, as rows"
                " averaged.\n"
                "- **So much falls on [CLS] and [SEP]** because a row has to add up to 1: a head"
                " that finds nothing to do in a sentence rests on a token that changes little"
                " (Clark et al. 2019, “What Does BERT Look At?”). Such a resting place is the"
                " sink of a head; masked, it shows what the head does besides.\n"
                "- **A weight is not a reason.** It says what was mixed, not why it was decided."
            )
        )
