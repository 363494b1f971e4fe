"""The runs while they train: curves, attention, stop and resume, and the files to take home."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from app.i18n import _
from app.lab.lab import lab
from app.lab.run import Run, State
from app.sections.warm_up.lab_curves import curves_payload, lab_curves
from app.sections.warm_up.maps import draw_maps
from app.sections.warm_up.reader import reader
from app.sections.warm_up.words import in_words, names_of
from app.state import choose, current_settings

SECONDS_BETWEEN_LOOKS = 1.0
CURVES = "lab-curves"
INSIDE = "lab-inside"


def draw_board() -> None:
    """Draw the reader's runs; while one of them is active, every second anew."""
    runs = lab().runs_of(reader())
    active = any(run.state.active for run in runs)
    every = SECONDS_BETWEEN_LOOKS if active else None
    st.fragment(_draw, run_every=every)(was_active=active)


def _draw(*, was_active: bool) -> None:
    with st.container(key="lab-board", gap="small"):
        runs = lab().runs_of(reader())
        if not runs:
            _draw_nothing()
            return
        names = names_of([run.settings for run in runs])
        inside = min(current_settings().inside, len(runs) - 1)
        _draw_buttons(runs, names, inside)
        places = [lab().place_of(run) for run in runs]
        lab_curves(curves_payload(runs, names, places, inside), key=CURVES)
        _draw_facts(runs, inside)
        draw_maps(runs[inside], names[inside])
    if was_active != any(run.state.active for run in runs):
        st.rerun()  # what moves is asked for every second, and nothing else


def _draw_nothing() -> None:
    words = _(
        "Nothing has been trained yet. “Train” starts the runs on this machine, each in a process"
        " of its own; with the settings as they are, each takes about a minute on a CPU."
    )
    st.html(f'<p class="lab-empty">{escape(words)}</p>')


def _draw_buttons(runs: Sequence[Run], names: Sequence[str], inside: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lab-buttons"):
        st.session_state[INSIDE] = inside
        st.segmented_control(
            _("Layers and heads of"),
            list(range(len(runs))),
            format_func=lambda number: names[number],
            key=INSIDE,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: choose("inside", st.session_state[INSIDE]),
        )
        if any(run.state in (State.WAITING, State.RUNNING) for run in runs):
            st.button(_("Stop"), key="lab-stop", on_click=_stop, args=(runs,))
        if any(run.state is State.STOPPED for run in runs):
            st.button(_("Resume"), key="lab-resume", on_click=_resume, args=(runs,))
        run, name = runs[inside], names[inside]
        _draw_download(run, name, "jsonl", "application/x-ndjson")
        _draw_download(run, name, "csv", "text/csv")


def _draw_download(run: Run, name: str, ending: str, mime: str) -> None:
    def text() -> str:
        with run.lock:
            return run.record.csv() if ending == "csv" else run.record.json_lines()

    label = {"csv": "CSV", "jsonl": _("JSON lines")}[ending]
    st.download_button(
        f":primary[{label}]",
        data=text,
        file_name=f"headlight-run-{run.number}.{ending}",
        mime=mime,
        key=f"lab-{ending}",
        on_click="ignore",
        type="tertiary",
        help=_("Everything measured in the run “{name}”, without attention maps").format(name=name),
    )


def _draw_facts(runs: Sequence[Run], inside: int) -> None:
    run = runs[inside]
    with run.lock:
        start, end = run.record.start, run.record.steps[-1] if run.record.steps else None
        message = run.record.message
    if message:
        st.error(message.replace("_", r"\_"))
    if start is None:
        return
    base = run.settings
    facts = [
        in_words("task", base.task),
        _("{depth} + {depth} layers of width {width}, 4 heads").format(
            depth=base.depth, width=base.width
        ),
        _("{count} parameters").format(count=f"{start['parameters']:,}"),
        _("{norm}, {method}, batches of {batch} pairs, seed {seed}").format(
            norm=in_words("norm", base.norm),
            method=in_words("method", base.method),
            batch=base.batch,
            seed=base.seed,
        ),
        start["machine"],
    ]
    if end is not None:
        facts.append(_("{seconds} s").format(seconds=f"{end['seconds']:.0f}"))
    st.html(f'<p class="lab-facts">{escape(" · ".join(facts))}</p>')


def _stop(runs: Sequence[Run]) -> None:
    for run in runs:
        lab().stop(run)


def _resume(runs: Sequence[Run]) -> None:
    for run in runs:
        lab().resume(run)
