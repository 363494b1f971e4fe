"""A line that says how far the picture is from Hugging Face's, once the reader asks."""

from __future__ import annotations

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.notices import notices
from app.theme import difference, primary
from core.engine import Call
from core.parity.sentence import SentenceDifference


@st.fragment
def reference_check(question: Call[SentenceDifference]) -> None:
    """Draw where the numbers come from and the button that checks them, or what was found."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.session_state.get("checked") != question:
            st.caption(
                _("Every number here comes from hooks in one forward pass."), width="content"
            )
            st.button(
                primary(_("Check it against Hugging Face")),
                key="check",
                type="tertiary",
                on_click=lambda: st.session_state.update(checked=question),
            )
            return
        status = st.empty()
        with notices():
            found = ask(question, status)
            status.caption(
                _(
                    "Largest difference from Hugging Face on these {tokens} tokens:"
                    " {patterns} in a weight, {logits} in a score."
                ).format(
                    tokens=found.tokens,
                    patterns=difference(found.patterns),
                    logits=difference(found.logits),
                )
            )
