"""A training run as a whole: data, model, loop, saved state, exported checkpoint."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tokenizers
import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.checkpoints.save import check_target
from core.config import ModelConfig, StackConfig
from core.errors import ConfigError
from core.models.registry import build
from core.objectives.labelled_files import TaskFile, read_tasks
from core.training.averages import Averages
from core.training.corpora import CorpusError, TokenCorpus
from core.training.fresh import GENERATOR_SHARE, generator_config, with_tasks
from core.training.loop import LoopSettings, StepEvent, train
from core.training.optimisers import Method, optimiser_of
from core.training.parallel import parallel_texts
from core.training.processes import processes
from core.training.recipes import RECIPES, Material, TasksAndText, end_id, recipe_of
from core.training.schedules import Budget
from core.training.state import RunState, load_state, save_state

_READING = b"2"  # changed when files are tokenised in another way: kept corpora are then read anew


@dataclass(frozen=True)
class Pretraining:
    """What to train, on what, for how long.

    Attributes:
        corpus: text files; of a translation, files of pairs that are all learnt; beside labelled
            tasks, text whose hidden words are one more task, or none.
        folder: where the run keeps its tokenised corpus and its state.
        out: where the checkpoint is exported.
        steps: length of the run in steps, or ``None``.
        seconds: length of the run in seconds of training, or ``None``.
        stop_after: seconds of wall time after which this process saves and stops early, to be
            resumed; ``None`` for no such limit.
        save_every: seconds between two savings on the way.
        save_steps: steps between two savings, at the next event, or ``None``.
        resume: go on from the state in ``folder``.
        objective: in :data:`core.training.recipes.RECIPES`.
        teacher: the model that a student learns from.
        pairs: of a translation, files of pairs by the language of the second text; what
            :mod:`core.training.parallel` holds out is not learnt.
        tasks: labelled tasks and their files, where the objective is to learn such.
        words_share: beside labelled tasks, hidden words' share of the mini-batches.
        length: tokens of a text, where the objective leaves that open; as many as the model reads,
            and 512 at most, for ``None``.
        batch_tokens: tokens a batch.
        method: of the optimiser.
        generator_share: where there is a generator beside the model, how many times narrower it is.
        generator: a generator that has learnt already; a fresh one for ``None``.
        generator_alone: only the generator learns, and the tables that it shares stay as they are.
        generator_out: where it is exported, if at all.
        average: savings whose mean is exported; the last weights for 1.
        dropout: probability while training; the exported configuration keeps the start's own.
        weight_decay: of matrices.
        seed: of all chance.
        settings: of the loop.

    Raises:
        ConfigError: a number out of its range, or two that contradict each other.
    """

    corpus: Sequence[Path]
    folder: Path
    out: Path
    steps: int | None
    seconds: float | None
    stop_after: float | None = None
    save_every: float = 300.0
    save_steps: int | None = None
    resume: bool = False
    objective: str = "mlm"
    teacher: Checkpoint | None = None
    pairs: Mapping[str, Path] = field(default_factory=dict)
    tasks: Sequence[TaskFile] = ()
    words_share: float = 0.25
    length: int | None = None
    batch_tokens: int = 131_072
    dropout: float = 0.0
    weight_decay: float = 0.01
    method: Method = Method.ADAMW
    generator_share: int = GENERATOR_SHARE
    generator: Checkpoint | None = None
    generator_alone: bool = False
    generator_out: Path | None = None
    average: int = 1
    seed: int = 0
    settings: LoopSettings = field(default_factory=lambda: LoopSettings(peak_rate=5e-4))

    def __post_init__(self) -> None:
        Budget(self.steps, self.seconds)  # refuses a length that makes no sense
        if self.objective not in RECIPES:
            raise ConfigError(f"{self.objective!r} is none of: {', '.join(RECIPES)}")
        if RECIPES[self.objective].taught != (self.teacher is not None):
            raise ConfigError("a student needs a teacher, and only a student has one")
        labelled = RECIPES[self.objective].labelled
        if labelled != bool(self.tasks) or not (labelled or self.corpus or self.pairs):
            raise ConfigError(
                "multitask reads labelled tasks from files of their own; all others read text files"
            )
        if self.pairs and not RECIPES[self.objective].pairs:
            raise ConfigError(f"pairs are for translations, not for {self.objective}")
        if not 0.0 < self.words_share < 1.0:
            raise ConfigError(f"hidden words have a share in (0, 1), not {self.words_share}")
        if self.length is not None and self.length < 2:
            raise ConfigError(f"a text has at least 2 tokens, not {self.length}")
        if self.average < 1:
            raise ConfigError(f"the mean is of at least 1 saving, not {self.average}")
        if self.save_steps is not None and self.save_steps < 1:
            raise ConfigError(f"a run is saved every 1 step or more, not {self.save_steps}")
        if self.batch_tokens < 1:
            raise ConfigError(f"a batch holds at least 1 token, not {self.batch_tokens}")
        if not 0.0 <= self.dropout < 1.0:
            raise ConfigError(f"dropout must be in [0, 1), not {self.dropout}")
        if not self.weight_decay >= 0.0:
            raise ConfigError(f"weight decay must not be negative: {self.weight_decay}")
        if self.stop_after is not None and not self.stop_after >= 0.0:
            raise ConfigError(f"a run cannot stop after {self.stop_after} seconds")
        if not self.save_every >= 0.0:
            raise ConfigError(f"a run cannot be saved every {self.save_every} seconds")
        if self.generator_share < 1:
            raise ConfigError(
                f"a generator has 1 of 1 heads or more, not of {self.generator_share}"
            )
        beside = self.generator_out is not None or self.generator is not None
        if (beside or self.generator_alone) and RECIPES[self.objective].around is None:
            raise ConfigError("only replaced tokens (rtd) are learnt beside a generator")
        folders = [self.folder, self.out, *([self.generator_out] if self.generator_out else [])]
        if len({folder.resolve() for folder in folders}) < len(folders):
            raise ConfigError(f"the run and each checkpoint need folders of their own: {self.out}")


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
    recipe, here = recipe_of(plan.objective, start.config.system), processes()
    recipe.check(start.config)
    check_target(plan.out)
    if plan.generator_out is not None:
        check_target(plan.generator_out)
    plan.folder.mkdir(parents=True, exist_ok=True)
    device = next(start.model.parameters()).device
    length = plan.length or min(512, start.config.embedding.max_positions)
    data: Any = None
    if recipe.labelled:
        data = read_tasks(
            plan.tasks,
            start.tokenizer,
            limit=min(length, start.config.embedding.max_positions),
            known=start.config.tasks,
        )
        tasks = [task.config for task in data]
        start = with_tasks(start, tasks, plan.seed, words=bool(plan.corpus))
    torch.manual_seed(plan.seed + here.rank)  # dropout differs from process to process
    generator = torch.Generator(device).manual_seed(plan.seed)

    if recipe.pairs:
        data = parallel_texts(
            plan.corpus, plan.pairs, start.tokenizer, end_id=end_id(start.tokenizer)
        ).to(device)
    elif plan.corpus:
        with here.first_goes_ahead():
            corpus = read_corpus(
                plan.corpus, start.tokenizer.inner, plan.folder / "corpus.safetensors"
            ).to(device)
        data = TasksAndText(data, corpus, plan.words_share) if recipe.labelled else corpus
    objective = recipe.task(
        Material(
            start.config,
            start.tokenizer,
            data,
            generator,
            tokens=plan.batch_tokens,
            length=length,
            teacher=None if plan.teacher is None else plan.teacher.model.to(device),
            generator_alone=plan.generator_alone,
        )
    )
    kept = build(with_dropout(start.config, plan.dropout)).to(device)
    kept.load_state_dict(start.model.state_dict())
    model: Any = kept
    if recipe.around is not None:
        model = recipe.around(kept, plan.generator_share, plan.generator).to(device)
    if plan.generator_alone:
        kept.requires_grad_(False)
    optimiser = optimiser_of(plan.method, model, weight_decay=plan.weight_decay)
    state = RunState()
    averages = Averages(plan.folder, plan.average)
    if plan.resume:
        state = load_state(plan.folder, model, optimiser, generator)
        if not here.first:
            torch.manual_seed(hash((plan.seed, here.rank, state.step)) % 2**63)
    elif here.first:
        averages.clear()
    first_step = state.step

    def save() -> None:
        if not here.first:
            return
        # The checkpoint first: it refuses weights that are no numbers, and the state stays good.
        with averages.including(model, state.step) as exported:
            wanted = exported.get_submodule(recipe.kept)
            save_checkpoint(wanted, start.config, start.tokenizer, plan.out)
            if plan.generator_out is not None:
                config = generator_config(start.config, plan.generator_share)
                beside = exported.get_submodule("generator")
                save_checkpoint(beside, config, start.tokenizer, plan.generator_out)
        save_state(plan.folder, state, model, optimiser, generator)

    budget = Budget(steps=plan.steps, seconds=plan.seconds, spent=state.seconds)
    saved, saved_step = time.monotonic(), state.step
    try:
        for event in train(model, objective, optimiser, budget, plan.settings, state):
            yield event
            now = time.monotonic()
            if plan.stop_after is not None and here.agree(now - began, device) > plan.stop_after:
                break
            due = plan.save_steps is not None and state.step - saved_step >= plan.save_steps
            if due or now - saved > plan.save_every:
                save()
                saved, saved_step = now, state.step
    except (GeneratorExit, KeyboardInterrupt):
        if state.step > first_step:
            save()
        raise
    save()


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
