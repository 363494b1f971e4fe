"""A call: two spellings are one question, nothing but plain values, and found again by name."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.decoding import Sampling
from core.engine import Call, CallError, call
from core.engine.call import resolve
from core.tasks import attend, fill_mask, judge_replacements, sample_replacements
from core.tasks.forward import encode

TEXT = "the cat sat"


class Colour(Enum):
    RED = "red"


@dataclass(frozen=True)
class Box:
    content: Any


@dataclass
class OpenBox:
    content: int


def anything(checkpoint: Checkpoint, value: object = None) -> object:
    return value


def test_two_spellings_are_one_question() -> None:
    one = call(attend, "tiny", TEXT, "a mat", order=[1, 0])
    other = call(attend, "tiny", pair="a mat", text=TEXT, seed=0, cut=False, order=(1, 0))
    assert one == other
    assert {one: "answer"}[other] == "answer"
    assert one != call(attend, "other", TEXT, "a mat", order=[1, 0])
    assert hash(one) != hash(call(fill_mask, "tiny", TEXT, "a mat"))
    assert call(fill_mask, "tiny", TEXT, mask_words=range(2)) == call(
        fill_mask, "tiny", TEXT, mask_words=[0, 1]
    )
    assert call(fill_mask, "tiny", TEXT, mask_words={1, 0}) == call(
        fill_mask, "tiny", TEXT, mask_words=frozenset((0, 1))
    )


def test_every_argument_can_be_read() -> None:
    asked = call(fill_mask, "tiny", TEXT, off=[(0, 1)])
    assert asked.checkpoint == "tiny"
    assert asked.task == "core.tasks.fill_mask:fill_mask"
    assert (asked["text"], asked["top"], asked["off"]) == (TEXT, 5, ((0, 1),))
    with pytest.raises(KeyError):
        asked["query"]
    with pytest.raises(FrozenInstanceError):
        asked.checkpoint = "other"  # type: ignore[misc]


def test_it_runs_the_task_with_all_of_it(tiny_checkpoint: Checkpoint) -> None:
    found = call(fill_mask, "tiny", TEXT, mask_words=(1,), top=2, off=((0, 1),)).run(
        tiny_checkpoint
    )
    expected = fill_mask(tiny_checkpoint, TEXT, mask_words=(1,), top=2, off=((0, 1),))
    assert found.masks == expected.masks
    assert call(encode, "tiny", TEXT).run(tiny_checkpoint).texts == (TEXT,)


def test_a_changed_one_keeps_the_rest() -> None:
    asked = call(fill_mask, "tiny", TEXT, top=7)
    assert asked.changed(mask_words=[1]) == call(fill_mask, "tiny", TEXT, mask_words=(1,), top=7)
    with pytest.raises(CallError, match="unexpected keyword argument 'word'"):
        asked.changed(word=1)


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(2),
        np.float64(1.0),
        np.int64(1),
        torch.zeros(2),
        [np.zeros(2)],
        {"a": 1},
        object(),
        print,
        OpenBox(1),
        Box([1]),
        Box(np.zeros(2)),
        b"bytes",
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_not_plain_is_refused_at_once(value: Any) -> None:
    with pytest.raises(CallError, match="test_call:anything: value must be a plain value, not "):
        call(anything, "tiny", value)


def test_encodings_are_refused(tiny_checkpoint: Checkpoint) -> None:
    encoding = encode(tiny_checkpoint, TEXT)
    for value in (encoding, [encoding], Box(encoding)):
        with pytest.raises(TypeError, match=r"not core\.tokenisation\.encoding\.Encoding"):
            call(anything, "tiny", value)
    call(anything, "tiny", encoding.ids)


def test_arguments_that_do_not_fit_are_refused_at_once() -> None:
    untyped: Any = attend
    with pytest.raises(CallError, match="missing a required argument: 'text'"):
        call(untyped, "tiny")
    with pytest.raises(CallError, match="too many positional arguments"):
        call(untyped, "tiny", TEXT, None, True)


def test_a_task_has_a_name_that_leads_back_to_it() -> None:
    for task in (attend, sample_replacements, judge_replacements):
        assert resolve(f"{task.__module__}:{task.__qualname__}") is task

    def local(checkpoint: Checkpoint) -> None: ...

    for nameless in (local, lambda checkpoint: None):
        with pytest.raises(CallError, match="by the name"):
            call(nameless, "tiny")
    hidden: Any = type("", (), {"__module__": attend.__module__, "__qualname__": "attend"})
    with pytest.raises(CallError, match="names another thing"):
        call(hidden, "tiny")
    for path in ("core.tasks.attend:nothing", "core.nowhere:attend", "attend", ""):
        with pytest.raises(CallError, match="nothing can be imported"):
            resolve(path)


@pytest.mark.parametrize(
    "value", [None, "ü", 1.5, True, (1, (2, "x")), frozenset({1, 2}), Colour.RED, Sampling(0.5, 3)]
)
def test_it_can_be_written_and_read(value: Any) -> None:
    asked = call(anything, "tiny", value)
    read = Call.from_json(json.dumps(json.loads(asked.to_json())))
    assert read == asked
    assert type(read["value"]) is type(value)


def test_another_process_can_run_it(
    tiny_checkpoint_folder: Path, tiny_checkpoint: Checkpoint
) -> None:
    asked = call(fill_mask, "tiny", TEXT, mask_words={1}, top=3, off=[(0, 1)])
    program = (
        "import sys; from pathlib import Path; from core.engine import Call\n"
        "from core.checkpoints import LoadPolicy, load_checkpoint\n"
        "folder = Path(sys.argv[1])\n"
        "checkpoint = load_checkpoint(folder.name, policy=LoadPolicy((folder.parent,)))\n"
        "print(*Call.from_json(sys.stdin.read()).run(checkpoint).masks[0].predictions)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tiny_checkpoint_folder)],
        input=asked.to_json(),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    (mask,) = asked.run(tiny_checkpoint).masks
    for prediction in mask.predictions:
        assert f"token={prediction.token!r}" in done.stdout
