"""Every objective of the table as the command runs it, on models that take a moment."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import tokenizers
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.commands.train import OBJECTIVES, OPTIMISERS, PRESETS, SCHEDULES
from core.config import Head
from core.errors import ConfigError
from core.models.architectures.mtdnn import Mtdnn
from core.task_config import TaskConfig, TaskKind
from core.tasks import fill_mask
from core.tokenisation import Tokenizer
from core.training import fresh
from core.training.corpora import TokenCorpus
from core.training.material import Material
from core.training.optimisers import Method
from core.training.pretrain import with_dropout
from core.training.recipes import RECIPES
from core.training.schedules import Shape

TERMS = {
    "mlm": {"masked", "follows"},
    "sop": {"masked", "follows"},
    "structbert": {"masked", "shuffled", "follows"},
    "spanbert": {"masked", "boundary"},
    "rtd": {"masked", "second"},
    "distill": {"soft", "masked", "states"},
    "permutation": {"predicted"},
    "clm": {"next"},
    "span-corruption": {"target"},
    "blanks": {"target"},
    "translation": {"target"},
    "multitask": {"mood", "order", "alike", "answers"},
}

Train = Callable[..., int]


@pytest.fixture
def train(
    word_pieces: Tokenizer,
    corpus_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Train:
    """``train(objective, name, *flags)``: a fresh model, six steps of two batches."""
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    inner = tokenizers.Tokenizer.from_str(word_pieces.inner.to_str())
    inner.add_special_tokens(["<|endoftext|>", *(f"<extra_id_{n}>" for n in range(12))])
    inner.save(str(tmp_path / "tokenizer.json"))
    inner.add_special_tokens(["<size_1>", "<size_2>", "<size_4>"])
    inner.save(str(tmp_path / "sized.json"))
    (tmp_path / "pairs.tsv").write_text("the cat sat\ta mat\nthe animal\tthe street was open\n" * 3)

    labelled = {
        "mood:single": "the cat sat\t0\nthe mat\t1\nopen\t2\n",
        "order:pair": "the cat\tsat\t1\nthe street\twas open\t0\n",
        "alike:similarity": "the cat\tthe cats\t4.5\nthe cat\ta street\t0\n",
        "answers:ranking": "the cat\tsat\twas open\tthe mat\nthe street\twas open\tsat\n",
    }

    def run(objective: str, name: str, *flags: str, **changes: str) -> int:
        if objective == "multitask":
            # Seven mini-batches an epoch: two steps of two stop in the middle of one.
            changes = {"data": "", "batch_tokens": "24", **changes}
            for task, lines in labelled.items():
                path = tmp_path / f"{task.replace(':', '-')}.tsv"
                path.write_text(lines)
                flags = ("--task", f"{task}:{path}", *flags)
        data = tmp_path / "pairs.tsv" if objective == "translation" else corpus_file
        options = {
            "tokenizer": str(
                tmp_path / f"{'sized' if objective == 'blanks' else 'tokenizer'}.json"
            ),
            "layers": "1",
            "width": "16",
            "heads": "2",
            "positions": "64",
            "data": str(data),
            "run": str(tmp_path / name),
            "out": str(tmp_path / f"{name}-checkpoint"),
            "steps": "6",
            "accumulate": "2",
            "report-every": "2",
            "length": "64",
            "batch-tokens": "256",
            "lr": "1e-3",
            "dropout": "0.1",
            **{key.replace("_", "-"): value for key, value in changes.items()},
        }
        words = [word for key, value in options.items() if value for word in (f"--{key}", value)]
        return main(["train", objective, *words, *flags])

    return run


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


def test_the_command_names_what_there_is() -> None:
    assert set(OBJECTIVES) == set(RECIPES) == set(TERMS)
    assert tuple(fresh.PRESETS) == PRESETS
    assert tuple(OPTIMISERS) == tuple(method.value for method in Method)
    assert tuple(SCHEDULES) == tuple(shape.value for shape in Shape)


@pytest.mark.parametrize("objective", RECIPES)
def test_each_objective_trains_resumes_and_exports(
    objective: str, train: Train, tmp_path: Path, tiny_teacher: str
) -> None:
    flags = ["--teacher", tiny_teacher] if objective == "distill" else []
    assert train(objective, "whole", *flags) == 0
    assert train(objective, "run", *flags, stop_after="0") == 0
    assert train(objective, "run", *flags, "--resume") == 0
    lines = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["step"] for event in events] == [2, 4, 6]
    if objective == "multitask":  # a step reads two mini-batches, of one task each
        read = [event["losses"].keys() - {"loss"} for event in events]
        assert all(0 < len(names) <= 2 for names in read)
        assert set.union(*map(set, read)) <= TERMS[objective]
    else:
        assert events[0]["losses"].keys() == {"loss", *TERMS[objective]}
    whole, resumed = opened(tmp_path / "whole-checkpoint"), opened(tmp_path / "run-checkpoint")
    assert whole.config.system == RECIPES[objective].system
    weights, others = whole.model.state_dict(), resumed.model.state_dict()
    assert all(torch.equal(weights[name], others[name]) for name in weights)


def test_a_llama_learns_the_next_words_too(train: Train, tmp_path: Path) -> None:
    assert train("clm", "whole", system="llama") == 0
    stack = opened(tmp_path / "whole-checkpoint").config.decoder
    assert stack is not None
    assert stack.rotary is not None


def test_a_bert_learns_labelled_tasks_and_then_further_ones(
    train: Train, tmp_path: Path, tiny_checkpoint_folder: Path
) -> None:
    options = {"tokenizer": "", "start": str(tiny_checkpoint_folder), "steps": "60", "dropout": "0"}
    options["batch_tokens"] = "64"
    assert train("multitask", "first", **options, lr="3e-3", report_every="1") == 0
    lines = (tmp_path / "first" / "events.jsonl").read_text().splitlines()
    steps = [json.loads(line)["losses"] for line in lines]
    for task in TERMS["multitask"]:
        values = [losses[task] for losses in steps if task in losses]
        assert values[-1] < values[0] / 2, task
    start = tmp_path / "first-checkpoint"
    learnt = opened(start)
    # The head for hidden words stays as it was; nothing keeps that for next sentences right.
    assert learnt.config.heads == (Head.MASKED_LANGUAGE,)
    before = opened(tiny_checkpoint_folder).model.state_dict()
    for name, value in learnt.model.state_dict().items():
        if name.startswith("masked_language."):
            torch.testing.assert_close(value, before[name], rtol=1e-3, atol=1e-6)  # float16
    read = learnt.tokenizer.encode("the cat", "sat")
    ids, segments = torch.tensor([read.ids]), torch.tensor([read.segments])
    model = cast(Mtdnn, learnt.model)
    shapes = {name: tuple(model.answer(name, ids, segments).shape) for name in model.tasks.names}
    assert shapes == {"mood": (1, 3), "order": (1, 2), "alike": (1,), "answers": (1,)}

    (tmp_path / "more.tsv").write_text("open\t1\n")
    more = ["--task", f"more:single:{tmp_path / 'more.tsv'}"]
    assert (
        train("multitask", "second", *more, **{**options, "start": str(start), "lr": "1e-9"}) == 0
    )
    both = opened(tmp_path / "second-checkpoint")
    assert {task.name for task in both.config.tasks} == {*TERMS["multitask"], "more"}
    later = both.model.state_dict()
    for name, value in learnt.model.state_dict().items():
        torch.testing.assert_close(value, later[name], rtol=1e-2, atol=1e-4)  # float16


def test_hidden_words_are_learnt_beside_labelled_tasks(
    train: Train, tmp_path: Path, tiny_checkpoint_folder: Path, corpus_file: Path
) -> None:
    options = {"data": str(corpus_file), "words_share": "0.5", "report_every": "1", "steps": "14"}
    flags = ("--task", f"more:single:{tmp_path / 'more.tsv'}")
    (tmp_path / "more.tsv").write_text("open\t1\n" * 5)
    for name, start in (
        ("old", {"tokenizer": "", "start": str(tiny_checkpoint_folder)}),
        ("new", {"positions": "64"}),
    ):
        assert train("multitask", name, *flags, **options, **start, accumulate="1") == 0
        lines = (tmp_path / name / "events.jsonl").read_text().splitlines()
        steps = [set(json.loads(line)["losses"]) - {"loss"} for line in lines]
        assert all(len(names) == 1 for names in steps)
        assert 4 <= sum("masked" in names for names in steps) <= 10
        learnt = opened(tmp_path / f"{name}-checkpoint")
        assert learnt.config.heads == (Head.MASKED_LANGUAGE,)
        guessed = fill_mask(learnt, "the [MASK] sat")
        assert len(guessed.masks) == 1
    assert train("multitask", "cut", *flags, **options, accumulate="1", stop_after="0") == 0
    assert train("multitask", "cut", *flags, "--resume", **options, accumulate="1") == 0
    whole, resumed = (opened(tmp_path / f"{name}-checkpoint") for name in ("new", "cut"))
    others = resumed.model.state_dict()
    assert all(torch.equal(one, others[name]) for name, one in whole.model.state_dict().items())


def test_heads_of_tasks_are_put_on_a_bert_alone(tiny_checkpoint: Checkpoint) -> None:
    mood, other = (TaskConfig("mood", TaskKind.CLASSES, classes=n) for n in (2, 3))
    start = fresh.with_tasks(tiny_checkpoint, [mood], seed=0)
    again = fresh.with_tasks(start, [mood], seed=1).model.state_dict()
    for name, value in start.model.state_dict().items():
        assert torch.equal(value, again[name]), name
    assert tiny_checkpoint.config.tasks == ()
    quiet = with_dropout(start.config, 0.0).tasks[0]
    assert (quiet.dropout, quiet.step_dropout) == (0.0, 0.0)
    with pytest.raises(ConfigError, match="two tasks have one name"):
        fresh.with_tasks(start, [other], seed=0)
    another = replace(tiny_checkpoint, config=replace(tiny_checkpoint.config, system="albert"))
    with pytest.raises(ConfigError, match="by a bert or an mtdnn, not by albert"):
        fresh.with_tasks(another, [mood], seed=0)


@pytest.fixture(scope="module")
def tiny_teacher(word_pieces: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of the students' width and vocabulary."""
    from core.checkpoints import save_checkpoint
    from core.models.architectures.bert import bert_config
    from core.models.registry import build

    size = word_pieces.vocabulary_size + 13
    config = bert_config(vocabulary=size, layers=2, heads=2, width=16, max_positions=64)
    folder = tmp_path_factory.mktemp("teacher") / "bert"
    save_checkpoint(build(config), config, word_pieces, folder)
    return str(folder)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_every_optimiser_and_schedule_trains_and_resumes(
    optimiser: str, train: Train, tmp_path: Path
) -> None:
    schedule = SCHEDULES[OPTIMISERS.index(optimiser) % len(SCHEDULES)]
    flags = ["--optimiser", optimiser, "--schedule", schedule, "--cycles", "2"]
    options = {"warm_up_steps": "2", "lr": "", "report_every": "1"}
    assert train("clm", "whole", *flags, **options) == 0
    assert train("clm", "run", *flags, **options, stop_after="0") == 0
    assert train("clm", "run", *flags, "--resume", **options) == 0
    events = [
        json.loads(line) for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    ]
    peak = (16 * 2) ** -0.5 if schedule == "inverse-root" else 5e-4
    assert [event["rate"] for event in events][:3] == pytest.approx([0.0, peak / 2, peak])
    weights, others = (
        opened(tmp_path / f"{name}-checkpoint").model.state_dict() for name in ("whole", "run")
    )
    assert all(torch.equal(weights[name], others[name]) for name in weights)


