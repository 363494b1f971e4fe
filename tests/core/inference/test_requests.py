"""Requests hand every argument on to their task."""

from typing import Any

import pytest

from core.checkpoints import Checkpoint
from core.inference import LensRequest, RandomMaskingRequest, UnfoldRequest
from core.inference import requests as module

TEXTS = {"text": "the cat", "pair": "a mat", "cut": True}
CASES = [
    (UnfoldRequest, "unfold", {"layer": 1, "head": 2, "query": 3, "key": 4}),
    (LensRequest, "logit_lens", {"mask_words": (1,), "top": 3, "off": ((0, 1),)}),
    (RandomMaskingRequest, "random_masking", {"seed": 5, "epochs": 6, "dynamic": False}),
]


@pytest.mark.parametrize(("kind", "task", "arguments"), CASES, ids=lambda case: str(case))
def test_a_request_is_the_arguments_of_its_task(
    kind: Any,
    task: str,
    arguments: dict[str, Any],
    tiny_checkpoint: Checkpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    monkeypatch.setattr(module, task, lambda *args, **named: calls.append((args, named)))
    request = kind("tiny", **TEXTS, **arguments)
    assert hash(request) == hash(kind("tiny", **TEXTS, **arguments))
    request.run(tiny_checkpoint)
    assert calls == [((tiny_checkpoint, "the cat", "a mat"), {**arguments, "cut": True})]
