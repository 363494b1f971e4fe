"""The attention explorer alone on a page, over random maps; `?case=` chooses what is drawn."""

import streamlit as st

from app.components.attention_canvas import attention_canvas, canvas_strings
from app.components.attention_payload import CanvasSettings, encode
from tests.browser.apps.explorer_cases import explorer_case

st.set_page_config(layout="wide")
if st.query_params.get("present") == "1":
    st.html("<style>html { font-size: 20px }</style>")
case = st.query_params.get("case", "sentence")
settings = CanvasSettings(
    layer=2, head=1, token=10 if case == "sentence" else None, layout="explorer"
)
payload = encode(explorer_case(case), strings=canvas_strings(), settings=settings)
attention_canvas(payload, key="canvas")
if case == "twice":
    attention_canvas(payload, key="other")
