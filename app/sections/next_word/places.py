"""The frames of the page's cards, drawn before all of their contents have arrived."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.parts.model_picker import NEXT_WORDS
from app.parts.sentence_box import offer_default_model
from core.errors import HeadlightError


@dataclass(frozen=True)
class Places:
    """Where each part is drawn."""

    distribution: DeltaGenerator
    read: DeltaGenerator
    masks: DeltaGenerator


def draw_places() -> Places:
    """Draw the frames: what comes next on the left, the other model and the masks on the right."""
    left, right = st.columns([11, 9], gap="small")
    return Places(
        left.container(key="card-next-distribution", border=True),
        right.container(key="card-next-read", border=True),
        right.container(key="card-next-masks", border=True),
    )


def offer_way_out(error: HeadlightError) -> None:
    """Below what is wrong with another model: a button back to the first one."""
    offer_default_model(error, NEXT_WORDS.default)
