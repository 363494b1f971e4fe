"""Trains one setting of an experiment and keeps what is to be seen of it."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.device import device_in_words, pick_device
from core.errors import ConfigError
from core.experiments.record import COLUMNS, RecordedRun, commit_of, gradient_measures
from core.experiments.table import Experiment, Setting
from core.lab.probes import gradient_norms
from core.lab.settings import LabSettings
from core.lab.tasks import PADDING, START, WIDTH, Pair, pairs_of
from core.models.encoder_decoder import EncoderDecoder
from core.models.registry import build
from core.objectives.losses import IGNORED
from core.objectives.text_to_text import TextToTextBatch, teacher_forced
from core.objectives.translation import ParallelTexts, Translation
from core.training.averages import mean_of
from core.training.loop import DivergedError, LoopSettings, StepEvent, train
from core.training.optimisers import Method, optimiser_of
from core.training.schedules import Budget

ROOT = Path(__file__).resolve().parents[2]


def settings_of(
    experiment: Experiment, setting: Setting, seed: int, changes: Mapping[str, Any] | None = None
) -> LabSettings:
    """The settings of the lab for one run; `changes` go before what the experiment says."""
    told = {**experiment.lab, **setting.lab, **(changes or {}), "seed": seed}
    return LabSettings.from_json(told)


def config_of(lab: LabSettings, setting: Setting) -> dict[str, Any]:
    """Everything that a run is told, but for its seed: plain values by name."""
    extras = {k: v for k, v in asdict(setting).items() if k not in ("name", "lab")}
    return {**{k: v for k, v in lab.as_json().items() if k != "seed"}, **extras}


def shorter(pairs: Sequence[Pair], longest: int | None) -> tuple[Pair, ...]:
    """The pairs both of whose sides have at most so many tokens, their ends included.

    Raises:
        ConfigError: there is none.
    """
    if longest is None:
        return tuple(pairs)
    kept = tuple(pair for pair in pairs if max(map(len, pair)) + 1 <= longest)
    if not kept:
        raise ConfigError(f"no pair has at most {longest} tokens a side")
    return kept


class ExperimentRun:
    """One setting with one seed.

    Args:
        setting: what is special about it.
        lab: everything else.
        device: as in :func:`core.device.pick_device`.
    """

    def __init__(self, setting: Setting, lab: LabSettings, device: str = "") -> None:
        self.setting, self.lab = setting, lab
        self.device = pick_device(device)
        torch.manual_seed(lab.seed)
        self.model = cast(EncoderDecoder, build(lab.model)).to(self.device)
        # As in the lab: only AdamW decays.
        decay = 0.01 if lab.method is Method.ADAMW else 0.0
        self.optimiser = optimiser_of(lab.method, self.model, weight_decay=decay)
        pairs = pairs_of(lab.task)
        trained = pairs.as_tables(shorter(pairs.trained, setting.longest)).to(self.device)
        self.objective = Translation(
            trained,
            torch.Generator(self.device).manual_seed(lab.seed),
            tokens=lab.batch * WIDTH,
            start_id=START,
            padding_id=PADDING,
            smoothing=0.0,
        )
        self.held_out = _batch(pairs.as_tables(pairs.held_out).to(self.device))
        self.weights: deque[dict[str, Tensor]] = deque(maxlen=setting.averaged)
        self.columns: dict[str, list[float | None]] = {name: [] for name in COLUMNS}
        self.first_norms: dict[str, float | None] = {}

    def record(self, experiment: str, commit: str = "", jobs: int = 1) -> RecordedRun:
        """Train to the end, or until it diverges.

        Args:
            experiment: its name.
            commit: of this code; empty: git is asked.
            jobs: how many runs go on side by side, this one included.
        """
        start, processor, reason = time.monotonic(), time.process_time(), "finished"
        try:
            for event in self._steps():
                self._look(event)
        except DivergedError:
            reason = "diverged"
        measures = self._measures() if reason == "finished" else {}
        return RecordedRun(
            experiment,
            self.setting.name,
            self.lab.seed,
            config_of(self.lab, self.setting),
            device_in_words(self.device),
            commit or commit_of(ROOT),
            torch.__version__,
            time.monotonic() - start,
            time.process_time() - processor,
            jobs,
            reason,
            self.columns,
            self.first_norms,
            measures,
        )

    def _steps(self) -> Iterator[StepEvent]:
        lab = self.lab
        loop = LoopSettings(
            lab.peak_rate,
            lab.schedule,
            clip=math.inf,
            accumulate=self.setting.accumulate,
            report_every=lab.look_every,
        )

        def note(*_: Any) -> None:
            self.first_norms.update(gradient_norms(self.model))
            handle.remove()

        handle = self.optimiser.register_step_pre_hook(note)
        try:
            yield from train(
                self.model, self.objective, self.optimiser, Budget(steps=lab.steps), loop
            )
        finally:
            handle.remove()

    def _look(self, event: StepEvent) -> None:
        loss, accuracy = self._held_out()
        row = {
            "step": event.step,
            "loss": event.losses["loss"],
            "rate": event.rate,
            "gradient_norm": event.gradient_norm,
            "held_out_loss": loss,
            "accuracy": accuracy,
        }
        for name, value in row.items():
            self.columns[name].append(value if math.isfinite(value) else None)
        if self.setting.averaged > 1:
            self.weights.append({k: v.clone() for k, v in self.model.state_dict().items()})

    def _measures(self) -> dict[str, float | None]:
        measures: dict[str, float | None] = {
            "loss": self._held_out()[0],
            **gradient_measures(self.first_norms),
        }
        if self.setting.averaged > 1:
            last = {k: v.clone() for k, v in self.model.state_dict().items()}
            self.model.load_state_dict(mean_of(list(self.weights)))
            measures["averaged_loss"] = self._held_out()[0]
            self.model.load_state_dict(last)
        return measures

    @torch.no_grad()
    def _held_out(self) -> tuple[float, float]:
        """Loss in nats a token, and the share of tokens that come first after the right ones."""
        batch = self.held_out
        self.model.eval()
        try:
            memory = self.model.encode(batch.source, batch.source_keep)
            states = self.model.decode(batch.inputs, memory, memory_keep=batch.source_keep)
            wanted = batch.labels != IGNORED
            scores, labels = self.model.score_words(states)[wanted], batch.labels[wanted]
        finally:
            self.model.train()
        right = scores.argmax(-1) == labels
        return float(cross_entropy(scores, labels)), float(right.float().mean())


def _batch(texts: ParallelTexts) -> TextToTextBatch:
    """All pairs of a table of one width."""
    (source,), (sizes,) = texts.sources, texts.source_sizes
    inputs, labels = teacher_forced(
        texts.targets[0].long(), texts.target_sizes[0], start_id=START, padding_id=PADDING
    )
    position = torch.arange(source.shape[1], device=source.device)
    return TextToTextBatch(source.long(), position < sizes[:, None], inputs, labels)
