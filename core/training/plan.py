"""What to train, on what, for how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.bounds import require
from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.objectives.labelled_files import TaskFile
from core.training.fresh import GENERATOR_SHARE
from core.training.loop import LoopSettings
from core.training.optimisers import Method
from core.training.recipes import RECIPES
from core.training.schedules import Budget


@dataclass(frozen=True)
class Pretraining:
    """A training run before it begins.

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
        generator_temperature: its samples are drawn at temperatures from 1 to this.
        from_elsewhere: of the segments out of order half are from elsewhere: easier, to begin with.
        generator_out: where it is exported, if at all.
        average: savings whose mean is exported; the last weights for 1.
        dropout: probability while training; the exported configuration keeps the start's own.
        weight_decay: of matrices.
        seed: of all random draws.
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
    generator_temperature: float = 1.0
    from_elsewhere: bool = False
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
        require(
            words_share=self.words_share,
            length=self.length,
            average=self.average,
            save_steps=self.save_steps,
            batch_tokens=self.batch_tokens,
            dropout=self.dropout,
            weight_decay=self.weight_decay,
            stop_after=self.stop_after,
            save_every=self.save_every,
            generator_share=self.generator_share,
            generator_temperature=self.generator_temperature,
        )
        beside = self.generator_out is not None or self.generator is not None
        beside = beside or self.generator_alone or self.generator_temperature > 1.0
        if beside and RECIPES[self.objective].around is None:
            raise ConfigError("only replaced tokens (rtd) are learnt beside a generator")
        if self.from_elsewhere and self.objective != "sop":
            raise ConfigError(
                "only the order of sentences (sop) is learnt with segments from elsewhere"
            )
        folders = [self.folder, *self.exported]
        if len({folder.resolve() for folder in folders}) < len(folders):
            raise ConfigError(f"the run and each checkpoint need folders of their own: {self.out}")

    @property
    def exported(self) -> tuple[Path, ...]:
        """The folder of every checkpoint that the run leaves."""
        return (self.out,) if self.generator_out is None else (self.out, self.generator_out)
