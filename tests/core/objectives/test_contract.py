"""What the training loop relies on, for every objective with a model of its own."""

from array import array
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest
import torch
from torch import nn

from core.config import Head
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.gpt import gpt_config
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.structbert import structbert_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.xlnet import xlnet_config
from core.models.electra_pair import ElectraPair
from core.models.heads_span import SpanTrainee
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.causal_lm import CausalPretraining, pack_documents
from core.objectives.distillation import Distillation
from core.objectives.inputs import Inputs
from core.objectives.labelled_files import Example, LabelledTask, Row
from core.objectives.labelled_tasks import LabelledTasks
from core.objectives.layouts import Layout
from core.objectives.losses import LossSum, mean_losses
from core.objectives.objective import SummedObjective
from core.objectives.permutation_lm import PermutationPretraining
from core.objectives.pieces import Specials
from core.objectives.relations import Relation
from core.objectives.replaced_tokens import ReplacedTokens, SecondLoss
from core.objectives.sentence_pairs import PairSampler
from core.objectives.sized_blanks import SizedBlanks
from core.objectives.span_boundary import SpanPretraining
from core.objectives.span_corruption import SpanCorruption
from core.objectives.static_masking import FixedTexts, StaticMasking
from core.objectives.texts import TextSampler
from core.objectives.translation import ParallelTexts, Translation
from core.objectives.word_order import StructPretraining
from core.task_config import TaskConfig, TaskKind
from core.training.corpora import TokenCorpus

V = 60
ORDINARY = torch.arange(4, V)
CONTINUES = torch.arange(V) >= 45
SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
LAYOUTS = (Layout(share=0.6, length=32, pairs=0.5), Layout(share=0.4, length=20, short=True))
Case = tuple[SummedObjective[Any, Any], nn.Module]


def corpus() -> TokenCorpus:
    words = torch.randint(4, V, (1200,), generator=torch.Generator().manual_seed(9))
    return TokenCorpus(words.int(), torch.arange(0, 1201, 8), torch.arange(0, 1201, 40))


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def pairs(relation: Relation | None = None) -> PairSampler:
    return PairSampler(corpus(), SPECIALS, generator(), longest=32, relation=relation)


def texts() -> TextSampler:
    return TextSampler(corpus(), generator(), longest=64)


def bert(*heads: Head) -> nn.Module:
    return build(bert_config(vocabulary=V, layers=1, heads=2, width=8, predicts=heads))


WORDS = Head.MASKED_LANGUAGE


def next_sentence() -> Case:
    task = BertPretraining(pairs(Relation.NEXT), ORDINARY, tokens=128, layouts=LAYOUTS)
    return task, bert(WORDS, Head.NEXT_SENTENCE)


def words_only() -> Case:
    return BertPretraining(pairs(), ORDINARY, tokens=128, layouts=LAYOUTS), bert(WORDS)


def sentence_order() -> Case:
    task = BertPretraining(pairs(Relation.ORDER), ORDINARY, tokens=128, layouts=LAYOUTS)
    config = albert_config(vocabulary=V, embedding_width=4, layers=2, heads=2, width=8)
    return task, build(config)


def static() -> Case:
    inputs: Inputs = pairs().text(12, 32)
    masking = StaticMasking(
        inputs.ids,
        inputs.ordinary,
        copies=2,
        mask_id=3,
        ordinary_ids=ORDINARY,
        generator=generator(),
    )
    return FixedTexts(inputs, masking, rows=4, generator=generator()), bert(WORDS)


def spans() -> Case:
    task = SpanPretraining(pairs(), ORDINARY, CONTINUES, tokens=128, layouts=LAYOUTS)
    return task, SpanTrainee(cast(Any, bert(WORDS)))


def permutation() -> Case:
    config = xlnet_config(vocabulary=V, layers=1, heads=2, width=8, feed_forward=16)
    task = PermutationPretraining(texts(), SPECIALS, tokens=128, layouts=LAYOUTS, memory=8)
    return task, build(config)


def replaced(second: SecondLoss) -> Case:
    task = ReplacedTokens(pairs(), ORDINARY, tokens=128, layouts=LAYOUTS, second=second)
    both = (WORDS, Head.REPLACED_TOKEN)
    networks = [
        cast(
            Any,
            build(
                electra_config(
                    vocabulary=V,
                    embedding_width=8,
                    width=width,
                    heads=2,
                    layers=1,
                    predicts=predicts,
                )
            ),
        )
        for width, predicts in ((4, both[:1]), (8, both))
    ]
    return task, ElectraPair(*networks)


def distillation() -> Case:
    task = Distillation(pairs(), ORDINARY, cast(Any, bert(WORDS)), tokens=128, layouts=LAYOUTS)
    return task, build(distilbert_config(vocabulary=V, layers=1, heads=2, width=8))


def structure() -> Case:
    config = structbert_config(vocabulary=V, layers=1, heads=2, width=8)
    sampler = pairs(Relation.STRUCTURE)
    return StructPretraining(sampler, ORDINARY, tokens=128, layouts=LAYOUTS), build(config)