@pytest.mark.parametrize(
    ("objective", "changes", "said"),
    [
        ("mlm", {"tokenizer": ""}, "--start, or --body, or fresh with --tokenizer"),
        ("mlm", {"tokenizer": "no/such/file"}, "file is missing"),
        ("mlm", {"heads": "3"}, "cannot be shared evenly by 3 heads"),
        ("mlm", {"layers": "0"}, "number of layers must be from 1"),
        ("mlm", {"teacher": "bert"}, "needs a teacher"),
        ("distill", {}, "needs a teacher"),
        ("clm", {"length": "1"}, "must be from 2 to 1,000,000, not 1"),
        ("clm", {"average": "0"}, "must be from 1 to 1,000, not 0"),
        ("clm", {"save_steps": "0"}, "between two savings must be from 1 to 1,000,000,000, not 0"),
        ("clm", {"accumulate": "0"}, "batches of a step must be from 1"),
        ("clm", {"schedule": "inverse-root", "warm_up": "0"}, "needs a warm-up"),
        ("clm", {"steps": "", "seconds": "1", "warm_up_steps": "3"}, "goes with --steps"),
        ("span-corruption", {"length": "63", "positions": "512"}, ""),
        ("translation", {"data": "README.md"}, "is not two texts with a tab between"),
        ("clm", {"data": ""}, "all others read text files"),
        ("clm", {"task": "mood:single:README.md"}, "all others read text files"),
        ("multitask", {"words_share": "1"}, "hidden words must be from 1e-06 to 0.999999, not 1.0"),
        ("multitask", {"task": "mood"}, "a task is NAME:KIND:FILE"),
        ("multitask", {"task": "words:pair:README.md"}, "line 1 of README.md: 3 columns"),
        ("multitask", {"task": "words:pair:no/file"}, "cannot read no/file"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    objective: str,
    changes: dict[str, str],
    said: str,
    train: Train,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = train(objective, "run", **changes)
    errors = capsys.readouterr().err
    if not said:
        assert code == 0
        return
    assert code == BAD_INPUT
    assert errors.startswith("error: ")
    assert said in errors


def test_the_students_width_is_the_teachers(
    train: Train, tiny_teacher: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("distill", "run", "--teacher", tiny_teacher, width="32") == BAD_INPUT
    assert "widths of 16 and 32" in capsys.readouterr().err


@pytest.mark.parametrize(("objective", "share"), [("mlm", 0.4), ("sop", 1.0)])
def test_orders_of_sentences_are_learnt_from_pairs_only(
    tiny_checkpoint: Checkpoint, corpus_file: Path, objective: str, share: float
) -> None:
    """Lan et al. 2020, "ALBERT", section 3.1: every input has two segments."""
    tokenizer = tiny_checkpoint.tokenizer
    corpus = TokenCorpus.from_files([corpus_file], tokenizer.inner)
    material = Material(
        tiny_checkpoint.config, tokenizer, corpus, torch.Generator(), tokens=640, length=64
    )
    task: Any = RECIPES[objective].task(material)
    assert [one.pairs for one in task.layouts] == [share, 0.0, 0.0]
