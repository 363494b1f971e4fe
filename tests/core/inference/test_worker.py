"""The in-process engine: whose answer is whose, and who has to wait."""

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from core.checkpoints import Checkpoint
from core.errors import NothingCapturedError
from core.hooks import capture
from core.inference import (
    AttendRequest,
    FillMaskRequest,
    QueueFullError,
    RequestCancelledError,
    TicketState,
    WorkerEngine,
)
from core.tasks import attend, fill_mask
from core.tokenisation import EmptyTextError

SECONDS = 10.0  # how long a test waits before it fails

MakeEngine = Callable[..., WorkerEngine]


@dataclass(frozen=True)
class Held:
    """Occupies the worker until it is let go, then runs the model twice."""

    checkpoint: str = "tiny"
    began: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)
    passes: list[int] = field(default_factory=list)

    def run(self, checkpoint: Checkpoint) -> str:
        self.began.set()
        assert self.let_go.wait(SECONDS)
        for number in range(2):
            attend(checkpoint, "the cat")
            self.passes.append(number)
        return "held"


@dataclass(frozen=True)
class Echo:
    """Answers with its own text."""

    text: str
    checkpoint: str = "tiny"

    def run(self, checkpoint: Checkpoint) -> str:
        return self.text


@pytest.fixture
def make_engine(tiny_checkpoint: Checkpoint) -> Iterator[MakeEngine]:
    engines: list[WorkerEngine] = []

    def make(limit: int = 8) -> WorkerEngine:
        engines.append(WorkerEngine({"tiny": tiny_checkpoint}.__getitem__, limit=limit))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close(SECONDS)


@pytest.fixture
def engine(make_engine: MakeEngine) -> WorkerEngine:
    return make_engine()


@pytest.fixture
def held(engine: WorkerEngine) -> Iterator[Held]:
    """The engine is busy with this, for a session of its own."""
    request = Held()
    engine.submit("busy", request)
    assert request.began.wait(SECONDS)
    yield request
    request.let_go.set()


def test_answers_are_those_of_the_tasks(engine: WorkerEngine, tiny_checkpoint: Checkpoint) -> None:
    attending = engine.submit("a", AttendRequest("tiny", "the cat", "the mat"))
    filling = engine.submit("a", FillMaskRequest("tiny", "the cat sat", mask_words=(1,), top=2))
    patterns = attending.result(SECONDS).patterns
    np.testing.assert_array_equal(patterns, attend(tiny_checkpoint, "the cat", "the mat").patterns)
    expected = fill_mask(tiny_checkpoint, "the cat sat", mask_words=[1], top=2)
    assert filling.result(SECONDS).masks == expected.masks
    assert filling.state is TicketState.DONE
    assert filling.done()


def test_captures_open_inside_the_job(engine: WorkerEngine) -> None:
    with pytest.raises(NothingCapturedError), capture(["encoder.layers.*.attention.pattern"]):
        # This thread's context sees nothing of the worker's pass, and the worker nothing of ours.
        result = engine.submit("a", AttendRequest("tiny", "the cat")).result(SECONDS)
    assert result.patterns.shape == (3, 4, 4, 4)


def test_the_latest_request_of_a_session_wins_while_it_waits(
    engine: WorkerEngine, held: Held
) -> None:
    older = engine.submit("a", Echo("older"))
    other_session = engine.submit("b", Echo("other session"))
    other_kind = engine.submit("a", AttendRequest("tiny", "the cat"))
    newer = engine.submit("a", Echo("newer"))
    assert older.done()
    assert older.state is TicketState.CANCELLED
    with pytest.raises(RequestCancelledError):
        older.result(SECONDS)
    assert engine.waiting == 3
    held.let_go.set()
    assert newer.result(SECONDS) == "newer"
    assert other_session.result(SECONDS) == "other session"
    assert other_kind.result(SECONDS).encoding.texts == ("the cat",)


def test_the_latest_request_of_a_session_stops_the_running_one(
    engine: WorkerEngine, held: Held
) -> None:
    newer = Held()
    newer.let_go.set()
    ticket = engine.submit("busy", newer)
    held.let_go.set()
    assert ticket.result(SECONDS) == "held"
    assert held.passes == []  # its first pass ended before its first layer
    assert newer.passes == [0, 1]


def test_cancel_stops_a_running_request_between_layers(engine: WorkerEngine) -> None:
    request = Held()
    ticket = engine.submit("a", request)
    assert request.began.wait(SECONDS)
    assert ticket.state is TicketState.RUNNING
    ticket.cancel()
    assert ticket.done()  # whoever waits is free at once
    with pytest.raises(RequestCancelledError):
        ticket.result(0)
    request.let_go.set()
    assert engine.submit("b", Echo("next")).result(SECONDS) == "next"
    assert request.passes == []


