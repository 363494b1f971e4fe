"""SpanBERT's whole loss: which states the boundary head gets, and what it must answer."""

from typing import cast

import pytest
import torch
from torch import Tensor, nn

from core.config import Head
from core.models.architectures.bert import Bert, bert_config
from core.models.heads_span import SpanTrainee
from core.models.registry import build
from core.objectives.layouts import LAYOUTS
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import PairSampler
from core.objectives.span_boundary import SpanBatch, SpanModel, SpanPretraining
from core.training.corpora import TokenCorpus

VOCABULARY = 60


def objective(positions: int = 20, pieces: bool = False) -> SpanPretraining:
    words = torch.randint(10, VOCABULARY, (1200,), generator=torch.Generator().manual_seed(9))
    corpus = TokenCorpus(words.int(), torch.arange(0, 1201, 8), torch.arange(0, 1201, 40))
    specials = Specials(classify=1, separator=2, mask=3, padding=0)
    sampler = PairSampler(corpus, specials, torch.Generator().manual_seed(0), relation=None)
    continues = torch.zeros(VOCABULARY, dtype=torch.bool)
    continues[40:] = pieces
    return SpanPretraining(
        sampler, torch.arange(10, VOCABULARY), continues, tokens=2048, positions=positions
    )


class Known(nn.Module):
    """Hidden states are known; the boundary logits are left plus twice right plus the offset."""

    def __init__(self, hidden: Tensor) -> None:
        super().__init__()
        self.hidden = hidden

    def encode(self, ids: Tensor, segments: Tensor | None, keep: Tensor | None) -> Tensor:
        assert segments is None
        return self.hidden

    def score_words(self, hidden: Tensor) -> Tensor:
        return hidden

    def score_spans(self, left: Tensor, right: Tensor, offset: Tensor) -> Tensor:
        steps = torch.arange(VOCABULARY) * offset[..., None]
        return left + 2 * right + 0.01 * steps


@pytest.mark.parametrize("positions", [20, 2])
def test_both_losses_by_a_loop_over_spans(positions: int) -> None:
    task = objective(positions, pieces=True)
    batch = task.batch_of(LAYOUTS[2])
    assert isinstance(batch, SpanBatch)
    assert batch.keep is not None
    assert (batch.follows == -1).all()
    rows, length = batch.masked.ids.shape
    hidden = torch.randn(rows, length, VOCABULARY, generator=torch.Generator().manual_seed(1))
    found = task.losses(cast(SpanModel, Known(hidden)), batch)
    originals = batch.masked.ids.scatter(1, batch.masked.positions, batch.masked.labels)
    words, boundaries = [], []
    for row in range(rows):
        number = batch.spans.spans.number[row]
        for span in range(1, int(number.max()) + 1):
            inside = (number == span).nonzero()[:, 0].tolist()
            for offset, position in enumerate(inside):
                label = int(originals[row, position])
                words.append(-float(hidden[row, position].log_softmax(0)[label]))
                if offset < positions:
                    left, right = hidden[row, inside[0] - 1], hidden[row, inside[-1] + 1]
                    scores = left + 2 * right + 0.01 * offset * torch.arange(VOCABULARY)
                    boundaries.append(-float(scores.log_softmax(0)[label]))
    assert float(found["masked"]) == pytest.approx(sum(words) / len(words), rel=1e-5)
    assert float(found["boundary"]) == pytest.approx(sum(boundaries) / len(boundaries), rel=1e-5)
    assert float(found["loss"]) == pytest.approx(
        float(found["masked"]) + float(found["boundary"]), rel=1e-6
    )


def test_a_bert_learns_it_beside_a_boundary_head() -> None:
    torch.manual_seed(2)
    config = bert_config(
        vocabulary=VOCABULARY, layers=1, heads=2, width=8, predicts=(Head.MASKED_LANGUAGE,)
    )
    trainee = SpanTrainee(cast(Bert, build(config)).eval())
    task = objective()
    task.losses(cast(SpanModel, trainee), task.batch_of(LAYOUTS[2]))["loss"].backward()
    still = [
        name
        for name, one in trainee.named_parameters()
        if one.grad is None or one.grad.abs().max() == 0
    ]
    assert all("pooler" in name for name in still)
