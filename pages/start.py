import streamlit as st

from app.i18n import _

st.title(_("See a transformer think"))
st.caption(_("Type a sentence. Every head of every layer, at once; hover one to read it."))
