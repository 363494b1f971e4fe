"""Held-out figures: models whose every guess is known give figures computed by hand."""

import math
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.evaluation import hidden_words as evaluation
from core.evaluation.hidden_words import EncoderTrial, Pieces, find_hidden_words
from core.evaluation.options import Figures
from core.evaluation.pairs import judge_pairs, pair_sampler
from core.evaluation.whole_words import Joints
from core.objectives.masking import Masked
from core.objectives.pieces import Specials
from core.objectives.relations import Relation
from core.training.corpora import CorpusError, TokenCorpus

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
LENGTH, ROOM = 32, 30
FIRST, VOCABULARY = 10, 60  # the piece at position p of an input is FIRST + p - 1


def counting_corpus(documents: int, size: int = ROOM) -> TokenCorpus:
    """Documents that all count from FIRST upwards; three sentences each."""
    total = documents * size
    return TokenCorpus(
        (FIRST + torch.arange(size)).repeat(documents).int(),
        torch.arange(0, total + 1, size // 3),
        torch.arange(0, total + 1, size),
    )


class Rigged(nn.Module):
    """Ranks the right piece at position p as p % 7, and notes the positions it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(embedding=SimpleNamespace(max_positions=64))
        self.asked: list[int] = []
        self.rows = 0

    def encode(self, ids: Tensor, segments: None, keep: Tensor) -> Tensor:
        self.rows += len(ids)
        return torch.arange(ids.shape[1]).expand(ids.shape)[..., None]  # where a token stands

    def score_words(self, hidden: Tensor) -> Tensor:
        position = hidden[:, 0]
        self.asked += position.tolist()
        right, rank = FIRST + position - 1, position % 7
        steps = torch.arange(VOCABULARY)[None] - right[:, None] + rank[:, None]
        return -(steps % VOCABULARY).float()  # 0, -1, -2 ... from the best guess on


def pieces(continues: Tensor) -> Pieces:
    joints = Joints(continues, torch.ones_like(continues), marked=True)
    return Pieces(SPECIALS, torch.arange(4, len(continues)), continues, joints)


def evaluate(
    model: nn.Module, corpus: TokenCorpus, continues: Tensor | None = None, **options: Any
) -> Figures:
    if continues is None:
        continues = torch.arange(VOCABULARY) % 3 == 0
    trial = EncoderTrial.of(model, corpus, pieces(continues), **{"length": LENGTH, **options})
    return find_hidden_words(trial) | trial.read()


def test_figures_are_those_computed_by_hand() -> None:
    model = Rigged()
    found = evaluate(model, counting_corpus(40))
    assert found["places"] == len(model.asked) == 40 * round(0.15 * ROOM)
    ranks = [position % 7 for position in model.asked]
    assert found["top1"] == pytest.approx(sum(rank == 0 for rank in ranks) / len(ranks))
    assert found["top5"] == pytest.approx(sum(rank < 5 for rank in ranks) / len(ranks))
    assert 0 < found["top1"] < found["top5"] < 1
    scale = math.log(sum(math.exp(-step) for step in range(VOCABULARY)))
    assert found["loss"] == pytest.approx(
        sum(rank + scale for rank in ranks) / len(ranks), rel=1e-5
    )
    assert found["tokens"] == LENGTH


def test_whole_words_neither_continue_nor_are_continued() -> None:
    model = Rigged()
    found = evaluate(model, counting_corpus(40))

    def continues(position: int) -> bool:
        return position <= ROOM and (FIRST + position - 1) % 3 == 0  # the separator does not

    words = [p for p in model.asked if not continues(p) and not continues(p + 1)]
    assert 0 < len(words) < len(model.asked)
    assert found["whole_word_places"] == len(words)
    assert found["whole_word_top1"] == pytest.approx(sum(p % 7 == 0 for p in words) / len(words))
    assert found["whole_word_top5"] == pytest.approx(sum(p % 7 < 5 for p in words) / len(words))


def test_without_whole_words_there_is_no_such_figure() -> None:
    everything = torch.ones(VOCABULARY, dtype=torch.bool)
    found = evaluate(Rigged(), counting_corpus(2), everything)
    assert (found["whole_word_top1"], found["whole_word_top5"]) == (None, None)
    assert found["whole_word_places"] == 0


def test_all_inputs_are_read_if_they_are_few_enough() -> None:
    model = Rigged()
    found = evaluate(model, counting_corpus(40), windows=40)
    assert found["windows"] == found["windows_available"] == model.rows == 40


def test_of_more_inputs_some_are_drawn_and_their_number_is_said() -> None:
    model = Rigged()
    found = evaluate(model, counting_corpus(40), windows=9)
    assert found["windows"] == model.rows == 9
    assert found["windows_available"] == 40
    assert found["places"] == 9 * round(0.15 * ROOM)


def test_rests_of_documents_are_read_too_unless_they_are_tiny() -> None:
    found = evaluate(Rigged(), counting_corpus(5, size=ROOM + 9))
    assert found["windows_available"] == 10
    found = evaluate(Rigged(), counting_corpus(5, size=ROOM + 6))
    assert found["windows_available"] == 5


def test_the_seed_decides_what_is_hidden_and_drawn() -> None:
    def asked(seed: int) -> list[int]:
        model = Rigged()
        evaluate(model, counting_corpus(40), windows=9, seed=seed)
        return model.asked

    assert asked(0) == asked(0)
    assert asked(0) != asked(1)


@pytest.mark.parametrize("score", [0.0, float("nan")])
def test_a_model_that_cannot_tell_pieces_apart_is_never_right(score: float) -> None:
    class Undecided(Rigged):
        def score_words(self, hidden: Tensor) -> Tensor:
            return torch.full((len(hidden), VOCABULARY), score)

    found = evaluate(Undecided(), counting_corpus(10))
    assert (found["top1"], found["top5"]) == (0.0, 0.0)


class Judge(nn.Module):
    """Knows how the pieces of its corpus are numbered, and so which class a pair is of."""

    def __init__(self, *, honest: bool) -> None:
        super().__init__()
        self.config = SimpleNamespace(embedding=SimpleNamespace(max_positions=64))
        self.honest = honest
        self.judged: list[int] = []

    def encode(self, ids: Tensor, segments: Tensor, keep: Tensor | None = None) -> Tensor:
        last = segments.argmax(1) - 2  # before the first separator
        rows = torch.arange(len(ids))
        follows = ids[rows, last] + 1 == ids[rows, last + 2]
        end = len(ids[0]) - 1 if keep is None else keep.sum(1) - 1
        precedes = ids[rows, end - 1] + 1 == ids[:, 1]
        kind = torch.where(follows, 0, torch.where(precedes, 1, 2))
        self.judged += kind.tolist()
        return kind[:, None, None].expand(*ids.shape, 1)

    def judge_pair(self, hidden: Tensor) -> Tensor:
        classes = torch.arange(3)
        right = hidden[:, 0] == classes
        return (right if self.honest else ~right).float()


class YesOrNo(Judge):
    def judge_pair(self, hidden: Tensor) -> Tensor:
        return super().judge_pair(hidden.clamp(max=1))[:, :2]


# Sentences of six pieces, documents of five; no piece occurs twice.
NUMBERED = TokenCorpus(
    10 + torch.arange(40 * 30, dtype=torch.int32),
    torch.arange(0, 1_201, 6),
    torch.arange(0, 1_201, 30),
)


@pytest.mark.parametrize(("honest", "share"), [(True, 1.0), (False, 0.0)])
@pytest.mark.parametrize("relation", Relation)
def test_pairs_are_judged_by_how_they_really_stand(
    relation: Relation, honest: bool, share: float
) -> None:
    model = (Judge if relation is Relation.STRUCTURE else YesOrNo)(honest=honest)
    trial = EncoderTrial.of(model, NUMBERED, pieces(torch.zeros(2_000) > 0), length=LENGTH)
    found = judge_pairs(trial, pair_sampler(trial, relation), 71)
    counts = [model.judged.count(kind) for kind in range(3)]
    if relation is Relation.NEXT:
        assert found == (share, 71)
        assert sum(counts) == 71
        assert min(counts[0], counts[1] + counts[2]) > 20
    elif relation is Relation.STRUCTURE:
        assert found == (share, 69)
        assert counts == [23, 23, 23]
    elif relation is Relation.ORDER:
        assert found == (share, 70)
        assert counts == [35, 35, 0]
    else:
        assert found == (share, 70)
        assert counts[0] == counts[1] + counts[2] == 35


def test_a_judge_who_cannot_decide_is_never_right() -> None:
    class Undecided(YesOrNo):
        def judge_pair(self, hidden: Tensor) -> Tensor:
            return torch.zeros(len(hidden), 2)

    trial = EncoderTrial.of(
        Undecided(honest=True), NUMBERED, pieces(torch.zeros(2_000) > 0), length=32
    )
    assert judge_pairs(trial, pair_sampler(trial, Relation.NEXT), 40) == (0.0, 40)


def test_a_text_without_pairs_of_a_class_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = EncoderTrial.of(
        YesOrNo(honest=True), NUMBERED, pieces(torch.zeros(2_000) > 0), length=32
    )
    sampler = pair_sampler(trial, Relation.ORDER)
    drawn = sampler.pair(32, LENGTH)
    first_only = drawn.__class__(
        drawn.ids, drawn.segments, drawn.ordinary, drawn.keep, torch.zeros_like(drawn.follows)
    )
    monkeypatch.setattr(sampler, "pair", lambda *_: first_only)
    with pytest.raises(CorpusError, match="too few pairs for 40"):
        judge_pairs(trial, sampler, 40)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"length": 65}, "16 to 64 tokens, not 65"),
        ({"length": 15}, "not 15"),
        ({"length": -1}, "not -1"),
        ({"windows": 0}, "at least 1 input"),
        ({"windows": -3}, "not -3"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        evaluate(Rigged(), counting_corpus(10), **options)


def test_a_text_of_scraps_is_refused() -> None:
    with pytest.raises(CorpusError, match="has 8 tokens"):
        evaluate(Rigged(), counting_corpus(30, size=6))


def every_fifth(ids: Tensor, ordinary: Tensor, *, mask_id: int, **_: Any) -> Masked:
    """Hides positions 5, 10, 15 ... of every input, whatever batch it is in."""
    positions = torch.arange(5, ids.shape[1], 5).expand(len(ids), -1)
    real = ordinary.gather(1, positions)
    labels = ids.gather(1, positions)
    hidden = ids.scatter(1, positions, torch.where(real, mask_id, labels))
    return Masked(hidden, positions, labels, real.float())


def test_figures_do_not_depend_on_who_shares_a_batch(
    monkeypatch: pytest.MonkeyPatch, tiny_checkpoint: Checkpoint, corpus_file: Path
) -> None:
    tokenizer = tiny_checkpoint.tokenizer
    corpus = TokenCorpus.from_files([corpus_file], tokenizer.inner)
    sizes = [end - start for start, end in pairwise(corpus.documents.tolist())]
    assert len({size % 46 for size in sizes}) > 5, "rests of many sizes are padded"
    monkeypatch.setattr(evaluation, "mask_tokens", every_fifth)
    known = Pieces.of(tokenizer, torch.device("cpu"))

    def figures(batch: int) -> Figures:
        monkeypatch.setattr(evaluation, "BATCH", batch)
        return find_hidden_words(EncoderTrial.of(tiny_checkpoint.model, corpus, known, length=48))

    alone = figures(1)
    for batch in (3, 32):
        together = figures(batch)
        assert together["loss"] == pytest.approx(alone["loss"], rel=1e-5)
        assert {**together, "loss": 0} == {**alone, "loss": 0}
