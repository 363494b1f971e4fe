"""Running requests of many people on one model, off their own threads."""

from core.inference.engine import Engine, Request, Ticket, TicketState
from core.inference.errors import QueueFullError, RequestCancelledError
from core.inference.judgement_requests import JudgeTextRequest
from core.inference.order_requests import (
    InputTermsRequest,
    JudgePairRequest,
    RestoreOrderRequest,
)
from core.inference.replacement_requests import (
    DetectReplacedRequest,
    JudgeReplacementsRequest,
    SampleReplacementsRequest,
)
from core.inference.requests import (
    AttendRequest,
    CompareMasksRequest,
    FillMaskRequest,
    LensRequest,
    RandomMaskingRequest,
    UnfoldRequest,
)
from core.inference.sized_cache import SizedCache
from core.inference.worker import WorkerEngine

__all__ = [
    "AttendRequest",
    "CompareMasksRequest",
    "DetectReplacedRequest",
    "Engine",
    "FillMaskRequest",
    "InputTermsRequest",
    "JudgePairRequest",
    "JudgeReplacementsRequest",
    "JudgeTextRequest",
    "LensRequest",
    "QueueFullError",
    "RandomMaskingRequest",
    "Request",
    "RequestCancelledError",
    "RestoreOrderRequest",
    "SampleReplacementsRequest",
    "SizedCache",
    "Ticket",
    "TicketState",
    "UnfoldRequest",
    "WorkerEngine",
]
