import streamlit as st

from app.i18n import _

st.title(_("Attention heads"))
