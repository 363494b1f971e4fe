"""How often a model judges rightly how two segments of held-out text belong together."""

from __future__ import annotations

import torch
from torch import Tensor

from core.evaluation.guesses import ranks
from core.evaluation.hidden_words import BATCH, EncoderTrial
from core.models.blocks.attention import fused_attention
from core.objectives.inputs import Inputs
from core.objectives.relations import Relation
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import CorpusError

_TRIES = 20  # times as many pairs are drawn at most as are judged


def pair_sampler(trial: EncoderTrial, relation: Relation) -> PairSampler:
    """Where pairs come from; of the longest kind, as in training.

    Raises:
        core.training.corpora.CorpusError: the text is too short for pairs.
    """
    return PairSampler(
        trial.corpus,
        trial.pieces.specials,
        trial.generator,
        longest=trial.length,
        relation=relation,
    )


@torch.inference_mode()
def judge_pairs(trial: EncoderTrial, sampler: PairSampler, pairs: int) -> tuple[float, int]:
    """The share of pairs judged rightly, and how many there were.

    Whether a sentence follows is asked as in training, half of the time at random. Of orders and
    structures, there are equally many of each class, so that always giving one answer gets no more
    than its share.

    Args:
        trial: model and text.
        sampler: with a relation.
        pairs: how many, rounded down to equal parts; at least one of each class.

    Raises:
        MissingHeadError: the model judges no pairs.
        CorpusError: the text has too few pairs of a class.
    """
    relation = sampler.relation
    assert relation is not None
    if relation is Relation.NEXT:
        room, drawn = torch.full((relation.classes,), pairs), pairs
    else:
        each = max(1, pairs // relation.classes)
        room, drawn = torch.full((relation.classes,), each), each * relation.classes
    right = judged = tries = 0
    with fused_attention():
        while judged < drawn:
            if tries >= _TRIES * drawn:
                raise CorpusError(f"the text has too few pairs for {drawn} of all classes alike")
            size = min(BATCH, drawn - judged)
            inputs = sampler.pair(size, trial.length)
            tries += size
            wanted = _within(inputs.follows.tolist(), room)
            if wanted:
                right += _right(trial, inputs, torch.tensor(wanted, device=inputs.ids.device))
                judged += len(wanted)
    return right / judged, judged


def _within(classes: list[int], room: Tensor) -> list[int]:
    # The pairs whose class has room left, which is taken up.
    wanted = []
    for number, kind in enumerate(classes):
        if room[kind] > 0:
            room[kind] -= 1
            wanted.append(number)
    return wanted


def _right(trial: EncoderTrial, inputs: Inputs, wanted: Tensor) -> int:
    keep = None if inputs.keep is None else inputs.keep[wanted]
    hidden = trial.model.encode(inputs.ids[wanted], inputs.segments[wanted], keep)
    rank = ranks(trial.model.judge_pair(hidden).float(), inputs.follows[wanted])
    return int((rank == 0).sum())
