"""All held-out figures of an encoder that finds hidden words, by the heads that it has."""

from __future__ import annotations

import time

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.evaluation.hidden_spans import find_hidden_spans
from core.evaluation.hidden_words import EncoderTrial, Pieces, find_hidden_words
from core.evaluation.options import Figures, Options
from core.evaluation.pairs import judge_pairs, pair_sampler
from core.evaluation.shuffled_words import restore_trigrams
from core.evaluation.windows import held_out
from core.objectives.relations import Relation

# What a head is asked about two segments, and the name of its figure.
_RELATIONS = {
    Head.NEXT_SENTENCE: (Relation.NEXT, "next_sentence"),
    Head.SENTENCE_ORDER: (Relation.ORDER, "sentence_order"),
    Head.SENTENCE_STRUCTURE: (Relation.STRUCTURE, "sentence_structure"),
}


def evaluate_encoder(checkpoint: Checkpoint, options: Options) -> Figures:
    """Hidden words; pairs, spans and shuffled words where the model has heads for them.

    Raises:
        ConfigError: no text is given, or a number is out of its range.
        core.training.corpora.CorpusError: the text cannot be read or is too short.
        MissingHeadError: the model has no masked-word head.
    """
    heads = checkpoint.config.heads
    if Head.MASKED_LANGUAGE not in heads:
        raise MissingHeadError("masked words")
    if options.judged < 0:
        raise ConfigError(f"the number of pairs must not be negative: {options.judged}")
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
    judges = [_RELATIONS[head] for head in heads if head in _RELATIONS]
    # Made first: a text that is too short for pairs is refused at once.
    samplers = [pair_sampler(trial, kind) for kind, _ in judges if options.judged]
    figures = find_hidden_words(trial)
    figures |= {name: None for _, name in judges} | ({"pairs": 0} if judges else {})
    for (_, name), sampler in zip(judges, samplers, strict=False):
        figures[name], figures["pairs"] = judge_pairs(trial, sampler, options.judged)
    if Head.SPAN_BOUNDARY in heads:
        figures |= find_hidden_spans(trial)
    if Head.SENTENCE_STRUCTURE in heads:  # its owner learnt to put shuffled words right, too
        figures |= restore_trigrams(trial)
    return figures | trial.read() | {"seconds": time.monotonic() - began}
