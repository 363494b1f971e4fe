"""DistilBERT's three losses, by hand and in a real pair of models."""

import math
from typing import cast

import pytest
import torch
from torch.nn import functional

from core.config import Head
from core.errors import ConfigError
from core.models.architectures.bert import Bert, bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.registry import build
from core.objectives.distillation import (
    Distillation,
    DistillationRule,
    direction_loss,
    soft_target_loss,
)
from core.objectives.layouts import LAYOUTS
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import TokenCorpus


def test_soft_targets_by_hand() -> None:
    # At a temperature of 2 the teacher says 3/4 and 1/4, the student 1/2 and 1/2.
    teacher = torch.tensor([[2 * math.log(3.0), 0.0], [9.0, 9.0]])
    student = torch.tensor([[5.0, 5.0], [0.0, 7.0]])
    loss = soft_target_loss(student, teacher, torch.tensor([1.0, 0.0]), temperature=2.0)
    divergence = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    assert loss.total.item() == pytest.approx(4 * divergence, rel=1e-5)
    assert loss.counted.item() == 1


def test_the_squared_temperature_keeps_gradients_as_large() -> None:
    sizes = []
    for temperature in (1.0, 10.0, 100.0):
        torch.manual_seed(0)
        student = (0.01 * torch.randn(4, 6)).requires_grad_()
        teacher = 0.01 * torch.randn(4, 6)
        soft_target_loss(student, teacher, torch.ones(4), temperature).total.backward()
        assert student.grad is not None
        sizes.append(float(student.grad.norm()))
    assert sizes == pytest.approx([sizes[0]] * 3, rel=0.02)


def test_directions_by_hand() -> None:
    student = torch.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    teacher = torch.tensor([[1.0, 0.0], [0.0, -1.0], [5.0, 0.0]])
    loss = direction_loss(student, teacher, torch.tensor([1.0, 1.0, 1.0]))
    assert loss.total.item() == pytest.approx(0 + 2 + (1 - math.sqrt(0.5)), rel=1e-6)
    assert loss.counted.item() == 3


def objective() -> Distillation:
    words = torch.randint(4, 50, (1200,), generator=torch.Generator().manual_seed(9))
    corpus = TokenCorpus(words.int(), torch.arange(0, 1201, 8), torch.arange(0, 1201, 40))
    specials = Specials(classify=1, separator=2, mask=3, padding=0)
    sampler = PairSampler(corpus, specials, torch.Generator().manual_seed(0), relation=None)
    torch.manual_seed(1)
    config = bert_config(
        vocabulary=50,
        layers=2,
        heads=2,
        width=8,
        initial_deviation=0.5,
        predicts=(Head.MASKED_LANGUAGE,),
    )
    teacher = cast(Bert, build(config))
    return Distillation(sampler, torch.arange(4, 50), teacher, tokens=1024)


def student() -> Bert:
    torch.manual_seed(2)
    config = distilbert_config(vocabulary=50, layers=1, heads=2, width=8, initial_deviation=0.5)
    return cast(Bert, build(config)).eval()


def test_the_released_weights_are_5_2_1_at_a_temperature_of_2() -> None:
    task = objective()
    assert task.weights == {"soft": 5.0, "masked": 2.0, "states": 1.0}
    assert task.distilling.temperature == 2.0


def test_losses_are_those_of_torch_over_all_real_tokens() -> None:
    task, model = objective(), student()
    batch = task.batch_of(LAYOUTS[2])
    assert batch.keep is not None
    found = task.losses(model, batch)
    ours = model(batch.masked.ids, None, batch.keep)
    theirs = cast(Bert, task.teacher)(batch.masked.ids, None, batch.keep)
    real = batch.keep
    soft = 4 * functional.kl_div(
        (ours.logits[real] / 2).log_softmax(-1),
        (theirs.logits[real] / 2).softmax(-1),
        reduction="batchmean",
    )
    states = functional.cosine_embedding_loss(
        ours.hidden[real], theirs.hidden[real], torch.ones(int(real.sum()))
    )
    row, index = batch.masked.weights.nonzero(as_tuple=True)
    words = functional.cross_entropy(
        ours.logits[row, batch.masked.positions[row, index]], batch.masked.labels[row, index]
    )
    for name, expected in (("soft", soft), ("masked", words), ("states", states)):
        torch.testing.assert_close(found[name], expected, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(found["loss"], 5 * soft + 2 * words + states, rtol=1e-4, atol=1e-6)


def test_the_teacher_learns_nothing_and_drops_nothing_out() -> None:
    task, model = objective(), student()
    assert not task.teacher.training
    task.losses(model, task.batch_of(LAYOUTS[2]))["loss"].backward()
    assert all(one.grad is None for one in task.teacher.parameters())
    assert all(one.grad is not None for one in model.parameters())


@pytest.mark.parametrize("numbers", [{"temperature": 0.0}, {"soft": -1.0}])
def test_rules_that_are_none_are_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        DistillationRule(**numbers)
