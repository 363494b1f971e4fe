"""What pages ask of `core`: the only module that remembers anything.

Every memory is bounded in bytes. Results are remembered by what was asked and by the state of the
model's files, never by the numbers themselves.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.components.attention_canvas import canvas_strings
from app.components.attention_channel import Answer, Ask, CellAnswer, CellAsk, HeadAsk
from app.components.attention_levels import quantise
from app.components.attention_payload import CanvasSettings, encode
from app.components.attention_sets import map_sets, measures_of, suggestions_of, unfolds
from app.host import load_policy
from app.i18n import _, current_language, ngettext
from app.own_models import own_entries, own_entry
from app.settings import Settings
from app.sizes import size_of
from core.analysis.similarity import nearest_heads
from core.checkpoints import (
    BundledCheckpoint,
    Checkpoint,
    bundled,
    bundled_checkpoint,
    fingerprint,
    load_checkpoint,
)
from core.checkpoints.source import find_folder
from core.errors import HeadlightError
from core.inference import (
    AttendRequest,
    Request,
    RequestCancelledError,
    SizedCache,
    Ticket,
    UnfoldRequest,
    WorkerEngine,
)
from core.inference.translation_requests import UnfoldSidesRequest
from core.models.registry import SYSTEMS
from core.tasks import AttendResult, AttentionMap
from core.tasks.unfold import Weight
from core.tokenisation import Encoding

MODEL_BYTES = 2_000_000_000
RESULT_BYTES = 512_000_000
SLICE_SECONDS = 0.05  # between two looks whether the reader wants something else by now
SILENT_SLICES = 6  # a shorter wait is not worth a word
SIMILAR_HEADS = 6
WAITING_LIMIT = 256  # a full lecture hall, each with a text of its own

ResultT = TypeVar("ResultT")

_models: SizedCache[Checkpoint] = SizedCache(MODEL_BYTES)
_results: SizedCache[object] = SizedCache(RESULT_BYTES)
# What is being computed: a class that opens one link together asks for it once.
_pending: dict[tuple[object, ...], Ticket[Any]] = {}
_pending_lock = threading.Lock()


def models() -> tuple[BundledCheckpoint, ...]:
    """The bundled models, in the order of the systems, then what this session has opened."""
    order = list(SYSTEMS)
    ours = sorted(bundled(), key=lambda one: (order.index(one.system), one.name))
    return (*ours, *own_entries())


def entry_of(name: str) -> BundledCheckpoint | None:
    """What is known of a model before it is opened; None of one that cannot be."""
    return bundled_checkpoint(name) or own_entry(name)


def title_of(name: str) -> str:
    """What people call a model: a bundled one has a title, another one its name."""
    one = bundled_checkpoint(name)
    return one.title if one else name


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


def remembered(
    requests: Sequence[Request[Any]], options: tuple[object, ...], make: Callable[[], ResultT]
) -> ResultT:
    """What follows from the answers to some requests, made once for as long as they hold."""
    states = [_state_of(request.checkpoint) for request in requests]
    return _remembered((*options, *requests, *states), make)


def attention_payload(
    request: AttendRequest,
    result: AttendResult,
    settings: CanvasSettings,
    layers: tuple[int, ...] | None = None,
) -> bytes:
    """The picture of a result for the attention canvas, with the weights of all or some layers."""
    state = _state_of(request.checkpoint)
    suggestions = _remembered(
        ("suggestions", request, state, current_language()), lambda: suggestions_of(result)
    )

    def pack() -> bytes:
        sets = map_sets(result, suggestions)
        _remembered(("identities", request, state), lambda: tuple(one.identity for one in sets))
        return encode(sets, strings=canvas_strings(), settings=settings, layers=layers)

    key = ("payload", request, state, settings, layers, current_language())
    return _remembered(key, pack)


def channel_answer(request: AttendRequest, asked: Ask | None, status: DeltaGenerator) -> Answer:
    """What a canvas asks for, from the result it draws.

    Args:
        request: what the canvas shows.
        asked: the question. What it says about other maps, or about a layer, head or token that
            these do not have, stays without an answer.
        status: where a longer wait is spoken of.

    Raises:
        HeadlightError: the result is gone and cannot be had again.
    """
    if asked is None:
        return Answer()
    result = ask(request, status)
    key = ("identities", request, _state_of(request.checkpoint))
    identities = _remembered(key, lambda: tuple(one.identity for one in map_sets(result)))
    maps = dict(zip(identities, result.maps, strict=True))

    def of(head: HeadAsk | CellAsk) -> AttentionMap | None:
        """The maps that are meant, where they have such a head."""
        one = maps.get(head.set)
        if one is None:
            return None
        layers, heads = one.patterns.shape[:2]
        return one if head.layer < layers and head.head < heads else None

    shown = asked.set or identities[0]
    patterns = maps[shown].patterns if shown in maps else ()
    answer = Answer(
        asked.number,
        shown if shown in maps else identities[0],
        {layer: _levels_of(patterns[layer]) for layer in asked.layers if layer < len(patterns)},
    )
    if asked.cell and (one := of(asked.cell)) and _sees(one, asked.cell):
        answer = replace(answer, cell=_cell_answer(request, result, one, asked.cell, status))
    if asked.similar and (one := of(asked.similar)):
        where = asked.similar.layer, asked.similar.head
        near = nearest_heads(one.patterns, *where, count=SIMILAR_HEADS)
        answer = replace(answer, similar=(asked.similar, near))
    return answer


def trace_npz(request: AttendRequest, status: DeltaGenerator) -> bytes:
    """All numbers of a result as an ``.npz`` file, which numpy opens without pickles.

    ``patterns`` ``[layer, head, query, key]`` float32; one entry a token in ``ids``, ``tokens``
    (as they stand in the vocabulary), ``pieces`` (readable), ``special``, ``segments``, ``words``
    (number of the word, -1 for none) and ``offsets`` ``[token, 2]`` (in characters of the token's
    own text); ``spellings`` of the words; ``texts``; ``checkpoint``. ``kinds`` names the kinds of
    attention: ``patterns`` is the first of them, ``patterns_cross`` and the like the others. What a
    decoder read has the same entries as the text, with ``target_`` before their names.

    Raises:
        HeadlightError: as in :func:`ask`.
    """
    result = ask(request, status)
    arrays: dict[str, Any] = _columns_of(result.encoding)
    if result.target is not None:
        read = _columns_of(result.target)
        arrays |= {f"target_{name}": column for name, column in read.items()}
    arrays |= {f"patterns_{one.name}": one.patterns for one in result.maps[1:]}
    file = io.BytesIO()
    np.savez(
        file,
        patterns=result.patterns,
        kinds=_texts([one.name for one in result.maps]),
        checkpoint=np.array(request.checkpoint),
        **arrays,
    )
    return file.getvalue()


def warm_up() -> None:
    """Load the default model and answer what the first page asks, before anybody asks it."""
    first = AttendRequest(Settings.model, Settings.text)
    # The first pass of a process takes memory and plans; its time is not that of the model.
    engine().submit("start-up", first).result()
    _remembered(
        ("result", first, _state_of(first.checkpoint)),
        engine().submit("start-up", first).result,
    )


def _sees(one: AttentionMap, cell: CellAsk) -> bool:
    queries, keys = one.patterns.shape[2:]
    return max(cell.queries) < queries and (cell.key or 0) < keys


def _levels_of(maps: NDArray[np.float32]) -> NDArray[np.uint8]:
    return quantise(maps, maps.max(axis=-1))


def _cell_answer(
    request: AttendRequest,
    result: AttendResult,
    one: AttentionMap,
    asked: CellAsk,
    status: DeltaGenerator,
) -> CellAnswer:
    queries = list(asked.queries)
    rows = one.patterns[asked.layer, asked.head, queries]
    answer = CellAnswer(asked, rows, measures_of(one, rows, queries))
    # Of several rows, those of a word's pieces, each weight has a score of its own.
    if asked.key is None or len(asked.queries) != 1 or not unfolds(result):
        return answer
    where = {"layer": asked.layer, "head": asked.head, "query": asked.queries[0], "key": asked.key}
    name, target = request.checkpoint, result.target
    cell: Request[Weight]
    if target is None:
        cell = UnfoldRequest(name, request.text, request.pair, request.cut, **where)
    else:
        cell = UnfoldSidesRequest(name, result.encoding, target, one.name, **where)
    try:
        weight = ask(cell, status)
    except HeadlightError:
        return answer  # the rows are there all the same
    unfold = {
        "dot": weight.dot,
        "scale": weight.scale,
        "bias": weight.bias,
        "score": weight.score,
        "allowed": weight.allowed,
        "maskedScore": weight.masked_score,
        "largest": weight.largest,
        "exponential": weight.exponential,
        "total": weight.total,
        "weight": weight.weight,
    }
    return replace(answer, unfold=unfold, products=weight.products)


def _columns_of(encoding: Encoding) -> dict[str, NDArray[Any]]:
    return {
        "ids": np.array(encoding.ids),
        "tokens": _texts(encoding.tokens),
        "pieces": _texts(encoding.pieces),
        "special": np.array(encoding.special),
        "segments": np.array(encoding.segments),
        "words": np.array([-1 if word is None else word for word in encoding.words]),
        "offsets": np.array(encoding.offsets),
        "spellings": _texts(encoding.spellings),
        "texts": _texts(encoding.texts),
    }


def _texts(values: Sequence[str]) -> NDArray[np.str_]:
    return np.array(values, dtype=np.str_)  # said, because an empty list would be of numbers


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
        # Without a session, as in a download, nobody else's request may be overtaken.
        session = context.session_id if context else f"thread {threading.get_ident()}"
        ticket = engine().submit(session, request)
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
    return fingerprint(find_folder(checkpoint, load_policy()).path)
