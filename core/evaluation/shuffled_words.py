"""How often a StructBERT puts shuffled pieces back where they were."""

from __future__ import annotations

import torch

from core.evaluation.guesses import ranks
from core.evaluation.hidden_words import EncoderTrial
from core.evaluation.options import Figures
from core.models.blocks.attention import fused_attention
from core.objectives.word_order import StructPretraining, shuffle_unmasked
from core.training.corpora import CorpusError


@torch.inference_mode()
def restore_trigrams(trial: EncoderTrial) -> Figures:
    """Hide 15 % of the pieces and shuffle 5 % of the trigrams of the others, as in training.

    Returns:
        ``trigrams_restored``: share of the shuffled pieces' positions at which the first guess is
        the piece that was there; ``whole_trigrams_restored``: share of the trigrams that are right
        at all three; ``trigrams_as_given``: the share of positions that leaving everything as it
        stands would get right; ``trigrams``: how many were shuffled.

    Raises:
        CorpusError: there is none.
        MissingHeadError: the model scores no words.
    """
    found, kept = [], []
    with fused_attention():
        for inputs, _ in trial.windows():
            masked = trial.hide(inputs)
            shuffled = shuffle_unmasked(
                masked,
                inputs.ordinary,
                share=StructPretraining.trigrams,
                generator=trial.generator,
            )
            hidden = trial.model.encode(shuffled.ids, None, inputs.keep)
            row, column = shuffled.weights.nonzero(as_tuple=True)  # three positions a trigram
            position, label = shuffled.positions[row, column], shuffled.labels[row, column]
            logits = trial.model.score_words(hidden[row, position]).float()
            found.append((ranks(logits, label) == 0).view(-1, 3).cpu())
            kept.append((shuffled.ids[row, position] == label).cpu())
    right = torch.cat(found)
    if not len(right):
        raise CorpusError("the text has no three pieces in a row to shuffle")
    return {
        "trigrams_restored": float(right.float().mean()),
        "whole_trigrams_restored": float(right.all(1).float().mean()),
        "trigrams_as_given": float(torch.cat(kept).float().mean()),
        "trigrams": len(right),
    }
