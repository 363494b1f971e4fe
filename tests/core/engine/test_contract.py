"""What every engine promises: whose answer is whose, who has to wait, and what is shared."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import pytest

from core.checkpoints import Checkpoint
from core.engine import (
    Call,
    CallCancelledError,
    QueueFullError,
    TicketState,
    WorkerEngine,
    call,
    tell_progress,
)
from core.errors import NothingCapturedError
from core.hooks import capture
from core.tasks import attend, fill_mask
from core.tokenisation import EmptyTextError
from tests.core.engine.thread_engine import ThreadEngine

SECONDS = 10.0  # how long a test waits before it fails
ENGINES: tuple[Any, ...] = (WorkerEngine, ThreadEngine)

MakeEngine = Callable[..., Any]


@dataclass
class Held:
    """What a call of :func:`hold` does in this process: it waits, then runs the model twice."""

    began: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)
    passes: list[int] = field(default_factory=list)
    runs: int = 0
    name: str = ""

    def call(self) -> Call[str]:
        """The call that does it."""
        return call(hold, "tiny", self.name)


HELD: dict[str, Held] = {}
NUMBERS = count()


def hold(checkpoint: Checkpoint, name: str) -> str:
    held = HELD[name]
    held.runs += 1
    tell_progress(1, 2)
    held.began.set()
    assert held.let_go.wait(SECONDS)
    for number in range(2):
        attend(checkpoint, "the cat")
        held.passes.append(number)
    return "held"


def echo(checkpoint: Checkpoint, text: str) -> str:
    return text


def new_held() -> Held:
    name = str(next(NUMBERS))
    HELD[name] = Held(name=name)
    return HELD[name]


def echoing(text: str, checkpoint: str = "tiny") -> Call[str]:
    return call(echo, checkpoint, text)


@pytest.fixture(params=ENGINES)
def make_engine(
    request: pytest.FixtureRequest, tiny_checkpoint: Checkpoint
) -> Iterator[MakeEngine]:
    engines: list[Any] = []

    def make(limit: int = 8) -> Any:
        engines.append(request.param({"tiny": tiny_checkpoint}.__getitem__, limit=limit))
        return engines[-1]

    yield make
    for held in HELD.values():
        held.let_go.set()
    for engine in engines:
        engine.close(SECONDS)


@pytest.fixture
def engine(make_engine: MakeEngine) -> Any:
    return make_engine()


@pytest.fixture
def held(engine: Any) -> Held:
    """The engine is busy with this, for a session of its own."""
    held = new_held()
    engine.submit("busy", held.call())
    assert held.began.wait(SECONDS)
    return held


def test_answers_are_those_of_the_tasks(engine: Any, tiny_checkpoint: Checkpoint) -> None:
    attending = engine.submit("a", call(attend, "tiny", "the cat", "the mat"))
    filling = engine.submit("a", call(fill_mask, "tiny", "the cat sat", mask_words=(1,), top=2))
    patterns = attending.result(SECONDS).patterns
    np.testing.assert_array_equal(patterns, attend(tiny_checkpoint, "the cat", "the mat").patterns)
    expected = fill_mask(tiny_checkpoint, "the cat sat", mask_words=[1], top=2)
    assert filling.result(SECONDS).masks == expected.masks
    assert filling.state is TicketState.DONE
    assert filling.done()


def test_captures_open_inside_the_job(engine: Any) -> None:
    with pytest.raises(NothingCapturedError), capture(["encoder.layers.*.attention.pattern"]):
        # This thread's context sees nothing of the worker's pass, and the worker nothing of ours.
        result = engine.submit("a", call(attend, "tiny", "the cat")).result(SECONDS)
    assert result.patterns.shape == (3, 4, 4, 4)


def test_the_latest_request_of_a_session_wins_while_it_waits(engine: Any, held: Held) -> None:
    older = engine.submit("a", echoing("older"))
    other_session = engine.submit("b", echoing("other session"))
    other_kind = engine.submit("a", call(attend, "tiny", "the cat"))
    newer = engine.submit("a", echoing("newer"))
    assert older.done()
    assert older.state is TicketState.CANCELLED
    with pytest.raises(CallCancelledError):
        older.result(SECONDS)
    assert engine.waiting == 3
    held.let_go.set()
    assert newer.result(SECONDS) == "newer"
    assert other_session.result(SECONDS) == "other session"
    assert other_kind.result(SECONDS).encoding.texts == ("the cat",)


def test_the_latest_request_of_a_session_stops_the_running_one(engine: Any, held: Held) -> None:
    newer = new_held()
    newer.let_go.set()
    ticket = engine.submit("busy", newer.call())
    held.let_go.set()
    assert ticket.result(SECONDS) == "held"
    assert held.passes == []  # its first pass ended before its first layer
    assert newer.passes == [0, 1]


def test_cancel_stops_a_running_request_between_layers(engine: Any) -> None:
    request = new_held()
    ticket = engine.submit("a", request.call())
    assert request.began.wait(SECONDS)
    assert ticket.state is TicketState.RUNNING
    ticket.cancel()
    assert ticket.done()  # whoever waits is free at once
    with pytest.raises(CallCancelledError):
        ticket.result(0)
    request.let_go.set()
    assert engine.submit("b", echoing("next")).result(SECONDS) == "next"
    assert request.passes == []


def test_cancel_takes_a_waiting_request_out_of_the_queue(engine: Any, held: Held) -> None:
    ticket = engine.submit("a", echoing("never"))
    assert engine.waiting == 1
    ticket.cancel()
    assert engine.waiting == 0
    assert ticket.state is TicketState.CANCELLED
    ticket.cancel()  # nothing more happens
    held.let_go.set()


def test_cancel_after_the_end_keeps_the_answer(engine: Any) -> None:
    ticket = engine.submit("a", echoing("answer"))
    assert ticket.result(SECONDS) == "answer"
    ticket.cancel()
    assert ticket.state is TicketState.DONE
    assert ticket.result(0) == "answer"


def test_a_full_queue_says_so(make_engine: MakeEngine) -> None:
    engine = make_engine(limit=2)
    held = new_held()
    running = engine.submit("busy", held.call())
    assert held.began.wait(SECONDS)
    engine.submit("a", echoing("a"))
    waiting = engine.submit("b", echoing("b"))
    with pytest.raises(QueueFullError) as caught:
        engine.submit("c", echoing("c"))
    assert (caught.value.waiting, caught.value.limit) == (2, 2)
    with pytest.raises(QueueFullError):
        engine.submit("busy", new_held().call())
    assert running.state is TicketState.RUNNING  # a refusal costs its session nothing
    replacement = engine.submit("b", echoing("b again"))  # takes the place of its own
    assert waiting.state is TicketState.CANCELLED
    held.let_go.set()
    assert replacement.result(SECONDS) == "b again"
    assert engine.submit("c", echoing("c")).result(SECONDS) == "c"


def test_position_counts_who_goes_first(engine: Any, held: Held) -> None:
    first = engine.submit("a", echoing("first"))
    second = engine.submit("b", echoing("second"))
    assert (first.position, second.position) == (1, 2)
    first.cancel()
    assert second.position == 1
    held.let_go.set()
    second.result(SECONDS)
    assert second.position == 0


def test_waiting_in_slices(engine: Any, held: Held) -> None:
    ticket = engine.submit("a", echoing("late"))
    assert not ticket.wait(0.01)
    with pytest.raises(TimeoutError):
        ticket.result(0.01)
    assert ticket.state is TicketState.WAITING
    held.let_go.set()
    assert ticket.wait(SECONDS)
    assert ticket.result(0) == "late"


def test_errors_travel_to_whoever_asked(engine: Any) -> None:
    empty = engine.submit("a", call(attend, "tiny", "  "))
    with pytest.raises(EmptyTextError):
        empty.result(SECONDS)
    assert empty.state is TicketState.FAILED
    unknown = engine.submit("a", echoing("x", checkpoint="no such model"))
    with pytest.raises(KeyError):
        unknown.result(SECONDS)
    assert engine.submit("a", echoing("still alive")).result(SECONDS) == "still alive"


def test_equal_calls_are_computed_once_for_everybody(engine: Any, held: Held) -> None:
    shared = new_held()
    shared.let_go.set()
    tickets = [engine.submit(f"session {n}", shared.call()) for n in range(5)]
    assert engine.waiting == 1
    assert [ticket.position for ticket in tickets] == [1] * 5
    tickets.append(engine.submit("session 0", shared.call()))  # two parts of one page
    assert not tickets[0].done()
    held.let_go.set()
    assert [ticket.result(SECONDS) for ticket in tickets] == ["held"] * 6
    assert shared.runs == 1
    assert engine.submit("session 0", shared.call()).result(SECONDS) == "held"
    assert shared.runs == 2  # what has ended is remembered by whoever asked, not by the engine


def test_who_joins_a_running_call_sees_its_progress(engine: Any, held: Held) -> None:
    joined = engine.submit("b", held.call())
    assert joined.state is TicketState.RUNNING
    assert joined.progress == (1, 2)
    assert (joined.position, engine.waiting) == (0, 0)
    held.let_go.set()
    assert joined.result(SECONDS) == "held"
    assert held.runs == 1


def test_one_reader_leaves_and_another_still_wants_it(engine: Any, held: Held) -> None:
    running = engine.submit("b", held.call())
    shared = new_held()
    first, second = (engine.submit(session, shared.call()) for session in "cd")
    last = engine.submit("e", echoing("last"))
    first.cancel()
    assert (first.state, second.state) == (TicketState.CANCELLED, TicketState.WAITING)
    assert (second.position, last.position) == (1, 2)  # it keeps the place of the first
    engine.submit("busy", new_held().call()).cancel()  # overtakes the running one of "busy"
    held.let_go.set()
    shared.let_go.set()
    assert running.result(SECONDS) == "held"
    assert held.passes == [0, 1]
    assert second.result(SECONDS) == "held"
    assert last.result(SECONDS) == "last"


def test_the_last_reader_who_leaves_takes_the_call_along(engine: Any, held: Held) -> None:
    joined = engine.submit("b", held.call())
    engine.submit("busy", new_held().call()).cancel()
    joined.cancel()
    again = engine.submit("c", held.call())  # not that which is about to stop
    assert again.position == 1
    held.let_go.set()
    assert again.result(SECONDS) == "held"
    assert held.runs == 2
    assert held.passes == [0, 1]


def test_a_session_that_asks_for_another_leaves_what_it_shared(engine: Any, held: Held) -> None:
    mine = engine.submit("a", echoing("shared"))
    theirs = engine.submit("b", echoing("shared"))
    newer = engine.submit("a", echoing("mine"))
    assert mine.state is TicketState.CANCELLED
    held.let_go.set()
    assert theirs.result(SECONDS) == "shared"
    assert newer.result(SECONDS) == "mine"


def test_joining_is_never_refused(make_engine: MakeEngine) -> None:
    engine = make_engine(limit=1)
    held = new_held()
    engine.submit("busy", held.call())
    assert held.began.wait(SECONDS)
    engine.submit("a", echoing("a"))
    joined = engine.submit("b", echoing("a"))
    with pytest.raises(QueueFullError):
        engine.submit("a", echoing("another"))  # its place is wanted by somebody else, too
    held.let_go.set()
    assert joined.result(SECONDS) == "a"


def test_files_that_have_changed_share_no_answer(engine: Any, held: Held) -> None:
    before = engine.submit("a", echoing("x"), state="before")
    after = engine.submit("b", echoing("x"), state="after")
    assert engine.waiting == 2
    same = engine.submit("a", echoing("x"), state="after")
    assert engine.waiting == 1
    assert before.state is TicketState.CANCELLED
    held.let_go.set()
    assert after.result(SECONDS) == same.result(SECONDS) == "x"


def test_many_sessions_at_once_each_get_exactly_their_own(
    make_engine: MakeEngine, tiny_checkpoint: Checkpoint
) -> None:
    engine = make_engine(limit=64)
    texts = {f"session {n}": f"the cat sat on {'the mat ' * (n + 1)}" for n in range(8)}
    expected = {name: attend(tiny_checkpoint, text).patterns for name, text in texts.items()}
    got: dict[str, list[np.ndarray]] = {name: [] for name in texts}

    def ask(session: str) -> None:
        for _ in range(5):
            ticket = engine.submit(session, call(attend, "tiny", texts[session]))
            got[session].append(ticket.result(SECONDS).patterns)

    threads = [threading.Thread(target=ask, args=(name,)) for name in texts]
    for thread in threads:
        thread.start()
    # Meanwhile somebody uses the same model outside the engine.
    for _ in range(5):
        attend(tiny_checkpoint, "somebody else")
    for thread in threads:
        thread.join(SECONDS)
    for name, results in got.items():
        assert len(results) == 5
        for patterns in results:
            np.testing.assert_array_equal(patterns, expected[name])


def test_two_engines_share_a_model(make_engine: MakeEngine, tiny_checkpoint: Checkpoint) -> None:
    engines = [make_engine(), make_engine()]
    off = engines[0].submit("a", call(fill_mask, "tiny", "the [MASK]", off=((0, 0), (1, 1))))
    on = engines[1].submit("b", call(fill_mask, "tiny", "the [MASK]"))
    assert on.result(SECONDS).masks == fill_mask(tiny_checkpoint, "the [MASK]").masks
    assert off.result(SECONDS).masks != on.result(SECONDS).masks


def test_an_answer_is_kept_by_its_ticket_only(engine: Any) -> None:
    ticket = engine.submit("a", call(attend, "tiny", "the cat"))
    answer = weakref.ref(ticket.result(SECONDS))
    del ticket
    deadline = time.monotonic() + SECONDS
    while answer() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert answer() is None


def test_closing_ends_everything(engine: Any, held: Held) -> None:
    waiting = engine.submit("a", echoing("never"))
    held.let_go.set()
    engine.close(SECONDS)
    assert waiting.done()
    assert engine.waiting == 0
    with pytest.raises(RuntimeError, match="closed"):
        engine.submit("a", echoing("too late"))
