import streamlit as st

from app.i18n import _
from app.parts.model_picker import BLANKS, model_notice, model_picker
from app.sections.scenes import draw_scene_keys
from app.sections.spans.board import draw_board
from app.sections.spans.controls import draw_controls
from app.sections.spans.foot import draw_foot
from app.sections.spans.sentence import draw_sentence_row
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Fill the blanks"), width="stretch")
    model = model_picker(BLANKS)
model_notice(BLANKS)
with st.container(horizontal=True, vertical_alignment="center", key="spans-scenes"):
    st.caption(
        _(
            "One blank or many, each of the size you want or of the model’s choice: it reads on all"
            " sides of them."
        ),
        width="content",
    )
    draw_scene_keys("spans", widgets=("blanks", "samples", "seed"), canvas=True)
text, facts, status = draw_sentence_row()
draw_controls()
filling = draw_board(model, text, facts, status)
draw_foot(model, text, filling)
settle()
