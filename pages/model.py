import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import ANY, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import offer_default_model
from app.sections.model.ask import draw_field, open_asked
from app.sections.model.foot import draw_foot
from app.sections.model.found import draw_found
from app.sections.model.labels import draw_labels
from app.sections.model.parameter_map import draw_parameter_map
from app.sections.model.shipped import draw_shipped
from app.sections.model.training import draw_training
from app.sections.scenes import draw_scene_keys
from app.state import settle
from core.engine import call
from core.tasks.describe import describe

title = st.container(horizontal=True, vertical_alignment="center", key="page-title")
with st.container(horizontal=True, vertical_alignment="center", key="model-scenes"):
    st.caption(
        _("Open a model of your own: every page works with it as with those that come along."),
        width="content",
    )
    draw_scene_keys("model", widgets=())
status = draw_field()
open_asked(status)
with title:
    st.title(_("Bring your own model"), width="stretch")
    model = model_picker(ANY)

with st.container(key="model", gap="small"), notices(way_out=offer_default_model):
    found = ask(call(describe, model.name), status)
    draw_found(model, found)
    draw_parameter_map(model, found)
draw_labels(model, status)
draw_training(model)
draw_shipped(model)
draw_foot()
settle()
