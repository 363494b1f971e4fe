"""The tree of everything that a beam search has kept, from the steps that it reported."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from core.decoding import Beam, BeamStep


class BeamState(Enum):
    """What became of a beginning."""

    ON = "on"  # something goes on from it
    DROPPED = "dropped"  # likelier ones pushed it out, or the search was over
    COMPLETE = "complete"  # it came to its end


@dataclass(frozen=True)
class Node:
    """A beginning that was kept, seen as its newest piece.

    Attributes:
        step: in which the piece was written, counted from 0.
        pieces: the whole beginning.
        probability: of the newest piece after those before it.
        log_probability: of the whole beginning.
        score: the same divided by the length penalty.
        parent: index of the node that it goes on from, among all nodes; -1 for none.
        state: what became of it.
    """

    step: int
    pieces: tuple[int, ...]
    probability: float
    log_probability: float
    score: float
    parent: int
    state: BeamState


def beam_tree(steps: Sequence[BeamStep], text: int = 0) -> tuple[Node, ...]:
    """Every beginning that was kept, step by step, in each step the likeliest first.

    A search of two beams that keeps "a" and "b", and then completes "a c" and "a d", drops "b":
    four nodes with the parents -1, -1, 0, 0 and the states on, dropped, complete, complete. What
    still runs in the last step leads nowhere and is left out.

    Args:
        steps: of one search, all of them.
        text: which of the texts that were searched side by side.
    """
    kept: list[dict[tuple[int, ...], tuple[Beam, bool]]] = []
    for step in steps:
        # A complete text stays in the list of later steps, and belongs to that of its length.
        running = () if step.over[text] else step.running[text]
        here = {one.pieces: (one, False) for one in running}
        whole = [one for one in step.complete[text] if len(one.pieces) == step.number + 1]
        kept.append(here | {one.pieces: (one, True) for one in whole})
    nodes: list[Node] = []
    index: dict[tuple[int, ...], int] = {(): -1}
    followed = {pieces[:-1] for level in kept for pieces in level}
    for number, level in enumerate(kept):
        ordered = sorted(level.values(), key=lambda one: -one[0].log_probability)
        for beam, complete in ordered:
            parent = index[beam.pieces[:-1]]
            before = nodes[parent].log_probability if parent >= 0 else 0.0
            index[beam.pieces] = len(nodes)
            if complete:
                state = BeamState.COMPLETE
            else:
                state = BeamState.ON if beam.pieces in followed else BeamState.DROPPED
            nodes.append(
                Node(
                    step=number,
                    pieces=beam.pieces,
                    probability=min(math.exp(beam.log_probability - before), 1.0),
                    log_probability=beam.log_probability,
                    score=beam.score,
                    parent=parent,
                    state=state,
                )
            )
    return tuple(nodes)
