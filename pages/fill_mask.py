import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import HIDDEN_WORDS, model_notice, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import draw_facts, facts_of, offer_default_model
from app.sections.fill_mask.board import draw_board
from app.sections.fill_mask.foot import draw_foot
from app.sections.fill_mask.reading import Bare, read_masked
from app.sections.fill_mask.sentence import draw_sentence_row
from app.sections.fill_mask.training_masks import draw_training_masks
from app.sections.scenes import draw_scene_keys
from app.state import settle
from core.engine import call
from core.tasks import attend

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Fill in the mask"), width="stretch")
    model = model_picker(HIDDEN_WORDS)
model_notice(HIDDEN_WORDS)
with st.container(horizontal=True, vertical_alignment="center", key="fill-scenes"):
    st.caption(
        _("Click a word to hide it. The model reads both sides and says what could stand there."),
        width="content",
    )
    draw_scene_keys("fill_mask", widgets=("text", "seed", "epochs", "ablated"))
text, facts, status = draw_sentence_row()

with st.container(key="fill-mask"), notices(way_out=offer_default_model):
    reading = read_masked(model.name, text, status)
    # Where nothing is hidden, no pass has run yet.
    ran = (
        ask(call(attend, model.name, text), status) if isinstance(reading, Bare) else reading.result
    )
    draw_facts(facts, facts_of(ran, model.title), ran.encoding)
    draw_board(model.name, text)
    draw_training_masks(model.name, text)
    draw_foot(model.name)
settle()
