"""The app with other bundled checkpoints: those in the folder that TINY_MODELS names."""

import os
from importlib.util import find_spec
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from app.browser_files import BrowserFiles
from app.first_style import FirstStyle
from core.checkpoints import catalogue

catalogue.BUNDLED_FOLDER = Path(os.environ["TINY_MODELS"])
shell = find_spec("app.shell")
assert shell is not None
assert shell.origin is not None
app = st.App(shell.origin, middleware=[Middleware(BrowserFiles), Middleware(FirstStyle)])
