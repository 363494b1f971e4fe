"""All held-out figures of a T5."""

from __future__ import annotations

import time

from core.checkpoints import Checkpoint
from core.evaluation.options import Figures, Options
from core.evaluation.span_fillings import try_fillings
from core.evaluation.span_scores import SPAN_WORDS, SpanTrial
from core.evaluation.windows import held_out


def evaluate_blanks(checkpoint: Checkpoint, options: Options) -> Figures:
    """Loss on spans as in the paper and on single spans of some sizes; fillings of exact size.

    Raises:
        ConfigError: no text is given, or a number is out of its range.
        core.training.corpora.CorpusError: the text cannot be read or is too short.
    """
    began = time.monotonic()
    trial = SpanTrial.of(
        checkpoint,
        held_out(checkpoint, options),
        length=options.length,
        windows=options.windows,
        seed=options.seed,
    )
    spans = trial.corrupted()
    figures: Figures = {
        "nats_per_piece": spans.nats,
        "bits_per_byte": spans.bits_per_byte,
        "top1": spans.top1,
        "pieces": spans.pieces,
        "windows": spans.texts,
        "tokens": options.length,
    }
    for words in SPAN_WORDS:
        single = trial.single(words)
        figures |= {
            f"span_{words}_nats_per_piece": None if single is None else single.nats,
            f"span_{words}_bits_per_byte": None if single is None else single.bits_per_byte,
            f"span_{words}_spans": 0 if single is None else single.texts,
        }
    assert options.text is not None  # or there would be no trial
    fillings = try_fillings(checkpoint, options.text, seed=options.seed)
    return figures | {
        "one_word_right": fillings.one_word,
        "distinct3_of_64": fillings.distinct3,
        "distinct3_of_64_with_chance": fillings.distinct3_sampled,
        "free_blanks_ended": fillings.free.ended,
        "free_blanks_ended_with_chance": fillings.free.ended_chance,
        "free_word_right": fillings.free.right,
        "free_words": fillings.free.words,
        "free_blanks": fillings.free.tried,
        "exact_size": {str(words): share for words, share in fillings.exact.items()},
        "blanks_filled": {str(words): count for words, count in fillings.tried.items()},
        "seconds": time.monotonic() - began,
    }
