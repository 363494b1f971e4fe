"""How often a SpanBERT finds hidden spans, from everything and from their two boundaries alone."""

from __future__ import annotations

import torch

from core.evaluation.guesses import Guesses
from core.evaluation.hidden_words import EncoderTrial
from core.evaluation.options import Figures
from core.models.blocks.attention import fused_attention
from core.objectives.masking import MaskingRule
from core.objectives.span_masking import SpanLengths, mask_spans

_POSITIONS = 20  # tokens of a span that the boundary head tells apart, as in training


@torch.inference_mode()
def find_hidden_spans(trial: EncoderTrial) -> Figures:
    """``span_`` and ``boundary_`` figures: ``top1``, ``top5``, ``loss`` and ``places`` each.

    15 % of the pieces are hidden in spans of whole words, as in training. Both heads guess the same
    pieces, the second those among the first 20 of their span.

    Raises:
        MissingHeadError: the model has no such head.
    """
    spans, boundaries = Guesses(), Guesses()
    model, pieces = trial.model, trial.pieces
    with fused_attention():
        for inputs, words in trial.windows():
            found = mask_spans(
                inputs.ids,
                inputs.ordinary,
                pieces.continues[inputs.ids],
                rule=MaskingRule(),
                lengths=SpanLengths(),
                mask_id=pieces.specials.mask,
                ordinary_ids=pieces.ordinary,
                generator=trial.generator,
            )
            masked = found.masked
            hidden = model.encode(masked.ids, None, inputs.keep)
            row, column = masked.weights.nonzero(as_tuple=True)
            position, label = masked.positions[row, column], masked.labels[row, column]
            spans.add(model.score_words(hidden[row, position]), label, words[row, position])

            near = found.offset[row, column] < _POSITIONS
            row, column = row[near], column[near]
            logits = model.score_spans(
                hidden[row, found.left[row, column]][None],
                hidden[row, found.right[row, column]][None],
                found.offset[row, column][None],
            )[0]
            boundaries.add(logits, label[near], words[row, position[near]])
    return spans.figures("span_", words=False) | boundaries.figures("boundary_", words=False)
