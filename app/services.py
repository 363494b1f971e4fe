"""What pages ask of `core`: the only module that remembers anything.

Every memory is bounded in bytes. Results are remembered by what was asked and by the state of the
model's files, never by the numbers themselves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.components.attention_canvas import canvas_strings
from app.components.attention_payload import CanvasSettings, MapSet, encode
from app.components.head_suggestions import suggest_heads
from app.i18n import _, current_language, ngettext
from app.state import Settings
from core.checkpoints import Checkpoint, LoadPolicy, bundled, fingerprint, load_checkpoint
from core.checkpoints.source import find_folder
from core.inference import (
    AttendRequest,
    Request,
    RequestCancelledError,
    SizedCache,
    Ticket,
    WorkerEngine,
)
from core.tasks import AttendResult

MODEL_BYTES = 2_000_000_000
RESULT_BYTES = 256_000_000
SLICE_SECONDS = 0.05  # between two looks whether the reader wants something else by now
SILENT_SLICES = 6  # a shorter wait is not worth a word
WAITING_LIMIT = 256  # a full lecture hall, each with a text of its own

ResultT = TypeVar("ResultT")

_models: SizedCache[Checkpoint] = SizedCache(MODEL_BYTES)
_results: SizedCache[object] = SizedCache(RESULT_BYTES)
# What is being computed: a class that opens one link together asks for it once.
_pending: dict[tuple[object, ...], Ticket[Any]] = {}
_pending_lock = threading.Lock()


def load_policy() -> LoadPolicy:
    """Bundled models, and folders below `HEADLIGHT_MODELS` where it is set."""
    folder = os.environ.get("HEADLIGHT_MODELS", "").strip()
    return LoadPolicy(roots=(Path(folder).resolve(),) if folder else ())


def title_of(name: str) -> str:
    """What people call a model: a bundled one has a title, another one its name."""
    return next((one.title for one in bundled() if one.name == name), name)


def model_of(name: str) -> Checkpoint:
    """A model, loaded once for as long as its files stay the same. Called by the engine."""
    policy = load_policy()
    key = (name, fingerprint(find_folder(name, policy).path))
    model = _models.get(key)
    if model is None:
        model = load_checkpoint(name, policy=policy)
        size = sum(weights.nbytes for weights in model.model.parameters())
        _models.put(key, model, size)
    return model


@cache
def engine() -> WorkerEngine:
    """The engine of this process."""
    return WorkerEngine(model_of, limit=WAITING_LIMIT)


def ask(request: Request[ResultT], status: DeltaGenerator) -> ResultT:
    """The answer to a request, computed off the script's thread or remembered.

    Args:
        request: what to compute.
        status: where a longer wait is spoken of; emptied at the end.

    Raises:
        HeadlightError: whatever is wrong with the request, or the queue is full.
    """
    key = ("result", request, _state_of(request.checkpoint))
    return _remembered(key, lambda: _answer(key, request, status))


def attention_payload(
    request: AttendRequest,
    result: AttendResult,
    settings: CanvasSettings,
    layers: tuple[int, ...] | None = None,
) -> bytes:
    """The picture of a result for the attention canvas, with the weights of all or some layers."""
    state = _state_of(request.checkpoint)
    encoding = result.encoding
    suggestions = _remembered(
        ("suggestions", request, state, current_language()),
        lambda: tuple(suggest_heads(result.patterns, encoding)),
    )

    def pack() -> bytes:
        maps = MapSet(
            "encoder",
            result.patterns,
            query_tokens=encoding.pieces,
            key_tokens=encoding.pieces,
            query_special=encoding.special,
            key_special=encoding.special,
            suggestions=suggestions,
            query_words=encoding.words,
            key_words=encoding.words,
            query_word_texts=encoding.spellings,
            key_word_texts=encoding.spellings,
            query_segments=encoding.segments,
            key_segments=encoding.segments,
        )
        return encode([maps], strings=canvas_strings(), settings=settings, layers=layers)

    key = ("payload", request, state, settings, layers, current_language())
    return _remembered(key, pack)


def warm_up() -> None:
    """Load the default model and answer what the first page asks, before anybody asks it."""
    first = AttendRequest(Settings.model, Settings.text)
    # The first pass of a process takes memory and plans; its time is not that of the model.
    engine().submit("start-up", first).result()
    _remembered(
        ("result", first, _state_of(first.checkpoint)),
        engine().submit("start-up", first).result,
    )


def _answer(key: tuple[object, ...], request: Request[ResultT], status: DeltaGenerator) -> ResultT:
    while True:
        ticket, own = _ticket_for(key, request)
        try:
            _wait_for(ticket, status)
            return ticket.result(0)
        except RequestCancelledError:
            if own:
                raise
            # Somebody else had asked for the same and left; now it is this reader's turn.
        finally:
            if own:
                ticket.cancel()  # does nothing to a request that has ended
                with _pending_lock:
                    if _pending.get(key) is ticket:
                        del _pending[key]


def _ticket_for(key: tuple[object, ...], request: Request[ResultT]) -> tuple[Ticket[ResultT], bool]:
    """The ticket of this request, and whether it was handed in just now."""
    context = get_script_run_ctx()
    with _pending_lock:
        known = _pending.get(key)
        if known is not None and not known.done():
            return known, False
        ticket = engine().submit(context.session_id if context else "no session", request)
        _pending[key] = ticket
        return ticket, True


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
        else:
            status.caption(_("Computing…"))
    if slices:
        status.empty()


def _remembered(key: tuple[object, ...], make: Callable[[], ResultT]) -> ResultT:
    known = _results.get(key)
    if known is None:
        known = make()
        _results.put(key, known, _size_of(known))
    return known  # type: ignore[return-value]  # a key names one kind of value


def _size_of(value: object) -> int:
    if isinstance(value, bytes):
        return len(value)
    parts = getattr(value, "__dict__", {}).values()
    arrays = [one for one in parts if isinstance(one, np.ndarray)]
    return 10_000 + sum(array.nbytes for array in arrays)


def _state_of(checkpoint: str) -> str:
    return fingerprint(find_folder(checkpoint, load_policy()).path)
