import streamlit as st

from app.i18n import _
from app.sections.scenes import charts_of_scene, draw_scene_keys
from app.sections.schedules.foot import draw_foot
from app.sections.schedules.formulas import draw_formulas
from app.sections.schedules.schedule_charts import rectification_chart, schedule_chart
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("How fast to learn, and when"), width="stretch")
with st.container(horizontal=True, vertical_alignment="center", key="schedule-scenes"):
    st.caption(
        _("Five learning-rate schedules over one run. Move a slider; nothing is sent anywhere."),
        width="content",
    )
    draw_scene_keys("schedules", widgets=(), charts=True)
with st.container(key="schedules", gap="small"):
    schedule_chart(charts_of_scene(), key="schedule_chart")
    draw_formulas()
    rectification_chart(charts_of_scene(), key="rectification_chart")
    draw_foot()
settle()
