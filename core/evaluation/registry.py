"""Which figures each system has."""

from __future__ import annotations

from collections.abc import Callable

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import ConfigError
from core.evaluation.any_order import evaluate_any_order
from core.evaluation.blanks import evaluate_blanks
from core.evaluation.encoders import evaluate_encoder
from core.evaluation.next_words import evaluate_causal
from core.evaluation.options import Figures, Options
from core.evaluation.replaced import evaluate_replaced
from core.evaluation.tasks import evaluate_tasks
from core.evaluation.translation import evaluate_translation

Evaluator = Callable[[Checkpoint, Options], Figures]


def _electra(checkpoint: Checkpoint, options: Options) -> Figures:
    # A generator is measured as what it is: a model that finds hidden words.
    discriminates = Head.REPLACED_TOKEN in checkpoint.config.heads
    return (evaluate_replaced if discriminates else evaluate_encoder)(checkpoint, options)


EVALUATORS: dict[str, Evaluator] = {
    "t5": evaluate_blanks,
    "bert": evaluate_encoder,
    "roberta": evaluate_encoder,
    "albert": evaluate_encoder,
    "distilbert": evaluate_encoder,
    "structbert": evaluate_encoder,
    "spanbert": evaluate_encoder,
    "mtdnn": evaluate_tasks,
    "xlnet": evaluate_any_order,
    "electra": _electra,
    "gpt": evaluate_causal,
    "gpt1": evaluate_causal,
    "transformer": evaluate_translation,
    "seq2seq": evaluate_translation,
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
