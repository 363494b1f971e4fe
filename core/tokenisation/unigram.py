"""Learning a Unigram vocabulary: pieces by merging pairs, probabilities by the likeliest cuts.

Kudo 2018, "Subword Regularization", section 3.2, starts from many pieces, re-estimates their
probabilities and drops what is least needed, again and again. So does this, with two short cuts:
the many pieces come from byte-pair merges, and probabilities are counted from each text's likeliest
cut instead of all its cuts. The library's own trainer is not used: it drops frequent words whose
parts are frequent ("▁from" for "▁fro" and "m") and needs a sixth more pieces a word.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import tokenizers
from tokenizers import models
from tokenizers import trainers as library

_SPARE = 1.4  # times as many pieces as are kept are merged first
_ROUNDS = 3  # of counting and dropping
_BATCH = 1000  # texts
_LONGEST = 16  # characters of a piece
_UNSEEN = 0.5  # what a piece in no likeliest cut counts


def learn_unigram(
    texts: Sequence[str], size: int, *, normaliser: Any, cutter: Any, least_count: int
) -> list[tuple[str, float]]:
    """The pieces of a vocabulary, the likeliest first, with their natural logarithms.

    Every single character of the texts is a piece.

    Args:
        texts: to learn from.
        size: most pieces; small texts give fewer.
        normaliser: of the library, what happens to a text first.
        cutter: of the library, where no piece may reach across.
        least_count: fewest occurrences of a pair that is merged.
    """
    inner = tokenizers.Tokenizer(models.BPE())
    inner.normalizer, inner.pre_tokenizer = normaliser, cutter
    inner.train_from_iterator(
        texts,
        library.BpeTrainer(
            vocab_size=math.ceil(_SPARE * size),
            min_frequency=least_count,
            max_token_length=_LONGEST,
            show_progress=False,
        ),
    )
    pieces = sorted(inner.get_vocab())  # in the order of a hash table otherwise
    for step in range(1, _ROUNDS + 1):
        counts = _counted(inner, texts)
        # From all to those that are kept, in equal steps on a logarithmic scale.
        most = round(size * (len(pieces) / size) ** (1 - step / _ROUNDS))
        pieces = _kept(pieces, counts, max(size, most))
        inner.model = models.Unigram(_likelihoods(pieces, counts), unk_id=None)
    return _likelihoods(pieces, _counted(inner, texts))


def _counted(inner: tokenizers.Tokenizer, texts: Sequence[str]) -> Counter[str]:
    numbers: Counter[int] = Counter()
    for batch in _batches(texts):
        for encoding in inner.encode_batch_fast(batch, add_special_tokens=False):
            numbers.update(encoding.ids)
    return Counter({str(inner.id_to_token(number)): count for number, count in numbers.items()})


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        yield list(texts[start : start + _BATCH])


def _kept(pieces: Sequence[str], counts: Counter[str], most: int) -> list[str]:
    # What a piece saves: without it, its characters would cost about as many pieces.
    single = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1]
    longer.sort(key=lambda piece: (-counts[piece] * (len(piece) - 1), piece))
    return [*single, *longer[: max(0, most - len(single))]]


def _likelihoods(pieces: Sequence[str], counts: Counter[str]) -> list[tuple[str, float]]:
    counted = {piece: max(float(counts[piece]), _UNSEEN) for piece in pieces}
    total = math.log(sum(counted.values()))
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [(piece, math.log(count) - total) for piece, count in ordered]
