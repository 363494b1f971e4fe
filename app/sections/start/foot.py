"""Below the picture: is it right, the way to all views of it, a link to it, how to read it."""

import streamlit as st

from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.reference_check import reference_check
from app.parts.sentence_box import first_token
from app.theme import primary
from core.engine import call
from core.parity.sentence import compare_sentence
from core.tokenisation import Encoding


def draw_foot(checkpoint: str, encoding: Encoding) -> None:
    """Draw the line at the bottom of the page.

    Args:
        checkpoint: name of the model.
        encoding: the tokens that ran.
    """

    def draw_ways() -> None:
        reference_check(call(compare_sentence, checkpoint, encoding.texts[0]))
        # Settings travel along: the sentence here, the head and the token in the browser.
        label = primary(_("Explore this head"))
        st.page_link(PAGES / "attention.py", label=label, width="content")

    foot(_how_to_read(), before=draw_ways, canvas={"token": first_token(encoding)})


def _how_to_read() -> str:
    return _(
        "- **Each small picture is one head.** A row is a token that looks, a column one"
        " that is looked at; the darker a cell, the larger its share. A row adds up to 1.\n"
        "- **Lines** show one row: how much the chosen token takes from every other.\n"
        "- **A dark first or last column is normal.** A head that finds nothing to do in a"
        " sentence looks at [CLS], [SEP], the first token or the full stop.\n"
        "- **A weight is not a reason.** It says what was mixed, not why it was decided.\n"
        "- Words may fall into pieces: `##` goes on where the piece before it ended; in"
        " other vocabularies `␣` is the space before a piece."
    )
