"""Below everything: a link, how to read the page, and where the model is weak."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.card_facts import weaknesses
from app.host import load_policy
from app.i18n import _
from app.parts.foot import foot
from core.checkpoints.files import CARD
from core.checkpoints.source import find_folder

ABOUT_MASKS = ("[MASK]", "<mask>")


def draw_foot(checkpoint: str) -> None:
    """Draw the line at the bottom of the page."""
    weak = weaknesses(find_folder(checkpoint, load_policy()).read_text(CARD) or "")
    about_masks = [line for line in weak if any(mask in line for mask in ABOUT_MASKS)]
    foot(_how_to_read())
    if about_masks:
        said = _("Where it is weak, in the words of its card: {line}").format(line=about_masks[0])
        st.html(f'<p class="mask-foot">{escape(said)}</p>')


def _how_to_read() -> str:
    return _(
        "- **A probability is the model’s, not the world’s.** It says how the model spreads"
        " its guess over all pieces of its vocabulary; together they make 1.\n"
        "- **The model learned this way:** of long texts 15 % of the pieces were hidden,"
        " and it had to name them from both sides.\n"
        "- **Several masks are filled independently.** Each guess is made as if the others"
        " stayed masks, so two good guesses need not fit together.\n"
        "- **A word of k pieces becomes k masks,** so the masks tell how long it was.\n"
        "- **What a layer would have said** is read with the head that was trained on the"
        " last layer only: an early layer may know more than it can say. Ranks stand on a"
        " logarithmic axis, 1 at the top: from 1,000 to 100 is as far as from 10 to 1.\n"
        "- **A head that is off** adds nothing: what it mixes is set to zero. The layers"
        " after it see the difference, so theirs may look elsewhere."
    )
