"""What happens once, when the server starts."""

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st

# What Streamlit and our first page import in their first run: more than half a second that the
# first reader need not wait.
FIRST_IMPORTS = (
    "PIL.Image",
    "pandas",
    "app.components.frame",
    "app.navigation",
    "app.sections.start.foot",
    "app.sections.start.guess",
    "app.sections.start.picture",
    "app.sections.start.sentence",
)


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncIterator[None]:
    """Load the default model on a thread of its own, so that the server answers meanwhile."""
    threading.Thread(target=_load, name="headlight-start-up", daemon=True).start()
    yield


def _load() -> None:
    # Importing torch takes longer than starting the server, so it happens on this thread too.
    from app.services import warm_up

    warm_up()
    for name in FIRST_IMPORTS:
        import_module(name)
    # Streamlit collects garbage after every run. Without what stays for good it has almost nothing
    # to look through: else everybody would wait 0.1 s, because no other thread runs meanwhile.
    gc.collect()
    gc.freeze()
