import streamlit as st

from app.i18n import _
from app.parts.notices import notices
from app.sections.findings.card import draw_card
from app.sections.findings.foot import draw_foot
from app.sections.findings.index import draw_index, sum_of
from app.sections.findings.standing import standings
from app.sections.scenes import draw_scene_keys
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("What training shows"), width="stretch")
with notices():
    known = standings()
    with st.container(horizontal=True, vertical_alignment="center", key="finding-scenes"):
        words = _("Claims of papers, tried again in small.")
        st.caption(f"{words} {sum_of(known)}", width="stretch")
        draw_scene_keys("findings", widgets=())
    with st.container(key="findings", gap="small"):
        found = draw_index(known)
        draw_card(found)
        draw_foot(found)
settle()
