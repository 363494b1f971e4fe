"""Held-out figures of a translator: BLEU and chrF against all translations that a file knows.

BLEU: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation", as
sacrebleu computes it (Post 2018, "A Call for Clarity in Reporting BLEU Scores"); chrF: Popović
2015, "chrF: character n-gram F-score for automatic MT evaluation".
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.evaluation.options import Figures, Options
from core.tasks.translate import translate_each
from core.tokenisation.languages import languages_of
from core.training.parallel import Pair, held_out_pairs

BEAMS = 4
# Words of the source, from and to.
LENGTHS = {"1-4": (1, 4), "5-6": (5, 6), "7-9": (7, 9), "10-14": (10, 14), "15+": (15, math.inf)}


def evaluate_translation(checkpoint: Checkpoint, options: Options) -> Figures:
    """Translate every held-out English sentence once, with beams and greedily.

    Figures of a language: ``bleu_de`` and ``chrf_de`` (four beams), ``greedy_bleu_de``,
    ``bleu_de_by_words`` (by the number of words of the source, ``None`` where there is none),
    ``sources_de``, ``sources_de_by_words``, ``references_de``, and ``signature_de``, sacrebleu's
    line about how it counted.

    Raises:
        ConfigError: no pairs are given, or there is no ``sacrebleu``.
        CorpusError: a file cannot be read or has no held-out pair.
        UnknownLanguageError: the vocabulary has tokens for languages, but not for this one.
    """
    if not options.pairs:
        raise ConfigError(f"a model of the system {checkpoint.config.system} needs --pairs")
    metrics = _metrics()
    began, figures = time.monotonic(), Figures()
    for language, path in options.pairs.items():
        references = references_of(held_out_pairs(path))
        figures |= _figures(checkpoint, language, references, metrics)
    return {**figures, "beams": BEAMS, "seconds": round(time.monotonic() - began, 1)}


def references_of(pairs: Sequence[Pair]) -> dict[str, list[str]]:
    """Every English sentence with its translations, each once, in the order of the file."""
    found: dict[str, dict[str, None]] = {}
    for english, other in pairs:
        found.setdefault(english, {})[other] = None
    return {english: list(others) for english, others in found.items()}


def _figures(
    checkpoint: Checkpoint, language: str, references: Mapping[str, Sequence[str]], metrics: Any
) -> Figures:
    sources = list(references)
    to = language if languages_of(checkpoint.tokenizer) else None
    best = translate_each(checkpoint, sources, language=to, beams=BEAMS)
    greedy = translate_each(checkpoint, sources, language=to, beams=1)
    bleu = metrics.BLEU()

    def score(metric: Any, written: Sequence[str], indices: Sequence[int]) -> float | None:
        if not indices:
            return None
        # Stream k has the k-th translation of every sentence, where there are so many.
        streams = zip_longest(*(references[sources[index]] for index in indices))
        chosen = [written[index] for index in indices]
        return round(float(metric.corpus_score(chosen, list(map(list, streams))).score), 2)

    every = range(len(sources))
    words = [len(source.split()) for source in sources]
    by_words = {
        name: [index for index in every if least <= words[index] <= most]
        for name, (least, most) in LENGTHS.items()
    }
    whole = score(bleu, best, every)
    return {
        f"bleu_{language}": whole,
        f"signature_{language}": str(bleu.get_signature()),
        f"greedy_bleu_{language}": score(bleu, greedy, every),
        f"chrf_{language}": score(metrics.CHRF(), best, every),
        f"bleu_{language}_by_words": {
            name: score(bleu, best, indices) for name, indices in by_words.items()
        },
        f"sources_{language}": len(sources),
        f"sources_{language}_by_words": {name: len(indices) for name, indices in by_words.items()},
        f"references_{language}": sum(map(len, references.values())),
    }


def _metrics() -> Any:
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise ConfigError(
            "translations are measured with sacrebleu: pip install sacrebleu"
        ) from error
    return metrics
