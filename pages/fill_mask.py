import streamlit as st

from app.i18n import _

st.title(_("Fill in the mask"))
st.caption(_("Hide words of a sentence, and the model says what could stand there."))
