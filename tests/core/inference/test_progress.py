"""A running request tells how far it is."""

import threading
from dataclasses import dataclass, field

from core.checkpoints import Checkpoint
from core.inference import WorkerEngine
from core.inference.progress import heard_by, tell_progress
from core.inference.span_requests import DenoiseTextRequest, StepSpansRequest

SECONDS = 20


@dataclass(frozen=True)
class Halfway:
    """Tells that one of two is done, and waits."""

    checkpoint: str = "any"
    told: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def run(self, checkpoint: Checkpoint) -> str:
        tell_progress(1, 2)
        self.told.set()
        assert self.go_on.wait(SECONDS)
        return "done"


def test_who_waits_sees_it(tiny_checkpoint: Checkpoint) -> None:
    engine = WorkerEngine(lambda _name: tiny_checkpoint)
    try:
        request = Halfway()
        ticket = engine.submit("a", request)
        assert request.told.wait(SECONDS)
        assert ticket.progress == (1, 2)
        request.go_on.set()
        assert ticket.result(SECONDS) == "done"
    finally:
        engine.close(SECONDS)


def test_without_a_listener_nothing_happens() -> None:
    tell_progress(1, 2)
    heard: list[tuple[int, int]] = []
    with heard_by(lambda done, wanted: heard.append((done, wanted))):
        tell_progress(2, 2)
    tell_progress(3, 3)
    assert heard == [(2, 2)]


def test_requests_are_plain_values_that_can_be_keys() -> None:
    assert StepSpansRequest("t5", "___") == StepSpansRequest("t5", "___")
    assert len({DenoiseTextRequest("t5", "a"), DenoiseTextRequest("t5", "a")}) == 1