def causal() -> Case:
    task = CausalPretraining(pack_documents(corpus(), 1), generator(), tokens=128, length=32)
    return task, build(gpt_config(vocabulary=V, layers=1, heads=2, width=8))


def text_to_text() -> nn.Module:
    sizes: Any = {"layers": 1, "heads": 2, "head_size": 4, "width": 8, "feed_forward": 16}
    return build(t5_config(vocabulary=V, **sizes, initial_factor=0.1))


def translation() -> Case:
    table = ParallelTexts.from_ids(
        [([5, 6, 7], [8] * (1 + n)) for n in range(9)], end_id=1, padding_id=0
    )
    task = Translation(table, generator(), tokens=64, start_id=0, padding_id=0)
    return task, text_to_text()


def corruption() -> Case:
    return SpanCorruption(texts(), torch.arange(20, 40), tokens=128, length=32), text_to_text()


def blanks() -> Case:
    task = SizedBlanks(
        texts(),
        CONTINUES,
        torch.arange(V) == 44,
        torch.arange(20, 40),
        torch.arange(4, 20),
        tokens=128,
        layouts=LAYOUTS,
    )
    return task, text_to_text()


def labelled() -> Case:
    kinds = (TaskKind.CLASSES, TaskKind.SIMILARITY, TaskKind.RANKING, TaskKind.ANSWER_NETWORK)
    rows = [Row(array("i", range(4, 9 + n)), 3) for n in range(5)]
    tasks = [
        LabelledTask(
            TaskConfig(kind.value, kind),
            tuple(
                Example((row, rows[0]) if kind is TaskKind.RANKING else (row,), float(number % 2))
                for number, row in enumerate(rows)
            ),
        )
        for kind in kinds
    ]
    config = mtdnn_config(
        vocabulary=V, layers=1, heads=2, width=8, tasks=tuple(task.config for task in tasks)
    )
    return LabelledTasks(tasks, generator(), tokens=48, padding_id=0), build(config)


CASES: dict[str, Callable[[], Case]] = {
    "words and next sentence": next_sentence,
    "words": words_only,
    "words and sentence order": sentence_order,
    "words, order of words and of sentences": structure,
    "static masks": static,
    "spans and boundaries": spans,
    "permutation": permutation,
    **{f"replaced, {one.value}": partial(replaced, one) for one in SecondLoss},
    "distillation": distillation,
    "causal": causal,
    "translation": translation,
    "span corruption": corruption,
    "sized blanks": blanks,
    "labelled tasks": labelled,
}


@pytest.mark.parametrize("name", CASES)
def test_counts_are_known_beforehand_and_parts_add_up_to_the_whole(name: str) -> None:
    torch.manual_seed(1)
    task, model = CASES[name]()
    model.eval()
    batches = [task.batch(step) for step in range(3)]
    terms = [task.terms(model, batch) for batch in batches]
    for batch, found in zip(batches, terms, strict=True):
        counted = task.counts(batch)
        assert list(counted) == list(found)
        for key, term in found.items():
            assert term.counted.dtype == counted[key].dtype == torch.float32
            assert term.counted.item() == counted[key].item(), key
    # Not every batch has every term: one of labelled tasks has that of its own.
    found_of = {key: [one[key] for one in terms if key in one] for one in terms for key in one}
    summed = {
        key: LossSum(
            torch.stack([one.total for one in found]).sum(),
            torch.stack([one.counted for one in found]).sum(),
        )
        for key, found in found_of.items()
    }
    together = {key: one.counted for key, one in summed.items()}
    parts = [task.losses(model, batch, together)["loss"] for batch in batches]
    whole = mean_losses(summed, task.weights)["loss"]
    torch.testing.assert_close(torch.stack(parts).sum(), whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_losses_start_near_chance_level_and_have_gradients(name: str) -> None:
    torch.manual_seed(1)
    task, model = CASES[name]()
    found = task.losses(model.eval(), task.batch(0))
    assert found["loss"].isfinite()
    for key in ("masked", "boundary", "predicted", "next", "shuffled", "target"):
        if key in found:
            assert found[key].item() == pytest.approx(torch.tensor(float(V)).log().item(), rel=0.2)
    found["loss"].backward()
    largest = max(float(one.grad.abs().max()) for one in model.parameters() if one.grad is not None)
    assert 0 < largest < float("inf")


@pytest.mark.parametrize("name", CASES)
def test_batches_repeat_with_their_seed_whatever_was_looked_at(name: str) -> None:
    torch.manual_seed(1)
    (plain, model), (other, _) = CASES[name](), CASES[name]()
    shapes = other.shapes()
    assert shapes
    for step in range(3):
        one, again = plain.batch(step), other.batch(step)
        assert one.tokens == again.tokens > 0
        losses = [
            task.losses(model.eval(), batch)["loss"].item()
            for task, batch in ((plain, one), (plain, again))
        ]
        assert losses[0] == losses[1]
