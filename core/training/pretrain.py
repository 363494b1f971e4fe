"""A training run as a whole: data, model, loop, saved state, exported checkpoint."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tokenizers
import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.checkpoints.save import check_target
from core.config import ModelConfig, StackConfig
from core.models.recipe import Recipe
from core.models.registry import build
from core.objectives.labelled_files import LabelledTask, read_tasks
from core.objectives.pieces import end_id
from core.training.averages import Averages
from core.training.corpora import CorpusError, TokenCorpus
from core.training.fresh import generator_config, with_tasks
from core.training.loop import StepEvent, train
from core.training.material import Material, TasksAndText
from core.training.optimisers import optimiser_of
from core.training.parallel import parallel_texts
from core.training.plan import Pretraining
from core.training.processes import processes
from core.training.recipes import recipe_of
from core.training.schedules import Budget
from core.training.state import RunState, load_state, save_state

_READING = b"2"  # changed when files are tokenised in another way: kept corpora are then read anew


def read_corpus(files: Sequence[Path], tokenizer: tokenizers.Tokenizer, keep: Path) -> TokenCorpus:
    """Tokenise the files, or read what an earlier run kept of the same contents.

    Raises:
        CorpusError: a file cannot be read, or all of them hold no text.
    """
    digest = hashlib.sha256(_READING + tokenizer.to_str().encode())
    for path in files:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise CorpusError(f"cannot read {path}: {error.strerror or error}") from error
    origin = digest.hexdigest()
    corpus = TokenCorpus.load(keep, origin)
    if corpus is None:
        corpus = TokenCorpus.from_files(files, tokenizer)
        corpus.save(keep, origin)
    return corpus


def pretrain(start: Checkpoint, plan: Pretraining) -> Generator[StepEvent, None, None]:
    """Train a model, yielding the loop's events.

    State and checkpoint are written now and then, at the end, and when the run is interrupted:
    by closing the generator, or by Ctrl-C. No other error replaces what was written before. Of
    several processes (:mod:`core.training.processes`), the first one writes.

    Args:
        start: a model with the heads that the objective needs, but for those of labelled tasks; it
            is left as it is, and trained on its own device.
        plan: what to do.

    Raises:
        MissingHeadError, ConfigError: the start cannot be trained on this.
        CannotSaveError: the folder for the checkpoint holds other things.
        CorpusError: a text file cannot be read, or there is too little text.
        DivergedError: the loss is no longer a number.
        ResumeError: there is no state to go on from.
    """
    began = time.monotonic()
    recipe_of(plan.objective, start.config.system).check(start.config)
    for folder in plan.exported:
        check_target(folder)
    plan.folder.mkdir(parents=True, exist_ok=True)
    run, here = _Run(start, plan), processes()
    first_step = saved_step = run.state.step
    saved = time.monotonic()
    try:
        for event in run.events():
            yield event
            now = time.monotonic()
            if plan.stop_after is not None:
                past = here.agree(now - began, run.generator.device)
                if past > plan.stop_after:
                    break
            due = plan.save_steps is not None and run.state.step - saved_step >= plan.save_steps
            if due or now - saved > plan.save_every:
                run.save()
                saved, saved_step = now, run.state.step
    except (GeneratorExit, KeyboardInterrupt):
        if run.state.step > first_step:
            run.save()
        raise
    run.save()


class _Run:
    """A model that learns, and what is written of it."""

    def __init__(self, start: Checkpoint, plan: Pretraining) -> None:
        recipe, here = recipe_of(plan.objective, start.config.system), processes()
        device = next(start.model.parameters()).device
        start, data = _read(start, plan, recipe)
        torch.manual_seed(plan.seed + here.rank)  # dropout differs from process to process
        self.plan, self.start, self.recipe = plan, start, recipe
        self.generator = torch.Generator(device).manual_seed(plan.seed)
        self.objective = recipe.task(
            Material(
                start.config,
                start.tokenizer,
                data,
                self.generator,
                tokens=plan.batch_tokens,
                length=_length(start, plan),
                teacher=None if plan.teacher is None else plan.teacher.model.to(device),
                generator_alone=plan.generator_alone,
                generator_temperature=plan.generator_temperature,
                from_elsewhere=plan.from_elsewhere,
            )
        )
        kept = build(with_dropout(start.config, plan.dropout)).to(device)
        kept.load_state_dict(start.model.state_dict())
        self.model: Any = kept
        if recipe.around is not None:
            self.model = recipe.around(kept, plan.generator_share, plan.generator).to(device)
        if plan.generator_alone:
            kept.requires_grad_(False)
        self.optimiser = optimiser_of(plan.method, self.model, weight_decay=plan.weight_decay)
        self.averages = Averages(plan.folder, plan.average)
        self.state = RunState()
        if plan.resume:
            self.state = load_state(plan.folder, self.model, self.optimiser, self.generator)
            if not here.first:
                torch.manual_seed(hash((plan.seed, here.rank, self.state.step)) % 2**63)
        elif here.first:
            self.averages.clear()

    def events(self) -> Iterator[StepEvent]:
        """What the loop yields."""
        plan = self.plan
        budget = Budget(steps=plan.steps, seconds=plan.seconds, spent=self.state.seconds)
        return train(self.model, self.objective, self.optimiser, budget, plan.settings, self.state)

    def save(self) -> None:
        """Write checkpoints and state, in the first process."""
        if not processes().first:
            return
        start, out = self.start, self.plan.generator_out
        # The checkpoint first: it refuses weights that are no numbers, and the state stays good.
        with self.averages.including(self.model, self.state.step) as exported:
            wanted = exported.get_submodule(self.recipe.kept)
            save_checkpoint(wanted, start.config, start.tokenizer, self.plan.out)
            if out is not None:
                config = generator_config(start.config, self.plan.generator_share)
                beside = exported.get_submodule("generator")
                save_checkpoint(beside, config, start.tokenizer, out)
        save_state(self.plan.folder, self.state, self.model, self.optimiser, self.generator)


def _read(start: Checkpoint, plan: Pretraining, recipe: Recipe) -> tuple[Checkpoint, Any]:
    """The model, with heads for the labelled tasks that there are, and the data on its device."""
    device = next(start.model.parameters()).device
    if recipe.pairs:
        end = end_id(start.tokenizer)
        texts = parallel_texts(plan.corpus, plan.pairs, start.tokenizer, end_id=end)
        return start, texts.to(device)
    tasks: tuple[LabelledTask, ...] = ()
    if recipe.labelled:
        limit = min(_length(start, plan), start.config.embedding.max_positions)
        known = start.config.tasks
        tasks = read_tasks(plan.tasks, start.tokenizer, limit=limit, known=known)
        added = [task.config for task in tasks]
        start = with_tasks(start, added, plan.seed, words=bool(plan.corpus))
        if not plan.corpus:
            return start, tasks
    with processes().first_goes_ahead():
        keep = plan.folder / "corpus.safetensors"
        corpus = read_corpus(plan.corpus, start.tokenizer.inner, keep).to(device)
    return start, TasksAndText(tasks, corpus, plan.words_share) if recipe.labelled else corpus


def _length(start: Checkpoint, plan: Pretraining) -> int:
    return plan.length or min(512, start.config.embedding.max_positions)


def with_dropout(config: ModelConfig, probability: float) -> ModelConfig:
    """The same model with another dropout everywhere."""

    def stack(old: StackConfig | None) -> StackConfig | None:
        if old is None:
            return None
        layer = old.layer
        inner = layer.feed_forward
        return replace(
            old,
            layer=replace(
                layer,
                attention=replace(layer.attention, dropout=probability),
                # Where a system has none there, it gets none.
                feed_forward=replace(inner, dropout=probability if inner.dropout else 0.0),
                dropout=probability,
            ),
        )

    return replace(
        config,
        embedding=replace(config.embedding, dropout=probability),
        encoder=stack(config.encoder),
        decoder=stack(config.decoder),
        recurrent=(
            None if config.recurrent is None else replace(config.recurrent, dropout=probability)
        ),
        tasks=tuple(
            replace(task, dropout=probability, step_dropout=probability) for task in config.tasks
        ),
    )
