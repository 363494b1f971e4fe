"""XLNet's loss is that of its query stream, which must not see what it predicts."""

from dataclasses import replace
from typing import cast

import pytest
import torch

from core.models.architectures.xlnet import xlnet_config
from core.models.permutation import PermutationBody
from core.models.registry import build
from core.objectives.layouts import Layout
from core.objectives.permutation_lm import PermutationPretraining
from core.objectives.pieces import Specials
from core.objectives.texts import TextSampler
from core.training.corpora import TokenCorpus

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
FULL, SHORT = Layout(share=0.5, length=24), Layout(share=0.5, length=12, short=True)


def objective(memory: int = 0) -> PermutationPretraining:
    tokens = torch.arange(4, 604, dtype=torch.int32) % 90 + 4
    corpus = TokenCorpus(tokens, torch.arange(0, 601, 8), torch.arange(0, 601, 40))
    sampler = TextSampler(corpus, torch.Generator().manual_seed(0), longest=24 + memory)
    return PermutationPretraining(
        sampler, SPECIALS, tokens=120, layouts=(FULL, SHORT), memory=memory
    )


def model() -> PermutationBody:
    torch.manual_seed(1)
    config = xlnet_config(
        vocabulary=100, layers=2, heads=2, width=8, feed_forward=16, initial_deviation=0.5
    )
    return cast(PermutationBody, build(config)).eval()


def test_texts_end_with_their_separators() -> None:
    full = objective().batch_of(FULL)
    assert full.ids.shape == (5, 24)
    assert full.ids[:, -2:].tolist() == [[2, 1]] * 5
    assert full.keep is None
    short = objective().batch_of(SHORT)
    assert short.ids[:, 8:].tolist() == [[2, 1, 0, 0]] * 10
    assert short.keep is not None
    assert short.keep.sum(1).tolist() == [10] * 10
    for batch in (full, short):
        assert torch.equal(batch.labels, batch.ids.gather(1, batch.orders.targets))


def test_the_loss_is_over_the_targets_of_the_query_stream() -> None:
    task, xlnet = objective(), model()
    batch = task.batch_of(SHORT)
    orders = batch.orders
    output = xlnet(batch.ids, None, batch.keep, order=orders.before, targets=orders.targets)
    row, position = orders.weights.nonzero(as_tuple=True)
    likely = output.logits.log_softmax(-1)[row, position]
    expected = -likely.gather(1, batch.labels[row, position][:, None]).mean()
    torch.testing.assert_close(task.losses(xlnet, batch)["loss"], expected)


def test_no_prediction_sees_its_own_token_or_a_later_one() -> None:
    task, xlnet = objective(), model()
    batch = task.batch_of(FULL)
    orders = batch.orders

    def predictions(ids: torch.Tensor) -> torch.Tensor:
        read = xlnet(ids, order=orders.before, targets=orders.targets)
        return cast(torch.Tensor, read.logits)

    plain = predictions(batch.ids)
    rank = orders.rank.gather(1, orders.targets)
    for number in range(orders.targets.shape[1]):
        changed = batch.ids.scatter(1, orders.targets[:, number : number + 1], 99)
        moved = (predictions(changed) - plain).abs().amax(-1) > 1e-6
        assert torch.equal(moved, rank > rank[:, number : number + 1])


def test_earlier_text_is_remembered() -> None:
    task, xlnet = objective(memory=16), model()
    batch = task.batch_of(FULL)
    assert batch.earlier is not None
    assert batch.tokens == 5 * (16 + 24)
    step = (batch.ids[:, 0] - batch.earlier[:, -1]) % 90
    assert (step == 1).all(), "the text goes on where the memory ends"
    with_memory = task.losses(xlnet, batch)["loss"]
    assert with_memory != task.losses(xlnet, replace(batch, earlier=None))["loss"]


def test_every_parameter_learns() -> None:
    task, xlnet = objective(), model()
    task.losses(xlnet, task.batch_of(FULL))["loss"].backward()
    still = [
        name
        for name, one in xlnet.named_parameters()
        if one.grad is None or one.grad.abs().max() == 0
    ]
    assert [name for name in still if "segment" not in name] == []


def test_batches_repeat_with_the_seed_and_looking_changes_nothing() -> None:
    plain, looked_at = objective(), objective()
    assert len(looked_at.shapes()) == 2
    for step in range(4):
        one, other = plain.batch(step), looked_at.batch(step)
        assert torch.equal(one.ids, other.ids)
        assert torch.equal(one.orders.before, other.orders.before)
    assert plain.batch(0).ids.shape == pytest.approx((5, 24))
