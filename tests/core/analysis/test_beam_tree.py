"""The tree of a search, from steps written by hand."""

import math

import pytest

from core.analysis.beam_tree import BeamState, beam_tree
from core.decoding import Beam, BeamStep

A, B, C, D, END = 5, 6, 7, 8, 1


def beam(*pieces: int, p: float, parent: int = 0) -> Beam:
    logarithm = math.log(p)
    return Beam(pieces, logarithm, logarithm / len(pieces), parent)


def step(number: int, running: list[Beam], complete: list[Beam], over: bool = False) -> BeamStep:
    return BeamStep(number, (tuple(running),), (tuple(complete),), (over,))


STEPS = (
    step(0, [beam(A, p=0.5), beam(B, p=0.4)], []),
    step(1, [beam(A, C, p=0.3), beam(A, D, p=0.1)], [beam(A, END, p=0.05)]),
    step(
        2,
        [beam(A, C, D, p=0.02)],
        [beam(A, C, END, p=0.25), beam(A, END, p=0.05)],
        over=True,
    ),
)


def test_parents_states_and_conditional_probabilities() -> None:
    nodes = beam_tree(STEPS)
    seen = {one.pieces: one for one in nodes}
    assert [one.pieces for one in nodes] == [
        (A,), (B,), (A, C), (A, D), (A, END), (A, C, END),
    ]  # fmt: skip
    assert [one.parent for one in nodes] == [-1, -1, 0, 0, 0, 2]
    assert seen[(B,)].state is BeamState.DROPPED
    assert seen[(A, D)].state is BeamState.DROPPED
    assert seen[(A, C)].state is BeamState.ON
    assert seen[(A, END)].state is seen[(A, C, END)].state is BeamState.COMPLETE
    assert seen[(A, C)].probability == pytest.approx(0.6)
    assert seen[(A, C, END)].probability == pytest.approx(0.25 / 0.3)
    assert seen[(A, C, END)].score == pytest.approx(math.log(0.25) / 3)


def test_no_steps_no_tree() -> None:
    assert beam_tree(()) == ()
