"""What is to be trained: what is compared, and what all runs have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Literal

import streamlit as st

from app.i18n import _
from app.lab.lab import lab
from app.lab.plan import Compare, Plan, read_plan, write_plan
from app.parts.frame import pixels
from app.parts.notices import notices
from app.sections.warm_up.reader import reader
from app.sections.warm_up.words import compare_in_words, in_words, title_of
from app.state import choose, current_settings
from core.config import NormPlacement
from core.errors import ConfigError
from core.lab.settings import BOUNDS, METHODS
from core.lab.tasks import Task
from core.training.schedules import Shape

RATES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 3e-3, 5e-3, 1e-2, 2e-2)
WARM_UPS = (0, 10, 25, 50, 100, 150, 200, 300, 400)
STEPS = (20, 100, 200, 400, 600, 1_000, 2_000)
BATCHES = (8, 16, 32, 64, 128)
WIDTHS = (16, 32, 64, 96, 128)
DEPTHS = (1, 2, 3, 4, 6, 8)
SHAPES = (Shape.LINEAR, Shape.CONSTANT, Shape.COSINE, Shape.INVERSE_ROOT)


def draw_controls() -> Plan:
    """Draw the fields and the button; return what they say."""
    plan = read_plan(current_settings().lab)
    with st.container(
        horizontal=True, vertical_alignment="bottom", gap="xsmall", key="lab-controls"
    ):
        _choice(plan, "compare", list(Compare), compare_in_words, width=pixels(192))
        _choice(plan, "task", list(Task), width=pixels(176))
        _choice(plan, "norm", list(NormPlacement), width=pixels(120))
        _choice(plan, "method", METHODS, width=pixels(104))
        _choice(plan, "warm_up", WARM_UPS, width=pixels(116))
        _choice(plan, "peak_rate", RATES, width=pixels(96))
        with st.popover(_("More"), width="content"):
            for name, options in (
                ("steps", STEPS),
                ("shape", SHAPES),
                ("batch", BATCHES),
                ("width", WIDTHS),
                ("depth", DEPTHS),
            ):
                _choice(plan, name, options)
            _seed(plan)
        train = st.button(_("Train"), key="lab-train", type="primary")
    if train:
        with notices():
            lab().begin(reader(), plan.runs())
    return plan


def _choice(
    plan: Plan,
    name: str,
    options: Sequence[Any],
    words: Callable[[Any], str] | None = None,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    value = plan.compare if name == "compare" else getattr(plan.base, name)
    # The address may hold a number that the list does not.
    listed = list(options) if value in options else sorted([*options, value])
    decoded = words or (lambda one: in_words(name, one))
    key = f"lab-{name}"
    written = {_written(one): one for one in listed}
    st.session_state[key] = _written(value)

    def change() -> None:
        _change(name, written[st.session_state[key]])

    st.selectbox(
        title_of(name),
        list(written),
        format_func=lambda one: decoded(written[one]),
        key=key,
        on_change=change,
        width=width,
    )


def _seed(plan: Plan) -> None:
    st.session_state["lab-seed"] = plan.base.seed
    st.number_input(
        title_of("seed"),
        min_value=0,
        max_value=int(BOUNDS["seed"][1]),
        key="lab-seed",
        on_change=lambda: _change("seed", st.session_state["lab-seed"]),
    )


def _change(name: str, value: Any) -> None:
    plan = read_plan(current_settings().lab)
    changes = {name: value}
    if name == "steps":
        # A warm-up that no longer fits is cut to a third of the run.
        changes["warm_up"] = min(plan.base.warm_up, value // 3)
    if name == "warm_up":
        changes["steps"] = max(plan.base.steps, min(2 * value, int(BOUNDS["steps"][1])))
    try:
        plan = (
            replace(plan, compare=value)
            if name == "compare"
            else replace(plan, base=replace(plan.base, **changes))
        )
    except ConfigError:
        return
    choose("lab", write_plan(plan))


def _written(value: Any) -> str:
    return str(value.value) if isinstance(value, Enum) else f"{value:g}"
