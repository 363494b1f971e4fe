"""Figures of a discriminator: models whose every guess is known give figures computed by hand."""

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, save_checkpoint
from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.evaluation.replaced import (
    ReplacedFigures,
    area_under_curve,
    evaluate_discriminator,
    verdicts_of,
)
from core.models.architectures.electra import electra_config
from core.models.body import Body
from core.models.registry import build
from core.tasks import OtherVocabularyError
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus

LENGTH, ROOM, FIRST, DOCUMENTS = 32, 30, 10, 40


@pytest.mark.parametrize(
    ("scores", "positive", "area"),
    [
        ([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75),
        ([1.0, 2.0, 3.0], [0, 0, 1], 1.0),
        ([1.0, 2.0, 3.0], [1, 0, 0], 0.0),
        ([5.0, 5.0, 5.0, 5.0], [0, 1, 0, 1], 0.5),
        ([1.0, 1.0, 2.0], [1, 0, 0], 0.25),  # below one, level with the other
        ([1.0, 2.0], [1, 1], None),
        ([1.0, 2.0], [0, 0], None),
    ],
)
def test_the_area_counts_ties_half(
    scores: list[float], positive: list[int], area: float | None
) -> None:
    assert area_under_curve(torch.tensor(scores), torch.tensor(positive).bool()) == area


def test_the_area_is_the_share_of_pairs_in_order() -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.randint(0, 30, (400,), generator=generator).float()
    positive = torch.rand(400, generator=generator) < 0.2
    ups, downs = scores[positive][:, None], scores[~positive][None]
    pairs = (ups > downs).double() + 0.5 * (ups == downs).double()
    assert area_under_curve(scores, positive) == pytest.approx(float(pairs.mean()), rel=1e-12)


def test_verdicts_by_hand() -> None:
    scores = torch.tensor([2.0, -1.0, 0.5, -3.0, -0.5, 1.0, -2.0, -2.5])
    replaced = torch.tensor([1, 1, 0, 0, 0, 1, 0, 0]).bool()
    found = verdicts_of(scores, replaced)
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == pytest.approx(2 / 3)
    assert found.f1 == pytest.approx(2 / 3)
    assert (found.accuracy, found.all_original_accuracy) == (6 / 8, 5 / 8)
    assert (found.replaced_share, found.tokens) == (3 / 8, 8)
    assert found.auc == pytest.approx(13 / 15)  # 0.5 and -0.5 stand above -1


@pytest.mark.parametrize("score", [0.0, math.nan])
def test_whoever_does_not_decide_is_never_right(score: float) -> None:
    found = verdicts_of(torch.full((4,), score), torch.tensor([1, 0, 0, 1]).bool())
    assert (found.accuracy, found.recall) == (0.0, 0.0)
    assert (found.auc, found.precision, found.f1) == (
        (0.5, None, None) if score == 0 else (0.0, 0.0, 0.0)
    )
    with pytest.raises(ConfigError):
        verdicts_of(torch.zeros(0), torch.zeros(0).bool())


class Writer(Body):
    """Sure of the original at even positions, of the piece after it at odd ones."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.asked: list[int] = []

    def encode(self, ids: Tensor, segments: None, keep: Tensor) -> Tensor:
        assert keep is not None
        return torch.arange(ids.shape[1]).expand(ids.shape)[..., None]

    def score_words(self, hidden: Tensor) -> Tensor:
        position = hidden[:, 0]
        self.asked += position.tolist()
        chosen = FIRST + position - 1 + position % 2
        return 60.0 * nn.functional.one_hot(chosen, self.vocabulary).float()


class Judge(Body):
    """Sees what is wrong, but not at every third position; accuses position 1 always."""

    def encode(self, ids: Tensor, segments: None, keep: Tensor) -> Tensor:
        return ids[..., None]

    def judge_tokens(self, hidden: Tensor) -> Tensor:
        ids = hidden[..., 0]
        position = torch.arange(ids.shape[1])
        wrong = (ids != FIRST + position - 1) & (position % 3 > 0) | (position == 1)
        return torch.where(wrong, 2.0, -2.0)


def pair(tiny: Checkpoint) -> tuple[Checkpoint, Checkpoint, Writer]:
    config = tiny.config
    writer = Writer(tiny.tokenizer.vocabulary_size)
    judge = replace(tiny, model=Judge(), config=replace(config, heads=(Head.REPLACED_TOKEN,)))
    generator = replace(tiny, model=writer, config=replace(config, heads=(Head.MASKED_LANGUAGE,)))
    return judge, generator, writer


def counting_corpus() -> TokenCorpus:
    total = DOCUMENTS * ROOM
    return TokenCorpus(
        (FIRST + torch.arange(ROOM)).repeat(DOCUMENTS).int(),
        torch.arange(0, total + 1, ROOM // 3),
        torch.arange(0, total + 1, ROOM),
    )


def test_figures_are_those_computed_by_hand(tiny_checkpoint: Checkpoint) -> None:
    judge, generator, writer = pair(tiny_checkpoint)
    found = evaluate_discriminator(judge, generator, counting_corpus(), length=LENGTH)
    tokens, hidden = DOCUMENTS * ROOM, writer.asked
    assert found.generator_places == len(hidden) == DOCUMENTS * round(0.15 * ROOM)
    right = sum(position % 2 == 0 for position in hidden)
    assert 0 < right < len(hidden)
    assert found.generator_top1 == pytest.approx(right / len(hidden))
    assert found.generator_top5 == found.generator_top1, "the others tie"
    assert found.generator_loss == pytest.approx(60 * (1 - right / len(hidden)), rel=1e-4)

    replaced = len(hidden) - right
    hits = sum(position % 2 and position % 3 > 0 for position in hidden)
    at_first = hidden.count(1)
    alarms = DOCUMENTS - at_first
    verdicts = found.verdicts
    assert (verdicts.tokens, verdicts.replaced_share) == (tokens, replaced / tokens)
    assert verdicts.all_original_accuracy == 1 - replaced / tokens
    assert verdicts.accuracy == (tokens - alarms - (replaced - hits)) / tokens
    assert verdicts.precision == pytest.approx(hits / (hits + alarms))
    assert verdicts.recall == pytest.approx(hits / replaced)
    assert verdicts.f1 == pytest.approx(2 * hits / (hits + alarms + replaced))
    originals = tokens - replaced
    above, level = hits * (originals - alarms), hits * alarms
    level += (replaced - hits) * (originals - alarms)
    assert verdicts.auc == pytest.approx((above + level / 2) / (replaced * originals))
    wrong = alarms + replaced - hits
    assert found.loss == pytest.approx(math.log1p(math.exp(-2)) + 2 * wrong / tokens, rel=1e-5)
    assert (found.windows, found.windows_available, found.length) == (DOCUMENTS, DOCUMENTS, LENGTH)


def test_the_seed_decides(tiny_checkpoint: Checkpoint) -> None:
    def figures(seed: int) -> ReplacedFigures:
        judge, generator, _ = pair(tiny_checkpoint)
        return evaluate_discriminator(
            judge, generator, counting_corpus(), length=LENGTH, windows=9, seed=seed
        )

    assert figures(0) == figures(0)
    assert figures(0) != figures(1)
    assert (figures(0).windows, figures(0).windows_available) == (9, DOCUMENTS)


def test_wrong_pairs_and_numbers_are_refused(
    tiny_checkpoint: Checkpoint, word_pieces: Tokenizer
) -> None:
    judge, generator, _ = pair(tiny_checkpoint)
    corpus = counting_corpus()
    for length in (15, 321):
        with pytest.raises(ConfigError, match=f"16 to 320 tokens, not {length}"):
            evaluate_discriminator(judge, generator, corpus, length=length)
    with pytest.raises(ConfigError, match="at least 1 input"):
        evaluate_discriminator(judge, generator, corpus, windows=0)
    with pytest.raises(MissingHeadError):
        evaluate_discriminator(generator, generator, corpus)
    with pytest.raises(MissingHeadError):
        evaluate_discriminator(judge, judge, corpus)
    other: Any = SimpleNamespace(inner=SimpleNamespace(get_vocab=lambda: {"a": 0}))
    with pytest.raises(OtherVocabularyError):
        evaluate_discriminator(judge, replace(generator, tokenizer=other), corpus)


def test_the_verb_measures_both_networks(
    word_pieces: Tokenizer,
    corpus_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    for name, head in (("judge", Head.REPLACED_TOKEN), ("writer", Head.MASKED_LANGUAGE)):
        config = electra_config(
            vocabulary=word_pieces.vocabulary_size,
            embedding_width=16,
            width=16,
            heads=2,
            layers=1,
            max_positions=64,
            predicts=(head,),
        )
        save_checkpoint(build(config), config, word_pieces, tmp_path / name)
    options = ["--text", str(corpus_file), "--length", "64", "--windows", "20", "--json"]
    judge, writer = str(tmp_path / "judge"), str(tmp_path / "writer")
    assert main(["evaluate", judge, "--generator", writer, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["generator"] == writer
    assert 0 < found["replaced_share"] < 0.16
    assert found["generator_loss"] == pytest.approx(math.log(word_pieces.vocabulary_size), rel=0.02)
    assert 0 < found["auc"] < 1
    assert main(["evaluate", writer, *options]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone["loss"] == pytest.approx(math.log(word_pieces.vocabulary_size), rel=0.02)
    assert main(["evaluate", judge, "--json"]) == BAD_INPUT
    assert "measured on --text" in capsys.readouterr().err
