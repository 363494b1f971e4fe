"""Below everything: a link, both sides with all their heads, and how to read the page."""

from __future__ import annotations

import streamlit as st

from app.components.copy_link import copy_link
from app.components.model_picker import ONE_TEXT, ChosenModel
from app.i18n import _
from app.navigation import PAGES
from app.sections.compare.look import Look
from app.state import current_settings, open_page
from core.inference.side_requests import ReadSideRequest
from core.tasks.fill_mask import texts_with_masks
from core.tasks.read_side import SideReading


def draw_foot(look: Look) -> None:
    """Draw the line at the bottom of the page."""
    settings = current_settings()
    left = settings.layer, settings.head
    right = (
        settings.layer if settings.other_layer < 0 else settings.other_layer,
        settings.head if settings.other_head < 0 else settings.other_head,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        _draw_way_out(_("Left in all views"), look.left, look.first, look.sides.models[0], left)
        if look.left != look.right and not look.sides.without_heads:
            title = _("Right in all views")
            _draw_way_out(title, look.right, look.second, look.sides.models[1], right)
        copy_link(settings, canvas={"token": -1})
        _draw_how_to_read()


def _draw_way_out(
    label: str,
    request: ReadSideRequest,
    reading: SideReading,
    model: ChosenModel,
    head: tuple[int, int],
) -> None:
    """A button to the page of all heads, for a model that it shows."""
    if model.entry is not None and not ONE_TEXT.fits(model.entry):
        return
    if st.button(f":primary[{label}]", type="tertiary", key=f"open-{label}"):
        encoding = reading.attention.encoding
        mask = encoding.tokens[reading.guesses[0].position] if request.mask_words else ""
        text = texts_with_masks(encoding, request.mask_words, mask)[0]
        places = {"layer": str(head[0]), "head": str(head[1]), "token": "-1"}
        settings = {"text": text, "model": request.checkpoint}
        open_page(PAGES / "attention.py", settings, places=places)


def _draw_how_to_read() -> None:
    with st.popover(f":primary[{_('How to read this')}]", type="tertiary", width="content"):
        st.markdown(
            _(
                "- **Left and right share rows, columns and colours.** A colour means the same"
                " weight in both; the number at the end of the scale says which.\n"
                "- **The difference is right minus left.** Blue: the right side looks there more;"
                " orange: the left one. “Enlarge” stretches the colours to the largest difference."
                "\n"
                "- **The same pieces are compared cell by cell.** Where the vocabularies cut a"
                " text differently, words are: the weights of a word’s pieces are summed as columns"
                " and averaged as rows, and special tokens are left out, so rows may add up to"
                " less than 1.\n"
                "- **A replaced word keeps its place** and is called by both names. Texts with"
                " another number of words, or of which more than half are others, have no cells"
                " in common and are refused.\n"
                "- **How far apart two heads are:** half the sum of a row’s differences, in the"
                " mean over the rows. 0 is the same map; 1 is no weight in common.\n"
                "- **The same number is not the same head.** Heads of two models that were trained"
                " apart have nothing to do with each other; untick “same head” and look for the one"
                " that fits: the lightest square is the nearest.\n"
                "- **A head that is off** adds nothing; its own map stays as it was, and only those"
                " of later layers change."
            )
        )
