"""The same mask before and after a change to the sentence."""

from __future__ import annotations

import hashlib
from urllib.parse import quote_plus

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.i18n import _
from app.parts.card_heading import card_heading
from app.parts.notices import notices
from app.sections.fill_mask.compared import draw_compared
from app.sections.fill_mask.reading import MaskedReading, cards, found_reading, wait_line
from app.settings import FIELDS
from app.state import LONGEST_IN_ADDRESS, choose, current_settings, forget

RENEWED = "times the edit was renewed"
UNSHARED = "edit without room in the address"


@st.fragment
def draw_edit(checkpoint: str, text: str) -> None:
    """Draw the field for the changed sentence and both answers; changing it runs only this part."""
    with st.container(key="fill-edit", gap="small"), notices():
        status = wait_line("fill-edit")
        left, right = cards("edit", "edit-change")
        reading = found_reading(checkpoint, text, status)
        with left:
            _draw_field(reading)
        with right, notices():
            _draw_change(reading, status)


def _changed(reading: MaskedReading) -> str | None:
    """The changed sentence; None where there is none, or it is the sentence itself."""
    long_one = st.session_state.get(UNSHARED)
    kept = long_one[1] if long_one and long_one[0] == reading.typed.texts[0] else ""
    changed: str = current_settings().edit or kept
    return None if changed in ("", reading.masked_text) else changed


def _draw_field(reading: MaskedReading) -> None:
    changed = _changed(reading)
    shown = reading.masked_text if changed is None else changed
    key = _field_key(reading, shown)
    title = _("Before and after an edit")
    with st.container(gap="xsmall"):
        card_heading(title)
        st.text_area(
            _("The changed sentence"),
            value=shown,
            key=key,
            height=96,
            label_visibility="collapsed",
            max_chars=FIELDS["edit"].metadata["most"],
            on_change=_remember_edit,
            args=(key, reading.typed.texts[0]),
        )
        st.caption(
            _(
                "Change anything, and keep the {mask}s: the first one here is compared with the"
                " first one above, and so on."
            ).format(mask=reading.mask_token)
        )
        st.button(
            _("Back to the sentence"),
            key="edit-back",
            disabled=changed is None,
            on_click=_forget_edit,
        )


def _field_key(reading: MaskedReading, shown: str) -> str:
    """A field of its own for every masked sentence, and whenever something else is to be shown.

    A browser sends back what it shows with whatever it asks next. Putting another text into the
    same field would make an old one, still on its way, look like a change by the reader.
    """
    digest = hashlib.sha256(reading.masked_text.encode(errors="replace")).hexdigest()[:12]
    renewed: int = st.session_state.get(RENEWED, 0)
    if st.session_state.get(f"edit-{digest}-{renewed}", shown) != shown:
        renewed += 1
        st.session_state[RENEWED] = renewed
    return f"edit-{digest}-{renewed}"


def _remember_edit(key: str, text: str) -> None:
    written: str = st.session_state[key]
    _forget_edit()
    room = LONGEST_IN_ADDRESS - len(quote_plus(text, errors="replace"))
    if len(quote_plus(written, errors="replace")) <= room:
        choose("edit", written)
    else:
        st.session_state[UNSHARED] = (text, written)


def _forget_edit() -> None:
    forget("edit")
    st.session_state.pop(UNSHARED, None)


def _draw_change(reading: MaskedReading, status: DeltaGenerator) -> None:
    changed = _changed(reading)
    draw_compared(
        reading,
        None if changed is None else reading.compare(changed=changed),
        status,
        title=_("Before and after"),
        hint=_("mask {number}").format(number=reading.mask + 1),
        unchanged=_("Nothing is changed yet."),
    )
