"""Held-out figures of a BERT: how often it finds hidden words and judges pairs rightly."""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.errors import ConfigError
from core.evaluation.windows import choose_windows, windows_of
from core.models.architectures.bert import Bert
from core.models.blocks.attention import fused_attention
from core.objectives.masking import MaskingRule, mask_tokens
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import SHORTEST, PairSampler
from core.training.corpora import TokenCorpus

_BATCH = 32


@dataclass(frozen=True)
class BertFigures:
    """Measured on held-out text.

    Attributes:
        top1: share of hidden pieces whose original is the first guess.
        top5: share whose original is among the first five.
        loss: mean nats a hidden piece.
        places: number of hidden pieces.
        whole_word_top1: as ``top1``, over hidden pieces that are whole words, as far as their
            input shows; ``None`` if there is none.
        whole_word_top5: as ``top5``, over these.
        whole_word_places: their number.
        next_sentence: share of pairs judged rightly; ``None`` without the head, or without pairs.
        pairs: number of pairs judged.
        windows: inputs of running text that were read.
        windows_available: inputs that the text would give.
        tokens: tokens an input, at most.
        seconds: wall time.
    """

    top1: float
    top5: float
    loss: float
    places: int
    whole_word_top1: float | None
    whole_word_top5: float | None
    whole_word_places: int
    next_sentence: float | None
    pairs: int
    windows: int
    windows_available: int
    tokens: int
    seconds: float


@torch.inference_mode()
def evaluate_bert(
    model: Bert,
    corpus: TokenCorpus,
    specials: Specials,
    ordinary_ids: Tensor,
    continuation: Tensor,
    *,
    length: int = 128,
    windows: int = 2000,
    pairs: int = 1000,
    seed: int = 0,
) -> BertFigures:
    """Hide 15 % of the pieces of held-out text by the 80/10/10 rule and let the model guess.

    Args:
        model: in evaluation mode, with the masked-word head.
        corpus: held-out text, on the model's device.
        specials: ids of the special tokens.
        ordinary_ids: ids of all other tokens.
        continuation: boolean ``[vocabulary]``, True for pieces that continue a word.
        length: tokens an input, special ones included.
        windows: inputs at most; of more, so many are drawn at random.
        pairs: sentence pairs to judge; 0 for none.
        seed: of all chance.

    Raises:
        ConfigError: ``length`` does not fit the model, or a number is out of its range.
        CorpusError: the text is too short.
        MissingHeadError: the model has no masked-word head.
    """
    _check(model, length, windows, pairs)
    began = time.monotonic()
    device = corpus.tokens.device
    generator = torch.Generator(device).manual_seed(seed)
    chosen, available = choose_windows(corpus, length, windows, generator)

    sampler = None  # made first: a text that is too short for pairs is refused at once
    if getattr(model, "next_sentence", None) is not None and pairs:
        sampler = PairSampler(corpus, specials, generator, longest=length)

    scores: list[Tensor] = []  # per place: [rank of the original, nats, is a whole word]
    with fused_attention():
        for inputs in windows_of(corpus, chosen, length, specials, rows=_BATCH):
            masked = mask_tokens(
                inputs.ids,
                inputs.ordinary,
                rule=MaskingRule(),
                mask_id=specials.mask,
                ordinary_ids=ordinary_ids,
                generator=generator,
            )
            hidden = model.encode(masked.ids, inputs.segments, inputs.keep)
            row, column = masked.weights.nonzero(as_tuple=True)
            place = masked.places[row, column]
            label = masked.labels[row, column]
            logits = model.score_words(hidden[row, place]).float()  # [place, vocabulary]
            nats = functional.cross_entropy(logits, label, reduction="none")
            # Behind every piece that scores as well, or no number: a tie is no right guess.
            rank = (~(logits < logits.gather(1, label[:, None]))).sum(1) - 1
            following = inputs.ids[row, place + 1]  # at the end of an input, the separator
            whole = ~continuation[label] & ~continuation[following]
            scores.append(torch.stack([rank.float(), nats, whole.float()], dim=1).cpu())
        judged = None if sampler is None else _judge_pairs(model, sampler, pairs, length)

    ranks, nats, whole = torch.cat(scores).unbind(1)
    words = ranks[whole.bool()]
    return BertFigures(
        top1=_share(ranks < 1),
        top5=_share(ranks < 5),
        loss=float(nats.mean()),
        places=len(ranks),
        whole_word_top1=_share(words < 1) if len(words) else None,
        whole_word_top5=_share(words < 5) if len(words) else None,
        whole_word_places=len(words),
        next_sentence=judged,
        pairs=0 if judged is None else pairs,
        windows=len(chosen),
        windows_available=available,
        tokens=length,
        seconds=time.monotonic() - began,
    )


def _check(model: Bert, length: int, windows: int, pairs: int) -> None:
    positions = model.config.embedding.max_positions
    if not SHORTEST <= length <= positions:
        raise ConfigError(
            f"an input of this model holds {SHORTEST} to {positions} tokens, not {length}"
        )
    if windows < 1:
        raise ConfigError(f"at least 1 input must be read, not {windows}")
    if pairs < 0:
        raise ConfigError(f"the number of pairs must not be negative: {pairs}")


def _share(right: Tensor) -> float:
    return float(right.float().mean())


def _judge_pairs(model: Bert, sampler: PairSampler, pairs: int, length: int) -> float:
    right = 0
    for first in range(0, pairs, _BATCH):
        inputs = sampler.pair(min(_BATCH, pairs - first), length)
        logits = model.judge_pair(model.encode(inputs.ids, inputs.segments))
        right += int((logits.argmax(1) == inputs.follows).sum())
    return right / pairs
