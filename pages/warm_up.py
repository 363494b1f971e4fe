import streamlit as st

from app.i18n import _
from app.parts.notices import notices
from app.sections.scenes import draw_scene_keys
from app.sections.warm_up.board import draw_board
from app.sections.warm_up.controls import draw_controls
from app.sections.warm_up.foot import draw_foot
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Warm-up lab"), width="stretch")
with st.container(horizontal=True, vertical_alignment="center", key="lab-scenes"):
    st.caption(
        _("Train a small Transformer on this machine, several settings side by side."),
        width="content",
    )
    draw_scene_keys("warm_up", widgets=())
with st.container(key="warm-up", gap="small"), notices():
    draw_controls()
    draw_board()
    draw_foot()
settle()
