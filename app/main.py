"""Entry point: `python -m streamlit run app/main.py`."""

import sys
from pathlib import Path

import streamlit as st

# `streamlit run` puts only this file's folder on the path.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from starlette.middleware import Middleware  # noqa: E402

from app.browser_files import BrowserFiles  # noqa: E402
from app.first_style import FirstStyle  # noqa: E402
from app.startup import warm_up  # noqa: E402

app = st.App(
    Path(__file__).with_name("shell.py"),
    lifespan=warm_up,
    middleware=[Middleware(BrowserFiles), Middleware(FirstStyle)],
)
