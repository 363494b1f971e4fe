"""Below the picture: is it right, a link to it, its numbers as a file, and how to read it."""

import io

import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.foot import foot
from app.parts.reference_check import reference_check
from app.parts.sentence_box import first_token
from app.theme import primary
from core.engine import Call, call
from core.parity.sentence import compare_sentence
from core.tasks import AttendResult
from core.tasks.describe import describe
from core.tasks.npz import write_npz


def draw_foot(question: Call[AttendResult], result: AttendResult) -> None:
    """Draw the line at the bottom of the page.

    Args:
        question: what is shown.
        result: what came of it.
    """

    def draw_check() -> None:
        # It reads one text, in its own order.
        if result.target is None and result.order is None:
            name, text, pair = question.checkpoint, question["text"], question["pair"]
            reference_check(call(compare_sentence, name, text, pair))

    def draw_numbers() -> None:
        st.download_button(
            primary(_("Numbers (.npz)")),
            data=lambda: npz_of(question),
            file_name="attention.npz",
            mime="application/octet-stream",
            key="npz",
            on_click="ignore",
            type="tertiary",
            help=_("Every weight in float32, with the tokens; numpy opens it."),
        )

    foot(
        "\n".join((_maps(), _about(result), _weight())),
        before=draw_check,
        after=draw_numbers,
        canvas={"token": first_token(result.encoding)},
    )


def npz_of(question: Call[AttendResult]) -> bytes:
    """All numbers of a result as a file."""
    file = io.BytesIO()
    name = question.checkpoint
    revision = ask(call(describe, name), None).revision
    result = ask(question.changed(logits=True), None)  # a pass more, when the file is wanted
    write_npz(file, result, checkpoint=name, revision=revision)
    return file.getvalue()


def _maps() -> str:
    return _(
        "- **A row looks, a column is looked at.** A row is one token: how it shares out"
        " its attention among all columns. Every row adds up to 1.\n"
        "- **A weight** is the softmax of one row of scores. A score is the product of a"
        " query and a key, divided by the square root of their length except in T5; pin a"
        " cell to see its own numbers.\n"
        "- **Full colour** is a weight of 1, or the largest of the head or of the row: the"
        " legend says which. Compare two heads only on the absolute scale.\n"
        "- **The threshold** leaves out weaker weights of the picture. Nothing is computed"
        " anew, so what is left of a row adds up to less than 1; so it does with special"
        " tokens hidden or the sink masked.\n"
        "- **Merged pieces** are one word: its weights as columns are added up, as rows"
        " averaged.\n"
        "- **Heads as points**, beside the grid, are means over the rows: how far the keys are from"
        " the query, how many bits of entropy a row has (0 where it looks at one token alone), and"
        " what share of the weight falls on the first token."
    )


def _about(result: AttendResult) -> str:
    """What the models of this kind of run have of their own."""
    if result.target is not None:
        return _(
            "- **There are three kinds.** In the encoder the source looks at itself, in the decoder"
            " the target at what is written so far, in cross-attention the target at the source."
            " The row of a piece is that of the step that writes the next one (Vaswani et al. 2017,"
            " section 3.2.3)."
        )
    if result.order is not None:
        return _(
            "- **There are two streams** (Yang et al. 2019, section 2.3). The content stream sees"
            " its own token and those before it in the order of reading; the query stream sees only"
            " the latter, because it guesses that token."
        )
    return _(
        "- **So much falls on [CLS] and [SEP]** because a row has to add up to 1: a head"
        " that finds nothing to do in a sentence rests on a token that changes little"
        " (Clark et al. 2019, “What Does BERT Look At?”). Such a resting place is the"
        " sink of a head; masked, it shows what the head does besides."
    )


def _weight() -> str:
    return _("- **A weight is not a reason.** It says what was mixed, not why it was decided.")
