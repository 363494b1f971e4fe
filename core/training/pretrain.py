"""A pre-training run as a whole: corpus, model, loop, saved state, exported checkpoint."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import tokenizers
import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.checkpoints.save import check_target
from core.config import Head, ModelConfig, StackConfig
from core.errors import ConfigError, MissingHeadError
from core.models.architectures.bert import Bert
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.layouts import layouts_within
from core.objectives.pieces import ordinary_ids, specials_of
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import CorpusError, TokenCorpus
from core.training.loop import LoopSettings, StepEvent, train
from core.training.optimisers import adamw
from core.training.schedules import Budget
from core.training.state import RunState, load_state, save_state


@dataclass(frozen=True)
class Pretraining:
    """What to train, on what, for how long.

    Attributes:
        corpus: text files.
        folder: where the run keeps its tokenised corpus and its state.
        out: where the checkpoint is exported.
        steps: length of the run in steps, or ``None``.
        seconds: length of the run in seconds of training, or ``None``.
        stop_after: seconds of wall time after which this process saves and stops early, to be
            resumed; ``None`` for no such limit.
        save_every: seconds between two savings on the way.
        resume: go on from the state in ``folder``.
        batch_tokens: tokens a batch.
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
    resume: bool = False
    batch_tokens: int = 131_072
    dropout: float = 0.0
    weight_decay: float = 0.01
    seed: int = 0
    settings: LoopSettings = field(default_factory=lambda: LoopSettings(peak_rate=5e-4))

    def __post_init__(self) -> None:
        Budget(self.steps, self.seconds)  # refuses a length that makes no sense
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
        if self.out.resolve() == self.folder.resolve():
            raise ConfigError(f"the run and its checkpoint need two folders, not {self.out} twice")


def read_corpus(files: Sequence[Path], tokenizer: tokenizers.Tokenizer, keep: Path) -> TokenCorpus:
    """Tokenise the files, or read what an earlier run kept of the same contents.

    Raises:
        CorpusError: a file cannot be read, or all of them hold no text.
    """
    digest = hashlib.sha256(tokenizer.to_str().encode())
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


def pretrain_bert(start: Checkpoint, plan: Pretraining) -> Generator[StepEvent, None, None]:
    """Train a BERT on masked words and next sentences, yielding the loop's events.

    State and checkpoint are written now and then, at the end, and when the run is interrupted:
    by closing the generator, or by Ctrl-C. No other error replaces what was written before.

    Args:
        start: a BERT with both heads; it is left as it is, and trained on its own device.
        plan: what to do.

    Raises:
        MissingHeadError, ConfigError: the start cannot be trained on this.
        CannotSaveError: the folder for the checkpoint holds other things.
        CorpusError: a text file cannot be read, or there is too little text.
        DivergedError: the loss is no longer a number.
        ResumeError: there is no state to go on from.
    """
    began = time.monotonic()
    _check_start(start.config)
    check_target(plan.out)
    plan.folder.mkdir(parents=True, exist_ok=True)
    device = next(start.model.parameters()).device
    torch.manual_seed(plan.seed)
    generator = torch.Generator(device).manual_seed(plan.seed)

    corpus = read_corpus(plan.corpus, start.tokenizer.inner, plan.folder / "corpus.safetensors").to(
        device
    )
    layouts = layouts_within(start.config.embedding.max_positions)
    longest = max(layout.length for layout in layouts)
    objective = BertPretraining(
        PairSampler(corpus, specials_of(start.tokenizer), generator, longest=longest),
        ordinary_ids(start.tokenizer).to(device),
        tokens=plan.batch_tokens,
        layouts=layouts,
    )
    model = cast(Bert, build(with_dropout(start.config, plan.dropout)).to(device))
    model.load_state_dict(start.model.state_dict())
    optimiser = adamw(model, weight_decay=plan.weight_decay)
    state = RunState()
    if plan.resume:
        state = load_state(plan.folder, model, optimiser, generator)
    first_step = state.step

    def save() -> None:
        # The checkpoint first: it refuses weights that are no numbers, and the state stays good.
        save_checkpoint(model, start.config, start.tokenizer, plan.out)
        save_state(plan.folder, state, model, optimiser, generator)

    budget = Budget(steps=plan.steps, seconds=plan.seconds, spent=state.seconds)
    saved = time.monotonic()
    try:
        for event in train(model, objective, optimiser, budget, plan.settings, state):
            yield event
            now = time.monotonic()
            if plan.stop_after is not None and now - began > plan.stop_after:
                break
            if now - saved > plan.save_every:
                save()
                saved = now
    except (GeneratorExit, KeyboardInterrupt):
        if state.step > first_step:
            save()
        raise
    save()


def _check_start(config: ModelConfig) -> None:
    for head, task in (
        (Head.MASKED_LANGUAGE, "masked words"),
        (Head.NEXT_SENTENCE, "next sentences"),
    ):
        if head not in config.heads:
            raise MissingHeadError(task)
    if config.embedding.segments < 2:
        raise ConfigError(f"pairs need 2 segment types; the model has {config.embedding.segments}")


def with_dropout(config: ModelConfig, probability: float) -> ModelConfig:
    """The same model with another dropout everywhere."""

    def stack(old: StackConfig | None) -> StackConfig | None:
        if old is None:
            return None
        attention = replace(old.layer.attention, dropout=probability)
        return replace(old, layer=replace(old.layer, attention=attention, dropout=probability))

    return replace(
        config,
        embedding=replace(config.embedding, dropout=probability),
        encoder=stack(config.encoder),
        decoder=stack(config.decoder),
    )
