"""Which figures a model has."""

from __future__ import annotations

from collections.abc import Callable

from core.checkpoints import Checkpoint
from core.config import Head
from core.evaluation.any_order import evaluate_any_order
from core.evaluation.blanks import evaluate_blanks
from core.evaluation.encoders import evaluate_encoder
from core.evaluation.next_words import evaluate_causal
from core.evaluation.options import Figures, Options
from core.evaluation.replaced import evaluate_replaced
from core.evaluation.tasks import evaluate_tasks
from core.evaluation.translation import evaluate_translation
from core.tokenisation.blanks import sentinel_ids

Evaluator = Callable[[Checkpoint, Options], Figures]


def evaluator_of(checkpoint: Checkpoint) -> Evaluator:
    """What a model is measured by, from what it reads and what it has heads for."""
    model, config = checkpoint.model, checkpoint.config
    if model.text_to_text:
        return evaluate_blanks if sentinel_ids(checkpoint.tokenizer) else evaluate_translation
    if model.causal:
        return evaluate_causal
    if model.streams:
        return evaluate_any_order
    if config.tasks:
        return evaluate_tasks
    # An ELECTRA generator is measured as what it is: a model that finds hidden words.
    return evaluate_replaced if Head.REPLACED_TOKEN in config.heads else evaluate_encoder


def evaluate(checkpoint: Checkpoint, options: Options) -> Figures:
    """Measure a checkpoint by what it was trained for.

    Raises:
        ConfigError: what the measurement needs is not given.
        HeadlightError: as the measurements say.
    """
    return evaluator_of(checkpoint)(checkpoint, options)
