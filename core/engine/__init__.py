"""Answering the calls of many people on one model, off their own threads."""

from core.engine.call import Call, call
from core.engine.engine import Engine, Ticket, TicketState
from core.engine.errors import CallCancelledError, CallError, QueueFullError
from core.engine.progress import tell_progress
from core.engine.sized_cache import SizedCache
from core.engine.worker import WorkerEngine

__all__ = [
    "Call",
    "CallCancelledError",
    "CallError",
    "Engine",
    "QueueFullError",
    "SizedCache",
    "Ticket",
    "TicketState",
    "WorkerEngine",
    "call",
    "tell_progress",
]
