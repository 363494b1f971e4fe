"""Hidden words without anything about pairs: how a fresh RoBERTa is trained."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import Positions
from core.tokenisation.training import ROBERTA_FRAME, VocabularyKind, train_tokenizer
from core.training.corpora import TokenCorpus
from core.training.material import Material
from core.training.recipes import recipe_of

Train = Callable[..., int]


@pytest.fixture
def train(corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    texts = corpus_file.read_text().splitlines()
    tokenizer = train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, texts, 400, frame=ROBERTA_FRAME)
    tokenizer.to_file(tmp_path / "tokenizer.json")

    def run(objective: str, *flags: str) -> int:
        sizes = ["--layers", "1", "--width", "16", "--heads", "2", "--positions", "64"]
        folders = ["--run", str(tmp_path / "run"), "--out", str(tmp_path / "out")]
        steps = ["--steps", "4", "--report-every", "2", "--batch-tokens", "256"]
        data = ["--data", str(corpus_file)]
        return main(["train", objective, *sizes, *folders, *steps, *data, *flags])

    return run


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


def test_a_fresh_roberta_learns_hidden_words_and_nothing_about_pairs(
    train: Train, tmp_path: Path, corpus_file: Path
) -> None:
    assert train("mlm", "--system", "roberta", "--tokenizer", str(tmp_path / "tokenizer.json")) == 0
    events = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    assert [set(json.loads(line)["losses"]) for line in events] == [{"loss", "masked"}] * 2
    start = opened(tmp_path / "out")
    tables = start.config.embedding
    assert (start.config.system, tables.max_positions, tables.segments) == ("roberta", 64, 1)
    assert (tables.positions, tables.padding_id) == (Positions.AFTER_PADDING, 1)
    recipe = recipe_of("mlm", "roberta")
    corpus = TokenCorpus.from_files([corpus_file], start.tokenizer.inner)
    generator = torch.Generator().manual_seed(0)
    objective = recipe.task(
        Material(start.config, start.tokenizer, corpus, generator, tokens=256, length=64)
    )
    for batch in objective.shapes():
        assert batch.segments is None
        for special in (start.tokenizer.cls_id, start.tokenizer.sep_id):
            assert (batch.masked.ids == special).sum(1).unique().tolist() == [1], "one text each"


def test_what_has_learnt_so_goes_on_so(train: Train, tmp_path: Path) -> None:
    assert train("mlm", "--system", "roberta", "--tokenizer", str(tmp_path / "tokenizer.json")) == 0
    (tmp_path / "out").rename(tmp_path / "first")
    assert train("mlm", "--start", str(tmp_path / "first")) == 0
    assert opened(tmp_path / "out").config == opened(tmp_path / "first").config


@pytest.mark.parametrize(
    ("objective", "flags", "said"),
    [
        ("mlm", ["--system", "gpt"], "mlm is learnt by bert, roberta, not by gpt"),
        ("clm", ["--system", "roberta"], "clm is learnt by gpt, llama, not by roberta"),
        ("mlm", ["--system", "roberta", "--start", "bert"], "--system is for a fresh model"),
    ],
)
def test_a_system_that_does_not_fit_is_named(
    train: Train, objective: str, flags: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(objective, *flags) == BAD_INPUT
    assert said in capsys.readouterr().err
