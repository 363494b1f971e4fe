"""How a bundled model was trained: the log of its pre-training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from app.figures.theme import FigureTheme
from app.i18n import N_, _
from app.parts.card_heading import card_heading
from app.parts.figure import Cell, Figure, draw_figure, remembered_figure
from app.parts.model_picker import ChosenModel
from app.theme import grouped
from core.checkpoints import bundled_checkpoint
from core.training.loop import StepEvent

RUNS: Final = Path(__file__).resolve().parents[3] / "assets" / "runs"
PARTS: Final = {
    "loss": N_("all, weighted"),
    "masked": N_("masked words"),
    "follows": N_("the two texts"),
    "second": N_("replaced or original"),
    "next": N_("next token"),
    "target": N_("tokens of the target"),
    "predicted": N_("tokens in any order"),
    "boundary": N_("words from the edges of a span"),
    "shuffled": N_("shuffled words"),
    "soft": N_("the teacher’s distribution"),
    "states": N_("the teacher’s hidden states"),
}


def draw_training(model: ChosenModel) -> None:
    """Draw the log of a model's training; nothing where there is none."""
    path = RUNS / f"{model.name}.jsonl"
    if bundled_checkpoint(model.name) is None or not path.is_file():
        return
    told, figure = remembered_figure(
        lambda theme: _log(model, path, theme), "training", path, path.stat().st_mtime_ns
    )
    with st.container(key="model-training", border=True, gap="small"):
        card_heading(_("How it was trained"), told)
        draw_figure(figure, key="training")


def _log(model: ChosenModel, path: Path, theme: FigureTheme) -> tuple[str, Figure]:
    """How long it went on, in words, and what was logged."""
    from app.figures.training_log import LogWords, counted_on, training_log

    events = StepEvent.read_file(path)
    losses = {_(PARTS[name]) if name in PARTS else name: values for name, values in _parts(events)}
    steps = [event.step for event in events]
    rates = [event.rate for event in events]
    norms = [event.gradient_norm for event in events]
    words = LogWords(
        step=_("step"),
        loss=_("loss, nats"),
        rate=_("learning rate"),
        warm_up=_("shaded: warm-up"),
        gradient_norm=_("gradient norm"),
        overview=_("step · drag: zoom, double click: all"),
    )
    places, runs = counted_on(steps)
    table: dict[str, Sequence[Cell]] = {
        words.step: [int(place) for place in places],
        _("run"): [int(run) + 1 for run in runs],
        **{f"{name}, {_('nats')}": values for name, values in losses.items()},
        words.rate: rates,
        words.gradient_norm: norms,
    }
    return _log_in_words(events, int(runs[-1]) + 1), Figure.of_altair(
        training_log(steps, losses, rates, norms, words, theme),
        table,
        _("Loss, learning rate and gradient norm of {model} by training step").format(
            model=model.title
        ),
    )


def _parts(events: Sequence[StepEvent]) -> list[tuple[str, list[float | None]]]:
    """Parts of the loss, the whole first, unless it has one part only.

    A part is told as exactly 0 where a batch has none of its examples: that is no measured loss.
    """
    names = list(dict.fromkeys(name for event in events for name in event.losses))
    columns = {name: [event.losses.get(name) or None for event in events] for name in names}
    if all(len(event.losses) == 2 for event in events):
        del columns["loss"]  # an event has one part, which is the whole
    return list(columns.items())


def _log_in_words(events: Sequence[StepEvent], runs: int) -> str:
    """How long it went on."""
    last = [a for a, b in zip(events, [*events[1:], None], strict=True) if not b or b.step < a.step]
    told = [
        _("{count} steps").format(count=grouped(sum(one.step for one in last))),
        _("{count} million tokens").format(
            count=grouped(round(sum(one.tokens for one in last) / 1e6))
        ),
        _("{count} minutes").format(count=round(sum(one.seconds for one in last) / 60)),
    ]
    if runs > 1:
        told.append(_("{count} runs, each going on from the one before").format(count=runs))
    return ", ".join(told)
