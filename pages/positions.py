import streamlit as st

from app.i18n import _
from app.parts.model_picker import HIDDEN_WORDS, model_notice, model_picker
from app.sections.positions.codes import draw_codes
from app.sections.positions.foot import draw_foot
from app.sections.positions.shuffled import draw_shuffled
from app.sections.scenes import draw_scene_keys
from app.state import settle

WIDGETS = ("text", "seed", "positions", "dimensions", "start", "halves", "space")

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Positional encodings"), width="stretch")
    model = model_picker(HIDDEN_WORDS)
model_notice(HIDDEN_WORDS)
with st.container(horizontal=True, vertical_alignment="center", key="position-scenes"):
    st.caption(_("How a model is told where a word stands, and what it loses without."))
    draw_scene_keys("positions", widgets=WIDGETS, canvas=True)

with st.container(key="positions-page", gap="small"):
    draw_codes(model)
    draw_shuffled(model)
    draw_foot()
settle()
