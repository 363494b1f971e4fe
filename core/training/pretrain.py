"""A pre-training run as a whole: corpus, model, loop, saved state, exported checkpoint."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.config import ModelConfig, StackConfig
from core.models.architectures.bert import Bert
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.sentence_pairs import PairSampler, Specials
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus
from core.training.loop import DivergedError, LoopSettings, StepEvent, train
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


def specials_of(tokenizer: Tokenizer) -> Specials:
    """The ids of a BERT vocabulary's special tokens."""
    return Specials(
        classify=tokenizer.cls_id,
        separator=tokenizer.sep_id,
        mask=tokenizer.mask_id,
        padding=tokenizer.pad_id,
    )


def ordinary_ids(tokenizer: Tokenizer) -> torch.Tensor:
    """The ids of all tokens that are not special, ``[candidate]``."""
    specials = {tokenizer.cls_id, tokenizer.sep_id, tokenizer.mask_id, tokenizer.pad_id}
    specials.add(tokenizer.unknown_id)
    return torch.tensor([n for n in range(tokenizer.vocabulary_size) if n not in specials])


def read_corpus(files: Sequence[Path], tokenizer_file: Path, keep: Path) -> TokenCorpus:
    """Tokenise the files, or read what an earlier run kept of the same files."""
    digest = hashlib.sha256(tokenizer_file.read_bytes())
    for path in files:
        digest.update(f"{path.name} {path.stat().st_size}".encode())
    origin = digest.hexdigest()
    corpus = TokenCorpus.load(keep, origin)
    if corpus is None:
        corpus = TokenCorpus.from_files(files, tokenizer_file)
        corpus.save(keep, origin)
    return corpus


def pretrain_bert(start: Checkpoint, plan: Pretraining) -> Iterator[StepEvent]:
    """Train a BERT on masked words and next sentences, yielding the loop's events.

    State and checkpoint are written now and then, at the end, and when the run is interrupted.

    Raises:
        CorpusError: a text file cannot be read.
        DivergedError: the loss is no longer a number.
        ResumeError: there is no state to go on from.
    """
    began = time.monotonic()
    plan.folder.mkdir(parents=True, exist_ok=True)
    device = next(start.model.parameters()).device
    torch.manual_seed(plan.seed)
    torch.set_float32_matmul_precision("high")
    generator = torch.Generator(device).manual_seed(plan.seed)

    corpus = read_corpus(
        plan.corpus, start.folder / "tokenizer.json", plan.folder / "corpus.safetensors"
    )
    objective = BertPretraining(
        PairSampler(corpus.to(device), specials_of(start.tokenizer), generator),
        ordinary_ids(start.tokenizer).to(device),
        tokens=plan.batch_tokens,
    )
    model = cast(Bert, build(with_dropout(start.config, plan.dropout)).to(device))
    model.load_state_dict(start.model.state_dict())
    optimiser = adamw(model, weight_decay=plan.weight_decay)
    state = RunState(step=0, seconds=0.0, tokens=0)
    if plan.resume:
        state = load_state(plan.folder, model, optimiser, generator)

    budget = Budget(steps=plan.steps, seconds=plan.seconds, spent=state.seconds)
    events = train(
        model,
        objective,
        optimiser,
        budget,
        plan.settings,
        first_step=state.step,
        tokens=state.tokens,
    )

    def save() -> None:
        save_state(plan.folder, state, model, optimiser, generator)
        save_checkpoint(model, start.config, start.tokenizer, plan.out)

    saved = time.monotonic()
    try:
        for event in events:
            state = RunState(event.step, event.seconds, event.tokens)
            yield event
            now = time.monotonic()
            if plan.stop_after is not None and now - began > plan.stop_after:
                break
            if now - saved > plan.save_every:
                save()
                saved = now
    except DivergedError:
        raise  # there is nothing worth keeping
    except BaseException:
        save()
        raise
    save()


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
