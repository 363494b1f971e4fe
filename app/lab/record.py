"""What a run has told so far, and the files that a reader takes home."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.lab.probes import KINDS
from core.lab.run import Event

Maps = dict[str, NDArray[np.float32]]


@dataclass
class Record:
    """The events of one run, sorted.

    Attributes:
        start: what is trained; None before it has begun.
        steps: one event a step, in order.
        looks: one event a look, in order.
        end: how it ended; None while it has not.
        message: what went wrong.
    """

    start: Event | None = None
    steps: list[Event] = field(default_factory=list)
    looks: list[Event] = field(default_factory=list)
    end: Event | None = None
    message: str = ""

    def take(self, event: Event) -> None:
        """Add an event. What a run that goes on had told beyond where it goes on is dropped."""
        kind = event["event"]
        if kind == "start":
            self.start, self.end = event, None
            self.steps = [one for one in self.steps if one["step"] <= event["step"]]
            self.looks = [one for one in self.looks if one["step"] <= event["step"]]
        elif kind == "step":
            self.steps.append(event)
        elif kind == "look":
            # Only the newest attention is drawn, and it is most of what a look weighs.
            for earlier in self.looks[-1:]:
                earlier.pop("patterns", None)
            self.looks.append(event)
        elif kind == "end":
            self.end = event
        elif kind == "error":
            self.message = event["message"]

    @property
    def step(self) -> int:
        """Steps taken."""
        return int(self.steps[-1]["step"]) if self.steps else 0

    def maps(self) -> Maps:
        """The attention over one held-out pair, ``[layer, head, query, key]`` by kind.

        It is that of the last look; there is at least one.
        """
        return {kind: _map(self.looks[-1]["patterns"][kind]) for kind in KINDS}

    def json_lines(self) -> str:
        """One event a line, without the attention maps."""
        events = [one for one in (self.start, *self._in_order(), self.end) if one]
        told = [{name: one[name] for name in one if name != "patterns"} for one in events]
        return "".join(f"{json.dumps(one)}\n" for one in told)

    def csv(self) -> str:
        """One row a step; what is only measured at a look stands in the rows of the looks."""
        parts = self.start["parts"] if self.start else []
        columns = ["step", "loss", "learning_rate", "gradient_norm", "seconds"]
        columns += ["held_out_loss", "accuracy", "whole_targets", "variance", "expected_variance"]
        columns += [f"gradient_norm {part}" for part in parts]
        columns += [
            f"entropy {kind} layer {layer} head {head}"
            for kind, layer, head in _heads(self.looks[0] if self.looks else None)
        ]
        looks = {one["step"]: one for one in self.looks}
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for step in self.steps:
            row = [step[name] for name in ("step", "loss", "rate", "gradient_norm", "seconds")]
            look = looks.get(step["step"])
            if look:
                row += [look[name] for name in ("held_out_loss", "accuracy", "whole")]
                row += [look["variance"], look["expected_variance"]]
                row += [look["gradient_norms"][part] for part in parts]
                row += [look["entropy"][kind][layer][head] for kind, layer, head in _heads(look)]
            writer.writerow(row)
        return file.getvalue()

    def _in_order(self) -> Iterator[Event]:
        looks = {one["step"]: one for one in self.looks}
        for step in self.steps:
            yield step
            if step["step"] in looks:
                yield looks[step["step"]]


def _heads(look: Event | None) -> list[tuple[str, int, int]]:
    if look is None:
        return []
    return [
        (kind, layer, head)
        for kind in KINDS
        for layer, heads in enumerate(look["entropy"][kind])
        for head in range(len(heads))
    ]


def _map(written: dict[str, Any]) -> NDArray[np.float32]:
    levels = np.frombuffer(base64.b64decode(written["levels"]), np.uint8)
    return levels.reshape(written["shape"]).astype(np.float32) / np.float32(255)
