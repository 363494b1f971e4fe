"""BERT's objectives: which batches come, and what their losses are, by hand."""

from collections import Counter
from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import Tensor, nn

from core.config import FINE_TUNED_HEADS, Head
from core.errors import MissingHeadError
from core.models.architectures.bert import Bert, bert_config
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.hidden_words import PretrainingBatch
from core.objectives.layouts import LAYOUTS, Layout, layouts_within
from core.objectives.masking import Masked
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import TokenCorpus

PRETRAINED = tuple(head for head in Head if head not in FINE_TUNED_HEADS)

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
ORDINARY = torch.arange(4, 50)


def objective(seed: int = 0, tokens: int = 2_048) -> BertPretraining:
    total = 30 * 40  # documents of five sentences of eight tokens
    words = torch.randint(4, 50, (total,), generator=torch.Generator().manual_seed(9))
    corpus = TokenCorpus(words.int(), torch.arange(0, total + 1, 8), torch.arange(0, total + 1, 40))
    sampler = PairSampler(corpus, SPECIALS, torch.Generator().manual_seed(seed))
    return BertPretraining(sampler, ORDINARY, tokens=tokens)


def small_bert(predicts: tuple[Head, ...] = PRETRAINED) -> Bert:
    torch.manual_seed(2)
    config = bert_config(
        vocabulary=50, layers=1, heads=2, width=8, initial_deviation=0.5, predicts=predicts
    )
    return cast(Bert, build(config)).eval()


def kind(batch: PretrainingBatch) -> tuple[int, bool]:
    return batch.masked.ids.shape[1], batch.keep is not None


def test_layouts_come_in_their_shares_over_any_stretch_of_steps() -> None:
    task = objective(tokens=1)  # two rows a batch: only the shape matters
    for first in (0, 317):
        seen = Counter(kind(task.batch(step)) for step in range(first, first + 300))
        assert seen[128, False] == pytest.approx(0.82 * 300, abs=3)
        assert seen[512, False] == pytest.approx(0.08 * 300, abs=3)
        assert seen[64, True] == pytest.approx(0.10 * 300, abs=3)
    assert sum(layout.share for layout in LAYOUTS) == pytest.approx(1.0)


def test_the_layout_of_a_step_depends_on_nothing_else() -> None:
    one, other = objective(seed=0, tokens=1), objective(seed=5, tokens=1)
    assert [kind(one.batch(step)) for step in range(40)] == [
        kind(other.batch(step)) for step in reversed(range(40))
    ][::-1]