def test_cancel_takes_a_waiting_request_out_of_the_queue(engine: WorkerEngine, held: Held) -> None:
    ticket = engine.submit("a", Echo("never"))
    assert engine.waiting == 1
    ticket.cancel()
    assert engine.waiting == 0
    assert ticket.state is TicketState.CANCELLED
    ticket.cancel()  # nothing more happens
    held.let_go.set()


def test_cancel_after_the_end_keeps_the_answer(engine: WorkerEngine) -> None:
    ticket = engine.submit("a", Echo("answer"))
    assert ticket.result(SECONDS) == "answer"
    ticket.cancel()
    assert ticket.state is TicketState.DONE
    assert ticket.result(0) == "answer"


def test_a_full_queue_says_so(make_engine: MakeEngine) -> None:
    engine = make_engine(limit=2)
    held = Held()
    running = engine.submit("busy", held)
    assert held.began.wait(SECONDS)
    engine.submit("a", Echo("a"))
    waiting = engine.submit("b", Echo("b"))
    with pytest.raises(QueueFullError) as caught:
        engine.submit("c", Echo("c"))
    assert (caught.value.waiting, caught.value.limit) == (2, 2)
    with pytest.raises(QueueFullError):
        engine.submit("busy", Held())
    assert running.state is TicketState.RUNNING  # a refusal costs its session nothing
    replacement = engine.submit("b", Echo("b again"))  # takes the place of its own
    assert waiting.state is TicketState.CANCELLED
    held.let_go.set()
    assert replacement.result(SECONDS) == "b again"
    assert engine.submit("c", Echo("c")).result(SECONDS) == "c"


def test_position_counts_who_goes_first(engine: WorkerEngine, held: Held) -> None:
    first = engine.submit("a", Echo("first"))
    second = engine.submit("b", Echo("second"))
    assert (first.position, second.position) == (1, 2)
    first.cancel()
    assert second.position == 1
    held.let_go.set()
    second.result(SECONDS)
    assert second.position == 0


def test_waiting_in_slices(engine: WorkerEngine, held: Held) -> None:
    ticket = engine.submit("a", Echo("late"))
    assert not ticket.wait(0.01)
    with pytest.raises(TimeoutError):
        ticket.result(0.01)
    assert ticket.state is TicketState.WAITING
    held.let_go.set()
    assert ticket.wait(SECONDS)
    assert ticket.result(0) == "late"


def test_errors_travel_to_whoever_asked(engine: WorkerEngine) -> None:
    empty = engine.submit("a", AttendRequest("tiny", "  "))
    with pytest.raises(EmptyTextError):
        empty.result(SECONDS)
    assert empty.state is TicketState.FAILED
    unknown = engine.submit("a", Echo("x", checkpoint="no such model"))
    with pytest.raises(KeyError):
        unknown.result(SECONDS)
    assert engine.submit("a", Echo("still alive")).result(SECONDS) == "still alive"


def test_many_sessions_at_once_each_get_exactly_their_own(
    make_engine: MakeEngine, tiny_checkpoint: Checkpoint
) -> None:
    engine = make_engine(limit=64)
    texts = {f"session {n}": f"the cat sat on {'the mat ' * (n + 1)}" for n in range(8)}
    expected = {name: attend(tiny_checkpoint, text).patterns for name, text in texts.items()}
    got: dict[str, list[np.ndarray]] = {name: [] for name in texts}

    def ask(session: str) -> None:
        for _ in range(5):
            ticket = engine.submit(session, AttendRequest("tiny", texts[session]))
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
    off = engines[0].submit("a", FillMaskRequest("tiny", "the [MASK]", off=((0, 0), (1, 1))))
    on = engines[1].submit("b", FillMaskRequest("tiny", "the [MASK]"))
    assert on.result(SECONDS).masks == fill_mask(tiny_checkpoint, "the [MASK]").masks
    assert off.result(SECONDS).masks != on.result(SECONDS).masks


def test_an_answer_is_kept_by_its_ticket_only(engine: WorkerEngine) -> None:
    ticket = engine.submit("a", AttendRequest("tiny", "the cat"))
    answer = weakref.ref(ticket.result(SECONDS))
    del ticket
    deadline = time.monotonic() + SECONDS
    while answer() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert answer() is None


def test_closing_ends_everything(engine: WorkerEngine, held: Held) -> None:
    waiting = engine.submit("a", Echo("never"))
    held.let_go.set()
    engine.close(SECONDS)
    assert waiting.done()
    assert engine.waiting == 0
    with pytest.raises(RuntimeError, match="closed"):
        engine.submit("a", Echo("too late"))
