"""How often an XLNet predicts the pieces of held-out text, read in random orders."""

from __future__ import annotations

import time
from typing import cast

import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.evaluation.guesses import Guesses
from core.evaluation.hidden_words import BATCH, EncoderTrial, Pieces
from core.evaluation.options import Figures, Options
from core.evaluation.windows import held_out
from core.models.permutation import PermutationBody
from core.objectives.permutation_lm import closed
from core.objectives.permutation_orders import OrderRule, draw_orders


@torch.inference_mode()
def predict_in_any_order(trial: EncoderTrial) -> Figures:
    """``top1``, ``top5``, ``loss`` and ``places`` at predicted pieces, and shares of whole words.

    One piece in six is predicted, in spans, from all others and the predictions before it: drawn as
    in training.

    Raises:
        MissingHeadError: the model scores no words.
    """
    model, guesses = cast(PermutationBody, trial.model), Guesses()
    position = torch.arange(trial.length, device=trial.spans.device)
    tokens = trial.corpus.tokens
    for spans in trial.spans.split(BATCH):
        start, size = spans[:, :1], spans[:, 1:]
        text = tokens[(start + position[:-2]).clamp(max=len(tokens) - 1)].long()
        ids = closed(text, size[:, 0], trial.pieces.specials)
        orders = draw_orders(position < size, rule=OrderRule(), generator=trial.generator)
        streams = model.read_streams(
            ids, None, position <= size + 1, order=orders.before, targets=orders.targets
        )
        assert streams.query is not None
        row, column = orders.weights.nonzero(as_tuple=True)
        target = orders.targets[row, column]
        words = trial.whole_words(ids, spans)
        logits = model.score_words(streams.query[row, column])
        guesses.add(logits, ids[row, target], words[row, target])
    return guesses.figures()


def evaluate_any_order(checkpoint: Checkpoint, options: Options) -> Figures:
    """All figures of an XLNet.

    Raises:
        ConfigError: no text is given, or a number is out of its range.
        core.training.corpora.CorpusError: the text cannot be read or is too short.
        MissingHeadError: the model scores no words.
    """
    if Head.LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("words in any order")
    began = time.monotonic()
    corpus = held_out(checkpoint, options)
    trial = EncoderTrial.of(
        checkpoint.model,
        corpus,
        Pieces.of(checkpoint.tokenizer, corpus.tokens.device),
        length=options.length,
        windows=options.windows,
        seed=options.seed,
    )
    figures = predict_in_any_order(trial)
    return figures | trial.read() | {"seconds": time.monotonic() - began}
