"""What happens once, when the server starts."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncIterator[None]:
    """Load the default model on a thread of its own, so that the server answers meanwhile."""
    threading.Thread(target=_load, name="headlight-start-up", daemon=True).start()
    yield


def _load() -> None:
    # Importing torch takes longer than starting the server, so it happens on this thread too.
    from app.services import warm_up

    warm_up()
