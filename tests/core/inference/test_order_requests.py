"""Requests about orders and input terms hand every argument on to their task."""

from typing import Any

import pytest

from core.checkpoints import Checkpoint
from core.inference import InputTermsRequest, JudgePairRequest, RestoreOrderRequest
from core.inference import order_requests as module

CASES = [
    (JudgePairRequest, "judge_pair", {"off": ((0, 1),), "cut": True, "patterns": True}, True),
    (InputTermsRequest, "input_terms", {"cut": True}, True),
    (RestoreOrderRequest, "restore_order", {"top": 3}, False),
]


@pytest.mark.parametrize(("kind", "task", "arguments", "two"), CASES, ids=lambda case: str(case))
def test_a_request_is_the_arguments_of_its_task(
    kind: Any,
    task: str,
    arguments: dict[str, Any],
    two: bool,
    tiny_checkpoint: Checkpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    monkeypatch.setattr(module, task, lambda *args, **named: calls.append((args, named)))
    texts = {"text": "the cat", **({"pair": "a mat"} if two else {})}
    request = kind("tiny", **texts, **arguments)
    assert hash(request) == hash(kind("tiny", **texts, **arguments))
    request.run(tiny_checkpoint)
    assert calls == [((tiny_checkpoint, *texts.values()), arguments)]
