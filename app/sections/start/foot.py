"""Below the picture: is it right, how to read it, and a link to it."""

import streamlit as st

from app.components.copy_link import copy_link
from app.components.notices import notices
from app.i18n import _
from app.sections.start.picture import first_token
from app.services import ask
from app.state import current_settings
from app.theme import difference
from core.parity.sentence import ReferenceRequest


def draw_foot(checkpoint: str, text: str) -> None:
    """Draw the line at the bottom of the page."""
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        _draw_check(checkpoint, text)
        copy_link(current_settings(), canvas={"token": first_token(text)})
        _draw_how_to_read()


@st.fragment
def _draw_check(checkpoint: str, text: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        checked = st.session_state.get("checked") == (checkpoint, text)
        if not checked:
            st.caption(
                _("Every number here comes from hooks in one forward pass."), width="content"
            )
            st.button(
                f":primary[{_('Check it against Hugging Face')}]",
                key="check",
                type="tertiary",
                on_click=lambda: st.session_state.update(checked=(checkpoint, text)),
            )
            return
        status = st.empty()
        with notices():
            found = ask(ReferenceRequest(checkpoint, text), status)
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


def _draw_how_to_read() -> None:
    with st.popover(f":primary[{_('How to read this')}]", type="tertiary", width="content"):
        st.markdown(
            _(
                "- **Each small picture is one head.** A row is a token that looks, a column one"
                " that is looked at; the darker a cell, the larger its share. A row adds up to 1.\n"
                "- **Lines** show one row: how much the chosen token takes from every other.\n"
                "- **A dark first or last column is normal.** A head that finds nothing to do in a"
                " sentence looks at [CLS], [SEP] or the full stop.\n"
                "- **A weight is not a reason.** It says what was mixed, not why it was decided.\n"
                "- Words may fall into pieces: `##` goes on where the piece before it ended."
            )
        )
