import streamlit as st

from app.ask import ask
from app.i18n import _
from app.parts.model_picker import model_notice, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import draw_facts, facts_of, offer_default_model
from app.sections.pairs.foot import draw_foot
from app.sections.pairs.judges import draw_judges
from app.sections.pairs.objectives import PAIRS
from app.sections.pairs.published import draw_published
from app.sections.pairs.sentences import draw_sentence_row
from app.sections.pairs.terms import draw_terms
from app.sections.scenes import draw_scene_keys
from app.state import settle
from core.engine import call
from core.tasks import attend

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Two sentences"), width="stretch")
    model = model_picker(PAIRS)
model_notice(PAIRS)
with st.container(horizontal=True, vertical_alignment="center", key="pair-scenes"):
    st.caption(
        _("Three questions about one pair: does it follow, is it in order, or which of three?"),
        width="content",
    )
    draw_scene_keys("pairs", widgets=("text", "pair", "third"))
text, pair, third, facts, status = draw_sentence_row()

with st.container(key="pairs", gap="small"), notices(way_out=offer_default_model):
    result = ask(call(attend, model.name, text, pair), status)
    draw_facts(facts, facts_of(result, model.title), result.encoding)
    draw_judges(model, text, pair, third, status)
    draw_terms(model, text, pair, status)
    draw_published()
    draw_foot(model, text, pair)
settle()
