"""Determinism, and that a resumed run is the run it resumes, bit for bit."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints import Checkpoint
from core.models.architectures.bert import Bert, bert_config
from core.models.registry import build
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.layouts import layouts_within
from core.objectives.pieces import ordinary_ids, specials_of
from core.objectives.sentence_pairs import PairSampler
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus
from core.training.loop import LoopSettings, StepEvent, train
from core.training.optimisers import adamw
from core.training.schedules import Budget, Schedule
from core.training.state import FILE, ResumeError, RunState, load_state, save_state

STEPS, CUT = 12, 5
SETTINGS = LoopSettings(peak_rate=1e-2, schedule=Schedule(warm_up=0.3), report_every=1)


@pytest.fixture(scope="module")
def corpus(corpus_file: Path, word_pieces: Tokenizer) -> TokenCorpus:
    return TokenCorpus.from_files([corpus_file], word_pieces.inner)


@dataclass
class Run:
    """A model with everything that trains it, made from two seeds."""

    corpus: TokenCorpus
    tokenizer: Tokenizer
    weights: int = 0
    seed: int = 0
    dropout: float = 0.0
    width: int = 16
    layers: int = 2

    def __post_init__(self) -> None:
        torch.manual_seed(self.weights)
        config = bert_config(
            vocabulary=self.tokenizer.vocabulary_size,
            layers=self.layers,
            heads=2,
            width=self.width,
            max_positions=64,
            dropout=self.dropout,
            attention_dropout=self.dropout,
        )
        self.model = cast(Bert, build(config))
        self.generator = torch.Generator().manual_seed(self.seed)
        self.objective = BertPretraining(
            PairSampler(self.corpus, specials_of(self.tokenizer), self.generator, longest=64),
            ordinary_ids(self.tokenizer),
            tokens=256,
            layouts=layouts_within(64),
        )
        self.optimiser = adamw(self.model)
        self.state = RunState()

    def steps(self, count: int = STEPS) -> list[StepEvent]:
        """Some steps of a run of twelve."""
        budget = Budget(steps=STEPS, spent=self.state.seconds)
        events = train(self.model, self.objective, self.optimiser, budget, SETTINGS, self.state)
        return list(islice(events, count))

    def save(self, folder: Path) -> None:
        save_state(folder, self.state, self.model, self.optimiser, self.generator)

    def load(self, folder: Path) -> None:
        self.state = load_state(folder, self.model, self.optimiser, self.generator)

    def tensors(self) -> dict[str, Tensor]:
        return {name: value.clone() for name, value in self.model.state_dict().items()}


def same(one: dict[str, Tensor], two: dict[str, Tensor]) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)


def numbers(events: list[StepEvent]) -> list[tuple[object, ...]]:
    return [(e.step, e.losses, e.rate, e.gradient_norm, e.tokens, e.progress) for e in events]


def test_a_seed_decides_everything(corpus: TokenCorpus, word_pieces: Tokenizer) -> None:
    first, again = Run(corpus, word_pieces), Run(corpus, word_pieces)
    assert numbers(first.steps()) == numbers(again.steps())
    assert same(first.tensors(), again.tensors())
    other = Run(corpus, word_pieces, seed=1)
    other.steps()
    assert not same(first.tensors(), other.tensors())


@pytest.mark.parametrize("dropout", [0.0, 0.2])
def test_a_resumed_run_is_the_uninterrupted_one_step_for_step(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path, dropout: float
) -> None:
    whole = Run(corpus, word_pieces, dropout=dropout)
    expected = whole.steps()
    assert len(expected) == STEPS

    begun = Run(corpus, word_pieces, dropout=dropout)
    before = begun.steps(CUT)
    begun.save(tmp_path)
    # A new process: other first weights, other draws, an optimiser that remembers nothing.
    resumed = Run(corpus, word_pieces, weights=3, seed=4, dropout=dropout)
    torch.manual_seed(5)
    resumed.load(tmp_path)
    assert resumed.state == begun.state
    assert resumed.state.step == CUT
    after = resumed.steps()

    assert numbers(before + after) == numbers(expected)
    assert [event.step for event in after] == list(range(CUT + 1, STEPS + 1))
    assert same(resumed.tensors(), whole.tensors())
    assert after[0].seconds > before[-1].seconds


def test_forgetting_any_part_of_the_state_would_show(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    whole = Run(corpus, word_pieces)
    whole.steps()
    begun = Run(corpus, word_pieces)
    begun.steps(CUT)
    begun.save(tmp_path)
    for forgotten in ("optimiser.exp_avg.", "optimiser.step.", "generator"):
        tensors = load_file(tmp_path / FILE)
        other = Run(corpus, word_pieces, seed=9)
        replaced = {
            key: other.generator.get_state() if key == "generator" else torch.zeros_like(value)
            for key, value in tensors.items()
            if key.startswith(forgotten)
        }
        assert replaced
        damaged = tmp_path / forgotten
        damaged.mkdir()
        metadata = {"run": '{"step": 5, "seconds": 0.0, "tokens": 0}'}
        save_file({**tensors, **replaced}, damaged / FILE, metadata=metadata)
        other.load(damaged)
        other.steps()
        assert not same(other.tensors(), whole.tensors()), forgotten


def test_saving_twice_leaves_one_file(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    run = Run(corpus, word_pieces)
    for _ in range(2):
        run.steps(1)
        run.save(tmp_path / "deep" / "folder")
    assert [path.name for path in (tmp_path / "deep" / "folder").iterdir()] == [FILE]
    again = Run(corpus, word_pieces)
    again.load(tmp_path / "deep" / "folder")
    assert again.state.step == 2


def test_there_must_be_a_saved_run(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    with pytest.raises(ResumeError, match="no saved run in"):
        Run(corpus, word_pieces).load(tmp_path / "nowhere")


@pytest.mark.parametrize("changes", [{"width": 24}, {"layers": 1}, {"layers": 3}])
def test_another_model_is_refused_and_left_as_it_was(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path, changes: dict[str, int]
) -> None:
    Run(corpus, word_pieces).save(tmp_path)
    other = Run(corpus, word_pieces, weights=1, **changes)
    before, state = other.tensors(), other.generator.get_state()
    with pytest.raises(ResumeError, match="another model"):
        other.load(tmp_path)
    assert same(other.tensors(), before)
    assert torch.equal(other.generator.get_state(), state)


def test_a_run_of_another_kind_of_device_is_refused(
    corpus: TokenCorpus, word_pieces: Tokenizer, tmp_path: Path
) -> None:
    run = Run(corpus, word_pieces)
    run.save(tmp_path)
    tensors = load_file(tmp_path / FILE)
    tensors["generator"] = torch.zeros(16, dtype=torch.uint8)  # as long as a GPU's
    save_file(tensors, tmp_path / FILE, metadata={"run": '{"step": 1}'})
    with pytest.raises(ResumeError, match="another kind of device"):
        run.load(tmp_path)


def test_files_of_something_else_are_refused(
    corpus: TokenCorpus,
    word_pieces: Tokenizer,
    tiny_checkpoint: Checkpoint,
    tmp_path: Path,
) -> None:
    run = Run(corpus, word_pieces)
    save_file(tiny_checkpoint.model.state_dict(), tmp_path / FILE)
    with pytest.raises(ResumeError, match="is not a saved run"):
        run.load(tmp_path)
    (tmp_path / FILE).write_bytes(b"no such thing")
    with pytest.raises(ResumeError, match="damaged"):
        run.load(tmp_path)
