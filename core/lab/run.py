"""One run of the lab: a stream of events that anybody may stop, save and go on with."""

from __future__ import annotations

import base64
import math
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import torch

from core.device import device_in_words, pick_device
from core.lab.probes import (
    adaptive_variance,
    as_levels,
    expected_variance,
    gradient_norms,
    parts_of,
    probe_held_out,
)
from core.lab.settings import LabSettings
from core.lab.tasks import END, PADDING, SPECIALS, START, pairs_of
from core.models.encoder_decoder import EncoderDecoder
from core.models.registry import build
from core.objectives.text_to_text import TextToTextBatch, teacher_forced
from core.objectives.translation import Translation
from core.training.loop import DivergedError, LoopSettings, train
from core.training.optimisers import Method, optimiser_of
from core.training.schedules import Budget
from core.training.state import RunState, load_state, save_state

Event = dict[str, Any]

# Only AdamW decays, as its paper means it: an L2 term would change Adam's gradients.
_DECAY = {Method.ADAM: 0.0, Method.ADAMW: 0.01, Method.RADAM: 0.0}


class LabRun:
    """A model, its optimiser and its pairs.

    Args:
        settings: what to do.
        device: as in :func:`core.device.pick_device`.

    Attributes:
        state: where the run stands.
    """

    def __init__(self, settings: LabSettings, device: str = "") -> None:
        self.settings = settings
        self.device = pick_device(device)
        torch.manual_seed(settings.seed)
        self.model = cast(EncoderDecoder, build(settings.model)).to(self.device)
        self.optimiser = optimiser_of(
            settings.method, self.model, weight_decay=_DECAY[settings.method]
        )
        self.generator = torch.Generator(self.device).manual_seed(settings.seed)
        self.state = RunState()
        self._pairs = pairs_of(settings.task)
        trained = self._pairs.as_tables(self._pairs.trained).to(self.device)
        self._objective = Translation(
            trained,
            self.generator,
            tokens=settings.batch * trained.sources[0].shape[1],
            start_id=START,
            padding_id=PADDING,
            smoothing=0.0,
        )
        self._held_out = self._held_out_batch()

    def events(self) -> Generator[Event, None, None]:
        """Train, yielding plain values as they stand in a line of JSON.

        ``start`` says what is trained; every ``step`` its loss, rate and gradient norm, before
        the weights move; a ``look`` follows the first step and every ``look_every``-th one, and the
        last; ``end`` says whether the run is ``finished`` or has ``diverged``.
        """
        yield self._start()
        every = self.settings.look_every
        norms: dict[str, float] = {}

        def note(*_: Any) -> None:
            # Gradients are there only now; clipping is off, so they are what came out.
            norms.update(gradient_norms(self.model) if self._is_probed(every) else {})

        handle = self.optimiser.register_step_pre_hook(note)
        loop = LoopSettings(
            self.settings.peak_rate, self.settings.schedule, clip=math.inf, report_every=1
        )
        budget = Budget(steps=self.settings.steps, spent=self.state.seconds)
        try:
            for step in train(
                self.model, self._objective, self.optimiser, budget, loop, self.state
            ):
                yield {
                    "event": "step",
                    "step": step.step,
                    "loss": step.losses["loss"],
                    "rate": step.rate,
                    "gradient_norm": step.gradient_norm,
                    "seconds": step.seconds,
                }
                if norms:
                    yield self._probe(step.step, norms)
                    norms.clear()
        except DivergedError as error:
            yield {"event": "end", "reason": "diverged", "step": error.step}
        else:
            yield {"event": "end", "reason": "finished", "step": self.state.step}
        finally:
            handle.remove()

    def save(self, folder: Path) -> None:
        """Keep everything that the rest of the run depends on."""
        save_state(folder, self.state, self.model, self.optimiser, self.generator)

    def restore(self, folder: Path) -> None:
        """Go back to what was saved.

        Raises:
            ResumeError: nothing is saved there, or a run of another model.
        """
        self.state = load_state(folder, self.model, self.optimiser, self.generator)

    def _is_probed(self, every: int) -> bool:
        step = self.state.step + 1
        return step == 1 or step % every == 0 or step == self.settings.steps

    def _start(self) -> Event:
        source, target = self._pairs.held_out[0]
        return {
            "event": "start",
            "settings": self.settings.as_json(),
            "step": self.state.step,
            "parameters": sum(one.numel() for one in self.model.parameters()),
            "parts": list(parts_of(self.model)),
            "source": [*source, SPECIALS[END]],
            "target": [SPECIALS[START], *target],
            "device": str(self.device),
            "machine": device_in_words(self.device),
            "torch": torch.__version__,
        }

    def _probe(self, step: int, norms: dict[str, float]) -> Event:
        with torch.no_grad():
            losses = self._objective.losses(self.model, self._held_out)
        probe = probe_held_out(self.model, self._held_out, losses["loss"])
        variance = adaptive_variance(self.optimiser)
        beta: float = self.optimiser.param_groups[0]["betas"][1]
        return {
            "event": "look",
            "step": step,
            "held_out_loss": probe.loss,
            "accuracy": probe.accuracy,
            "whole": probe.whole,
            "gradient_norms": dict(norms),
            "variance": None if math.isnan(variance) else variance,
            "expected_variance": expected_variance(step, beta),
            "entropy": probe.entropy,
            "patterns": {
                kind: {
                    "shape": list(pattern.shape),
                    "levels": base64.b64encode(as_levels(pattern)).decode("ascii"),
                }
                for kind, pattern in probe.patterns.items()
            },
        }

    def _held_out_batch(self) -> TextToTextBatch:
        tables = self._pairs.as_tables(self._pairs.held_out).to(self.device)
        (source,), (sizes,) = tables.sources, tables.source_sizes
        position = torch.arange(source.shape[1], device=self.device)
        inputs, labels = teacher_forced(
            tables.targets[0].long(), tables.target_sizes[0], start_id=START, padding_id=PADDING
        )
        return TextToTextBatch(source.long(), position < sizes[:, None], inputs, labels)
