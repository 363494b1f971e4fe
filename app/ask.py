"""Asking a model from a page: the only module that remembers anything.

Every memory is bounded in bytes. Results are remembered by what was asked and by the state of the
model's files, never by the numbers themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.host import load_policy
from app.i18n import _, ngettext
from app.settings import Settings
from app.sizes import size_of
from core.checkpoints import Checkpoint, LoadPolicy, fingerprint, load_checkpoint
from core.checkpoints.source import find_folder
from core.engine import Call, SizedCache, Ticket, WorkerEngine, call
from core.tasks import attend

MODEL_BYTES = 2_000_000_000
RESULT_BYTES = 512_000_000
SLICE_SECONDS = 0.05  # between two looks whether the reader wants something else by now
SILENT_SLICES = 6  # a shorter wait is not worth a word
LISTED_SECONDS = 1.0  # until a file that was written in place is noticed at the latest
MOST_FOLDERS = 256
WAITING_LIMIT = 256  # a full lecture hall, each with a text of its own

ResultT = TypeVar("ResultT")

_models: SizedCache[Checkpoint] = SizedCache(MODEL_BYTES)
_results: SizedCache[object] = SizedCache(RESULT_BYTES)


@dataclass(frozen=True)
class _Listed:
    """The folder of a checkpoint: when it was listed, what it was then, the state of its files."""

    path: Path
    at: float
    folder: tuple[int, int]
    state: str


_listed: dict[tuple[str, LoadPolicy], _Listed] = {}


def model_of(name: str) -> Checkpoint:
    """A model, loaded once for as long as its files stay the same. Called by the engine."""
    key = (name, _state_of(name))
    model = _models.get(key)
    if model is None:
        model = load_checkpoint(name, policy=load_policy())
        size = sum(weights.nbytes for weights in model.model.parameters())
        _models.put(key, model, size)
    return model


@cache
def engine() -> WorkerEngine:
    """The engine of this process."""
    return WorkerEngine(model_of, limit=WAITING_LIMIT)


def ask(question: Call[ResultT], status: DeltaGenerator | None) -> ResultT:
    """The answer to a call, computed off the script's thread or remembered.

    Args:
        question: what to compute.
        status: where a longer wait is spoken of; emptied at the end. None outside of a script's
            run, as in a download, where Streamlit lets nothing be drawn.

    Raises:
        HeadlightError: whatever is wrong with the question, or the queue is full.
    """
    state = _state_of(question.checkpoint)
    return _remembered((question, state), lambda: _answer(question, state, status))


def remembered(
    questions: Sequence[Call[Any]], options: tuple[object, ...], make: Callable[[], ResultT]
) -> ResultT:
    """What follows from the answers to some calls, made once for as long as they hold."""
    states = [_state_of(one.checkpoint) for one in questions]
    return _remembered((*options, *questions, *states), make)


def warm_up() -> None:
    """Load the default model and answer what the first page asks, before anybody asks it."""
    first = call(attend, Settings.model, Settings.text)
    # The first pass of a process takes memory and plans; its time is not that of the model.
    engine().submit("start-up", first).result()
    _remembered((first, _state_of(first.checkpoint)), engine().submit("start-up", first).result)


def _answer(question: Call[ResultT], state: str, status: DeltaGenerator | None) -> ResultT:
    context = get_script_run_ctx()
    # Without a session, as in a download, nobody else's call may be overtaken.
    session = context.session_id if context else f"thread {threading.get_ident()}"
    ticket = engine().submit(session, question, state=state)
    try:
        if status:
            _wait_for(ticket, status)
        return ticket.result()
    finally:
        ticket.cancel()  # does nothing to a call that has ended


def _wait_for(ticket: Ticket[Any], status: DeltaGenerator) -> None:
    slices = 0
    while not ticket.wait(SLICE_SECONDS):
        slices += 1
        # Any call of Streamlit ends this run here if the reader has moved on.
        if slices < SILENT_SLICES:
            status.empty()
        elif ticket.position:
            before = ngettext(
                "{count} request is before yours.",
                "{count} requests are before yours.",
                ticket.position,
            )
            status.caption(before.format(count=ticket.position))
        elif ticket.progress:
            done, wanted = ticket.progress
            status.caption(_("Computing… {done} of {wanted}").format(done=done, wanted=wanted))
        else:
            status.caption(_("Computing…"))
    if slices:
        status.empty()


def _remembered(key: tuple[object, ...], make: Callable[[], ResultT]) -> ResultT:
    known = _results.get(key)
    if known is None:
        known = make()
        _results.put(key, known, size_of(known))
    return known  # type: ignore[return-value]  # a key names one kind of value


def _state_of(checkpoint: str) -> str:
    """Changes with the files of a checkpoint; they are listed again when their folder has changed.

    A file that is written in place changes no folder, so after a while they are listed anyway.
    """
    policy, now = load_policy(), time.monotonic()
    known = _listed.get((checkpoint, policy))
    if known and now < known.at + LISTED_SECONDS and known.folder == _identity(known.path):
        return known.state
    path = find_folder(checkpoint, policy).path
    folder = _identity(path)
    listed = _Listed(path, now, folder, fingerprint(path))
    if len(_listed) >= MOST_FOLDERS:
        _listed.clear()
    _listed[checkpoint, policy] = listed
    return listed.state


def _identity(folder: Path) -> tuple[int, int]:
    """Another one when a file comes, goes or is renamed; (0, 0) where there is no folder."""
    try:
        found = folder.stat()
    except OSError:
        return (0, 0)
    return found.st_ino, found.st_mtime_ns
