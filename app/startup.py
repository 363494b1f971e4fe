"""What happens once, when the server starts and when it ends."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st

PATIENCE_SECONDS = 20.0

# What Streamlit and our first page import in their first run: more than half a second that the
# first reader need not wait. The other pages add a few hundredths.
FIRST_IMPORTS = (
    "PIL.Image",
    "altair",
    "pandas",
    "app.parts.frame",
    "app.parts.model_picker",
    "app.navigation",
    "app.sections.attention.bertviz",
    "app.sections.attention.foot",
    "app.sections.attention.picture",
    "app.sections.attention.sentence",
    "app.sections.fill_mask.board",
    "app.sections.fill_mask.training_masks",
    "app.sections.start.foot",
    "app.sections.start.guess",
    "app.sections.start.picture",
    "app.sections.start.sentence",
    "app.sections.warm_up.board",
    "app.sections.warm_up.controls",
)


@asynccontextmanager
async def warm_up(_: st.App) -> AsyncIterator[None]:
    """Load the default model, so that who finds the server up finds its answer too.

    A model that takes long, or cannot be loaded, does not keep the server from answering.
    """
    ended = threading.Event()
    threading.Thread(target=_load, args=(ended,), name="headlight-start-up", daemon=True).start()
    await asyncio.to_thread(ended.wait, PATIENCE_SECONDS)
    yield
    from app.lab.lab import close_lab

    close_lab()


def _load(ended: threading.Event) -> None:
    try:
        from app.ask import warm_up  # imports torch, which takes longest

        warm_up()
        for name in FIRST_IMPORTS:
            import_module(name)
        # Streamlit collects garbage after every run. Without what stays for good it has almost
        # nothing to look through: else everybody would wait 0.1 s, as no other thread runs then.
        gc.collect()
        gc.freeze()
    finally:
        ended.set()
