"""Below everything: the attention of the same run, a link, how to read it, and how good it is."""

from __future__ import annotations

from html import escape

import streamlit as st

from app.card_facts import headline, weaknesses
from app.host import load_policy
from app.i18n import _
from app.navigation import PAGES
from app.parts.foot import foot
from app.parts.model_picker import ChosenModel
from app.parts.sentence_box import READ_ALONE
from app.sections.replaced.reading import ReplacedReading
from app.state import open_page
from app.theme import primary
from core.checkpoints import CheckpointError
from core.checkpoints.figures import read_figures
from core.checkpoints.files import CARD
from core.checkpoints.source import find_folder


def draw_foot(model: ChosenModel, reading: ReplacedReading) -> None:
    """Draw the lines at the bottom of the page."""
    foot(_how_to_read(), before=lambda: _draw_way_to_attention(model, reading))
    st.html(f'<p class="replaced-foot">{escape(in_its_own_words(model))}</p>')


def in_its_own_words(model: ChosenModel) -> str:
    """How good the model is: its card's figures and first weakness, or that it has no card."""
    folder = find_folder(model.name, load_policy())
    try:
        figures = headline(read_figures(folder.path))
    except CheckpointError:
        figures = ""
    weak = weaknesses(folder.read_text(CARD) or "")
    said = [_("This is a small model: it misses fakes and suspects good words.")]
    if figures:
        said.append(_("Measured on text that it has not seen: {figures}.").format(figures=figures))
    if weak:
        said.append(_("Where it is weak, in the words of its card: {line}").format(line=weak[0]))
    if not figures and not weak:
        said.append(_("It came without a card, so nothing measured can be quoted."))
    return " ".join(said)


def _draw_way_to_attention(model: ChosenModel, reading: ReplacedReading) -> None:
    no_text = _(
        "No text is cut into exactly these pieces, so the page of all heads cannot read them: draw"
        " again."
    )
    label = primary(_("Attention of this run"))
    if st.button(
        label,
        type="tertiary",
        key="open-attention",
        disabled=reading.text is None,
        help=no_text if reading.text is None else None,
    ):
        assert reading.text is not None
        settings = {"text": reading.text, "model": model.name}
        places = {"token": "-1"}
        open_page(PAGES / "attention.py", settings, places=places, forgotten=READ_ALONE)


def _how_to_read() -> str:
    return _(
        "- **Two networks.** A small generator fills hidden places by drawing from its"
        " guesses. The discriminator reads the result and judges every token: original or"
        " replaced (Clark et al. 2020, “ELECTRA”, section 2).\n"
        "- **What is lit** is the probability that a token was replaced. The paper’s D is"
        " the probability of the *original*; the light is 1 − D, as in the released"
        " code.\n"
        "- **A draw that is the original counts as original.** Nothing was replaced"
        " there, whatever was hidden.\n"
        "- **Found, missed, false alarm** follow the threshold; the probabilities do not."
        " Few tokens are replaced, so who calls everything original is right nearly"
        " always: compare with that number.\n"
        "- **ROC and precision-recall** show every threshold at once, for the typed tokens of this"
        " sentence. Equal probabilities are called together. A few tokens make a rough curve: the"
        " AUC that is quoted below is over many texts.\n"
        "- **The temperature** divides the generator’s scores before it draws: 1 as in the"
        " paper, above 1 unlikelier words, which are easier to find.\n"
        "- **15 % of the tokens are hidden,** at least one, all as [MASK], drawn with the"
        " seed.\n"
        "- **The loss** is the generator’s mean over hidden places plus 50 times the"
        " discriminator’s mean over all tokens. The second is a binary loss, so it is"
        " small: 50 makes up for that. It is no game against each other: the generator"
        " learns from its own loss only.\n"
        "- **What you write yourself** is unlike what the generator draws: the model was"
        " never trained to find wrong facts, only tokens that fit badly.\n"
        "- **Mark first:** the class marks words before anything is lit. Then both are"
        " scored, and the score runs on from sentence to sentence."
    )
