"""Whoever asks for something else stops a recurrent model within a step."""

from typing import Any

import pytest
import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.decoding import reader_of, write
from core.engine import CallCancelledError
from core.engine.progress import stop_when
from core.hooks import Intervention, intervene
from core.hooks.sites import Site
from core.models.architectures.seq2seq import seq2seq_config
from core.models.recurrent import RecurrentBody
from core.models.registry import build
from core.tasks import attend, translate
from tests.core.decoding.conftest import checkpoint_of
from tests.tiny_checkpoints import german_only

STEPS = 5
SOURCE = "the dog sleeps " * 30


@pytest.fixture(scope="module")
def recurrent() -> Checkpoint:
    tokenizer = german_only()
    return checkpoint_of(
        seq2seq_config(
            vocabulary=tokenizer.vocabulary_size, embedding_width=8, width=8, decoder_width=8
        ),
        tokenizer,
    )


def steps_until_stopped(unit: str, run: Any) -> int:
    """How many steps a unit makes when the reader leaves after ``STEPS`` of them."""
    made: list[str] = []

    def count(value: Tensor, site: Site) -> Tensor:
        made.append(site.name)
        return value

    counted = intervene(Intervention(f"{unit}.reset", count))
    with pytest.raises(CallCancelledError), stop_when(lambda: len(made) >= STEPS), counted:
        run()
    return len(made)


@pytest.mark.parametrize("unit", ["encoder.forwards", "encoder.backwards", "decoder.layers.0.unit"])
def test_both_sides_stop_within_a_step(recurrent: Checkpoint, unit: str) -> None:
    """Patterns are wanted, so the source is read step by step."""
    assert steps_until_stopped(unit, lambda: attend(recurrent, SOURCE, target=SOURCE)) == STEPS


@pytest.mark.parametrize("beams", [1, 4])
def test_writing_stops_within_a_step(recurrent: Checkpoint, beams: int) -> None:
    def run() -> object:
        return translate(recurrent, SOURCE, beams=beams)

    assert steps_until_stopped("decoder.layers.0.unit", run) == STEPS


def test_writing_greedily_stops_within_a_step(recurrent: Checkpoint) -> None:
    reader = reader_of(recurrent.model, torch.ones(1, 9, dtype=torch.long))

    def run() -> object:
        return list(write(reader, most=50))

    assert steps_until_stopped("decoder.layers.0.unit", run) == STEPS


def test_a_long_source_stops_between_the_parts_that_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = build(seq2seq_config(vocabulary=20, embedding_width=4, width=4, decoder_width=4))
    assert isinstance(model, RecurrentBody)
    source = torch.ones(1, 500, dtype=torch.long)
    gru, parts = torch.gru, []

    def counted(part: Tensor, *rest: Any, **options: Any) -> Any:
        parts.append(part.shape[1])
        return gru(part, *rest, **options)

    monkeypatch.setattr(torch, "gru", counted)
    reader_of(model.eval(), source)
    assert parts == [128, 128, 128, 116] * 2
    parts.clear()
    with pytest.raises(CallCancelledError), stop_when(lambda: len(parts) >= 2):
        reader_of(model, source)
    assert parts == [128, 128]
