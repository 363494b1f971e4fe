"""Which figures each system has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import cast

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.evaluation.blanks import evaluate_blanks
from core.evaluation.hidden_words import evaluate_bert
from core.evaluation.next_words import evaluate_causal
from core.evaluation.options import Figures, Options
from core.evaluation.replaced import evaluate_replaced
from core.models.architectures.bert import Bert
from core.objectives.pieces import continuations, ordinary_ids, specials_of
from core.training.corpora import TokenCorpus

Evaluator = Callable[[Checkpoint, Options], Figures]


def held_out(checkpoint: Checkpoint, options: Options) -> TokenCorpus:
    """The text in the checkpoint's tokens, on its device.

    Raises:
        ConfigError: no text is given.
        core.training.corpora.CorpusError: it cannot be read.
    """
    if options.text is None:
        raise ConfigError(f"a model of the system {checkpoint.config.system} needs --text")
    device = next(checkpoint.model.parameters()).device
    return TokenCorpus.from_files([options.text], checkpoint.tokenizer.inner).to(device)


def _bert(checkpoint: Checkpoint, options: Options) -> Figures:
    if Head.MASKED_LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("masked words")
    tokenizer, device = checkpoint.tokenizer, next(checkpoint.model.parameters()).device
    figures = evaluate_bert(
        cast(Bert, checkpoint.model),
        held_out(checkpoint, options),
        specials_of(tokenizer),
        ordinary_ids(tokenizer).to(device),
        continuations(tokenizer).to(device),
        length=options.length,
        windows=options.windows,
        pairs=options.judged,
        seed=options.seed,
    )
    return asdict(figures)


def _electra(checkpoint: Checkpoint, options: Options) -> Figures:
    # A generator is measured as what it is: a model that finds hidden words.
    discriminates = Head.REPLACED_TOKEN in checkpoint.config.heads
    return (evaluate_replaced if discriminates else _bert)(checkpoint, options)


EVALUATORS: dict[str, Evaluator] = {
    "t5": evaluate_blanks,
    "bert": _bert,
    "electra": _electra,
    "gpt": evaluate_causal,
    "gpt1": evaluate_causal,
}


def evaluate(checkpoint: Checkpoint, options: Options) -> Figures:
    """Measure a checkpoint by what its system was trained for.

    Raises:
        ConfigError: nothing is measured for this system, or what that needs is not given.
        HeadlightError: as the measurements say.
    """
    try:
        measure = EVALUATORS[checkpoint.config.system]
    except KeyError:
        raise ConfigError(f"nothing is measured for {checkpoint.config.system}") from None
    return measure(checkpoint, options)
