import streamlit as st

from app.i18n import _
from app.parts.model_picker import NEXT_WORDS, model_notice, model_picker
from app.parts.notices import notices
from app.parts.sentence_box import draw_facts, facts_of
from app.sections.next_word.board import draw_distribution, draw_strip
from app.sections.next_word.contrast import draw_contrast, draw_masks
from app.sections.next_word.foot import draw_foot
from app.sections.next_word.places import draw_places, offer_way_out
from app.sections.next_word.rank_chart import draw_rank_chart
from app.sections.next_word.reading import read_position
from app.sections.next_word.sentence import draw_sentence_row
from app.sections.next_word.written import draw_written
from app.sections.scenes import draw_scene_keys
from app.state import settle

with st.container(horizontal=True, vertical_alignment="center", key="page-title"):
    st.title(_("Next word"), width="stretch")
    model = model_picker(NEXT_WORDS)
model_notice(NEXT_WORDS)
with st.container(horizontal=True, vertical_alignment="center", key="next-scenes"):
    st.caption(
        _("A model that sees only what came before. Draw a piece from its guess, and go on."),
        width="content",
    )
    draw_scene_keys("next_word", widgets=("text", "seed"), canvas=True)
text, facts, status = draw_sentence_row()

with st.container(key="next-word"), notices(way_out=offer_way_out):
    reading = read_position(model.name, text, status)
    draw_facts(facts, facts_of(reading.read, model.title), reading.read.encoding)
    # Before the cards: Streamlit keeps no room for a container while nothing stands in it.
    with st.container(key="next-strip"):
        draw_strip(reading)
    places = draw_places()
    with places.distribution:
        draw_distribution(reading)
    with places.read:
        draw_contrast(reading, model.title, status)
    with places.masks:
        draw_masks(reading, model.title, status)
    with st.container(key="card-next-ranks", border=True):
        draw_rank_chart(reading)
    draw_written(model.name, text)
    draw_foot(reading)
settle()