def test_a_batch_holds_about_the_same_number_of_tokens_in_every_layout() -> None:
    task = objective()
    for layout, batch in zip(LAYOUTS, task.shapes(), strict=True):
        rows, length = batch.masked.ids.shape
        assert (rows, length) == (2_048 // layout.length, layout.length)
        assert batch.tokens == rows * length == 2_048
        assert batch.segments is not None
        assert batch.segments.shape == batch.masked.ids.shape
        assert batch.follows.shape == (rows,)
        assert (batch.keep is not None) == layout.short
        paired = int((batch.follows >= 0).sum())
        if not layout.short:
            assert paired == round(rows * layout.pairs)


def test_batches_repeat_with_the_seed() -> None:
    first, again, other = objective(), objective(), objective(seed=1)
    for step in range(8):
        ids = first.batch(step).masked.ids
        assert torch.equal(ids, again.batch(step).masked.ids)
        assert not torch.equal(ids, other.batch(step).masked.ids)


def test_looking_at_the_shapes_changes_no_batch() -> None:
    plain, looked_at = objective(), objective()
    looked_at.shapes()
    assert torch.equal(plain.batch(0).masked.ids, looked_at.batch(0).masked.ids)


def test_layouts_are_cut_to_the_positions_of_the_model() -> None:
    assert layouts_within(512) == LAYOUTS
    assert [layout.length for layout in layouts_within(100)] == [100, 100, 64]
    assert [layout.share for layout in layouts_within(100)] == [0.82, 0.08, 0.10]


class Known(nn.Module):
    """Stands in for a BERT; its results are written down."""

    def __init__(self, hidden: Tensor, pair_logits: Tensor) -> None:
        super().__init__()
        self.hidden, self.pair_logits = hidden, pair_logits

    def encode(self, ids: Tensor, segments: Tensor, keep: Tensor | None) -> Tensor:
        return self.hidden

    def score_words(self, hidden: Tensor) -> Tensor:
        return hidden  # [batch, position, vocabulary]: the width is the vocabulary

    def judge_pair(self, hidden: Tensor) -> Tensor:
        return self.pair_logits


def test_losses_are_means_over_real_positions_and_real_pairs() -> None:
    hidden = torch.zeros(2, 4, 3)
    hidden[0, 1] = torch.tensor([2.0, 0.0, 0.0])
    hidden[0, 3] = torch.tensor([0.0, 1.0, 5.0])
    hidden[1, 2] = torch.tensor([0.0, 3.0, 0.0])
    hidden[1, 0] = 100.0 * torch.eye(3)[0]  # what is padding counts for nothing
    masked = Masked(
        ids=torch.zeros(2, 4, dtype=torch.long),
        positions=torch.tensor([[1, 3], [2, 0]]),
        labels=torch.tensor([[0, 1], [2, 1]]),
        weights=torch.tensor([[1.0, 1.0], [1.0, 0.0]]),
    )
    judged = torch.tensor([[1.0, 0.0], [50.0, -50.0]])
    batch = PretrainingBatch(masked, torch.zeros(2, 4), None, torch.tensor([1, -1]))
    found = objective().losses(cast(Bert, Known(hidden, judged)), batch)

    def nats(logits: list[float], right: int) -> float:
        exponents = torch.tensor(logits).exp()
        return float(-(exponents[right] / exponents.sum()).log())

    words = [nats([2, 0, 0], 0), nats([0, 1, 5], 1), nats([0, 3, 0], 2)]
    assert float(found["masked"]) == pytest.approx(sum(words) / 3, rel=1e-5)
    assert float(found["follows"]) == pytest.approx(nats([1, 0], 1), rel=1e-5)
    assert float(found["loss"]) == pytest.approx(
        float(found["masked"]) + float(found["follows"]), rel=1e-6
    )


def test_without_a_pair_only_words_count() -> None:
    task = objective()
    batch = task.batch_of(Layout(share=1.0, length=64))
    assert (batch.follows == -1).all()
    found = task.losses(small_bert(), batch)
    assert found["follows"].item() == 0.0
    assert torch.equal(found["loss"], found["masked"])


def test_the_loss_is_that_of_the_whole_model_at_the_hidden_positions() -> None:
    task, model = objective(), small_bert()
    batch = task.batch_of(LAYOUTS[2])
    output = model(batch.masked.ids, batch.segments, batch.keep)
    row, position = batch.masked.weights.nonzero(as_tuple=True)
    likely = output.logits[row, batch.masked.positions[row, position]].log_softmax(-1)
    expected = -likely.gather(1, batch.masked.labels[row, position][:, None]).mean()
    torch.testing.assert_close(task.losses(model, batch)["masked"], expected)


def test_padding_changes_no_loss() -> None:
    task, model = objective(), small_bert()
    batch = task.batch_of(LAYOUTS[2])
    assert batch.keep is not None
    noise = torch.randint(4, 50, batch.masked.ids.shape)
    noisy = replace(batch.masked, ids=torch.where(batch.keep, batch.masked.ids, noise))
    before = task.losses(model, batch)
    after = task.losses(model, replace(batch, masked=noisy))
    for name, value in before.items():
        torch.testing.assert_close(after[name], value, atol=1e-6, rtol=1e-6)


def test_every_parameter_learns() -> None:
    task, model = objective(), small_bert()
    task.losses(model, task.batch(0))["loss"].backward()
    sizes = {
        name: 0.0 if one.grad is None else float(one.grad.abs().max())
        for name, one in model.named_parameters()
    }
    # The softmax cannot tell a constant that is added to all keys.
    flat = [name for name, size in sizes.items() if size < 1e-7]
    assert flat == ["encoder.layers.0.attention.key_projection.bias"]


def test_a_model_without_a_head_is_refused() -> None:
    task = objective()
    model = small_bert(predicts=())
    with pytest.raises(MissingHeadError):
        task.losses(model, task.batch(0))
