"""Labelled tasks: what a file may hold, losses by hand, one task a mini-batch."""

import lzma
import math
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from core.config import Head
from core.errors import ConfigError, MissingHeadError
from core.models.architectures.mtdnn import Mtdnn, mtdnn_config
from core.models.registry import build
from core.objectives import labelled_files
from core.objectives.bert_pretraining import BertPretraining
from core.objectives.labelled_batches import TaskBatch
from core.objectives.labelled_files import (
    FileKind,
    LabelledLineError,
    LabelledTask,
    TaskFile,
    read_tasks,
)
from core.objectives.labelled_tasks import LabelledTasks, WordsBeside, task_loss
from core.objectives.layouts import Layout
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import PairSampler
from core.task_config import TaskConfig, TaskKind
from core.tokenisation import Tokenizer
from core.training.corpora import CorpusError, TokenCorpus

LINES = {
    "single": ["the cat sat\t0", "the animal was tired\t2", "", "open\t1"] + ["the mat\t0"] * 6,
    "pair": ["the cat\tthe mat was open\t1", "a mat\tthe street\t0", "the cat\tthe cat\t1"],
    "similarity": ["the cat\tthe cats\t4.5", "the cat\ta street was open\t-1"],
    "ranking": [
        "the cat\tsat on the mat\tthe street\tthe capital of france",
        "the street\twas open\tthe mat",
    ],
}


def file(tmp_path: Path, kind: str, lines: list[str] | None = None) -> TaskFile:
    path = tmp_path / f"{kind}.tsv"
    path.write_text("\n".join(LINES[kind] if lines is None else lines) + "\n", encoding="utf-8")
    return TaskFile.parse(f"{kind}:{kind}:{path}")


@pytest.fixture
def tasks(tmp_path: Path, word_pieces: Tokenizer) -> tuple[LabelledTask, ...]:
    return read_tasks([file(tmp_path, kind) for kind in LINES], word_pieces, limit=64)


def objective(tasks: tuple[LabelledTask, ...], seed: int = 0, tokens: int = 64) -> LabelledTasks:
    generator = torch.Generator().manual_seed(seed)
    return LabelledTasks(tasks, generator, tokens=tokens, padding_id=0)


def drawn(found: LabelledTasks, step: int) -> TaskBatch:
    batch = found.batch(step)
    assert isinstance(batch, TaskBatch)
    return batch


def model_of(
    tasks: tuple[LabelledTask, ...], vocabulary: int = 200, *, words: bool = False
) -> Mtdnn:
    torch.manual_seed(3)
    config = mtdnn_config(
        vocabulary=vocabulary,
        layers=1,
        heads=2,
        width=8,
        max_positions=64,
        predicts=(Head.MASKED_LANGUAGE,) if words else (),
        tasks=tuple(task.config for task in tasks),
    )
    return cast(Mtdnn, build(config))


def test_a_file_becomes_examples(tasks: tuple[LabelledTask, ...], word_pieces: Tokenizer) -> None:
    single, pair, similarity, ranking = tasks
    kinds = [task.config.kind for task in tasks]
    assert kinds == [
        TaskKind.CLASSES,
        TaskKind.ANSWER_NETWORK,
        TaskKind.SIMILARITY,
        TaskKind.RANKING,
    ]
    assert (single.config.classes, pair.config.classes) == (3, 2)
    assert [one.label for one in single.examples[:3]] == [0.0, 2.0, 1.0]
    assert [one.label for one in similarity.examples] == [4.5, -1.0]
    read = word_pieces.encode("the cat", "sat on the mat")
    row = ranking.examples[0].rows[0]
    assert tuple(row.ids) == read.ids
    assert row.first == read.segments.index(1)
    assert [len(one.rows) for one in ranking.examples] == [3, 2]


def test_a_long_pair_is_cut_and_keeps_both_texts(tmp_path: Path, word_pieces: Tokenizer) -> None:
    long = "the cat sat on the mat " * 30
    (task,) = read_tasks([file(tmp_path, "pair", [f"a\t{long}\t1"])], word_pieces, limit=12)
    (row,) = task.examples[0].rows
    assert len(row.ids) == 12
    assert row.first == 3  # [CLS] a [SEP]


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("single", "no tab", "2 columns with tabs between are needed, not 1"),
        ("single", "text\tgood", "whole number from 0 to 999, not 'good'"),
        ("single", "text\t-1", "whole number"),
        ("single", "text\t1000", "whole number"),
        ("single", " \t1", "the text is empty"),
        ("single", "a" * 20_001 + "\t1", "20,001 characters"),
        ("pair", "text\t1", "3 columns with tabs between are needed, not 2"),
        ("pair", "text\t\t1", "the second text is empty"),
        ("similarity", "a\tb\tnan", "a score is a number"),
        ("similarity", "a\tb\t1e9", "at most 1,000,000, not '1e9'"),
        ("ranking", "query\tright", "2 to 64 candidates after it, not 1"),
        ("ranking", "query" + "\tanswer" * 65, "not 65"),
    ],
)
def test_a_line_that_is_no_example_is_named(
    kind: str, line: str, said: str, tmp_path: Path, word_pieces: Tokenizer
) -> None:
    wrong = file(tmp_path, kind, [LINES[kind][0], line])
    with pytest.raises(LabelledLineError) as caught:
        read_tasks([wrong], word_pieces, limit=64)
    assert (caught.value.line, caught.value.path) == (2, wrong.path)
    assert str(caught.value).startswith(f"line 2 of {wrong.path}: ")
    assert said in caught.value.reason


def test_files_that_cannot_be_read_are_named(
    tmp_path: Path, word_pieces: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = file(tmp_path, "single")

    def read() -> None:
        read_tasks([one], word_pieces, limit=64)

    monkeypatch.setattr(labelled_files, "MOST_EXAMPLES", 2)
    with pytest.raises(CorpusError, match="more than 2 examples"):
        read()
    monkeypatch.setattr(labelled_files, "LONGEST_LINE", 15)
    with pytest.raises(LabelledLineError, match=r"line 2 .* more than 15 bytes"):
        read()
    one.path.write_bytes(b"cat\t1\n\xff\t1\n")
    with pytest.raises(LabelledLineError, match=r"line 2 .* not UTF-8"):
        read()
    one.path.write_text("\n\n")
    with pytest.raises(CorpusError, match="holds no example"):
        read()
    one.path.unlink()
    with pytest.raises(CorpusError, match=r"cannot read .*No such file"):
        read()


@pytest.mark.parametrize("text", ["name", "name:single", "name:single:", "name:other:file"])
def test_a_task_is_a_name_a_kind_and_a_file(text: str) -> None:
    with pytest.raises(ConfigError, match="NAME:KIND:FILE with one of the kinds single, pair"):
        TaskFile.parse(text)
    assert TaskFile.parse("a:pair:C:\\b") == TaskFile("a", FileKind.PAIR, Path("C:\\b"))


def test_tasks_that_do_not_fit_are_refused(tmp_path: Path, word_pieces: Tokenizer) -> None:
    one = file(tmp_path, "single")

    def read(*files: TaskFile, limit: int = 64, known: tuple[TaskConfig, ...] = ()) -> TaskConfig:
        return read_tasks(files, word_pieces, limit=limit, known=known)[0].config

    with pytest.raises(ConfigError, match="two tasks have one name"):
        read(one, one)
    with pytest.raises(ConfigError, match="at most 100 tasks, not 101"):
        read(*(TaskFile(f"t{n}", one.kind, one.path) for n in range(101)))
    with pytest.raises(ConfigError, match="at least 8 tokens, not 7"):
        read(one, limit=7)
    for name in ("loss", "masked"):
        with pytest.raises(ConfigError, match=f"named '{name}'"):
            read(TaskFile(name, one.kind, one.path))
    with pytest.raises(ConfigError, match="lower-case"):
        read(TaskFile("A b", one.kind, one.path))
    known = TaskConfig("single", TaskKind.CLASSES, classes=7, dropout=0.3)
    assert read(one, known=(known,)) is known
    for other in (
        TaskConfig("single", TaskKind.CLASSES, classes=2),
        TaskConfig("single", TaskKind.RANKING, classes=3),
    ):
        with pytest.raises(ConfigError, match="the model knows the task 'single' as"):
            read(one, known=(other,))


def test_losses_by_hand() -> None:
    def loss(kind: TaskKind, found: Any, labels: Any, candidates: Any = None) -> tuple[float, ...]:
        keep = None if candidates is None else torch.tensor(candidates)
        real = torch.ones(len(labels), dtype=torch.bool)
        total, count = task_loss(kind, torch.tensor(found), torch.tensor(labels), real, keep)
        return total.item(), count.item()

    third, half = math.log(3), math.log(2)
    # Scores 0 and ln 2 are 1/3 and 2/3; two equal ones are halves.
    classes = [[0.0, half], [5.0, 5.0]]
    assert loss(TaskKind.CLASSES, classes, [0, 1]) == pytest.approx((third + half, 2))
    logs = [[math.log(0.25), math.log(0.75)]]  # probabilities, as the answer network gives them
    assert loss(TaskKind.ANSWER_NETWORK, logs, [0]) == pytest.approx((math.log(4), 1))
    assert loss(TaskKind.SIMILARITY, [1.0, 4.0, 2.0], [3.0, 4.0, 1.5]) == pytest.approx((4.25, 3))
    # Of the first query's 1 : 1 : 2 the right one has a quarter; the second has no third candidate.
    scores = [0.0, 0.0, half, half, 0.0, 99.0]
    candidates = [[True, True, True], [True, True, False]]
    expected = math.log(4) + math.log(1.5)
    assert loss(TaskKind.RANKING, scores, [0, 0], candidates) == pytest.approx((expected, 2))


def test_an_epoch_reads_every_example_once_and_a_batch_has_one_task(
    tasks: tuple[LabelledTask, ...],
) -> None:
    found = objective(tasks)
    # 8, 16, 16 and 3 x 16 tokens an example; 64 a mini-batch.
    batches = [drawn(found, step) for step in range(found.mini_batches)]
    counts: Counter[str] = Counter()
    for batch in batches:
        counts[batch.task.name] += int(batch.real.sum())
        assert batch.tokens <= 64
    assert counts == {"single": 9, "pair": 3, "similarity": 2, "ranking": 2}
    orders = [
        [drawn(found, step).task.name for step in range(first, first + len(batches))]
        for first in range(0, 5 * len(batches), len(batches))
    ]
    assert all(Counter(order) == Counter(orders[0]) for order in orders)
    assert any(order != orders[0] for order in orders), "every epoch is shuffled anew"


def test_a_batch_depends_on_the_step_and_the_seed_alone(
    tasks: tuple[LabelledTask, ...],
) -> None:
    one, other = objective(tasks), objective(tasks)
    expected = [drawn(one, step) for step in range(30)]
    for step in (29, 3, 14):  # as when a run is resumed in the middle of an epoch
        found = drawn(other, step)
        assert found.task == expected[step].task
        assert torch.equal(found.ids, expected[step].ids)
        assert torch.equal(found.labels, expected[step].labels)
    names = [batch.task.name for batch in expected]
    assert names != [drawn(objective(tasks, seed=1), step).task.name for step in range(30)]


def test_padding_changes_no_loss(tasks: tuple[LabelledTask, ...]) -> None:
    model = model_of(tasks).eval()
    # Together: shorter rows and the query with fewer candidates are filled up.
    for task in tasks:
        name = task.config.name
        whole = objective((task,), tokens=10_000)
        assert whole.mini_batches == 1
        together = whole.terms(model, drawn(whole, 0))[name]
        parts = [
            found.terms(model, drawn(found, 0))[name].total
            for found in (
                objective((LabelledTask(task.config, (example,)),)) for example in task.examples
            )
        ]
        assert together.counted.item() == len(task.examples)
        torch.testing.assert_close(together.total, torch.stack(parts).sum())


def test_other_tasks_heads_have_no_gradient(tasks: tuple[LabelledTask, ...]) -> None:
    found = objective(tasks)
    seen = set()
    for step in range(found.mini_batches):
        model = model_of(tasks)
        batch = drawn(found, step)
        found.losses(model, batch)["loss"].backward()
        touched = {
            name.split(".")[1]
            for name, one in model.named_parameters()
            if name.startswith("tasks.") and one.grad is not None
        }
        assert touched == {f"{batch.task.name}_head"}
        # The answer network reads the tokens themselves, not the pooler's summary.
        others = ("tasks.", "pooler.") if batch.task.name == "pair" else ("tasks.",)
        shared = [one.grad for name, one in model.named_parameters() if not name.startswith(others)]
        assert all(gradient is not None for gradient in shared)
        assert any(bool(gradient.any()) for gradient in shared if gradient is not None)
        seen.add(batch.task.name)
    assert seen == set(LINES)


def test_all_shapes_are_known_beforehand(tasks: tuple[LabelledTask, ...]) -> None:
    found = objective(tasks, tokens=32)
    known = [batch for batch in found.shapes() if isinstance(batch, TaskBatch)]
    shapes = {(batch.task.name, tuple(batch.ids.shape)) for batch in known}
    assert len(shapes) == len(known)
    later = [drawn(found, step) for step in range(2 * found.mini_batches)]
    assert shapes == {(batch.task.name, tuple(batch.ids.shape)) for batch in later}


def test_mini_batches_have_few_widths_and_are_full(tmp_path: Path, word_pieces: Tokenizer) -> None:
    sizes = [2] * 30 + [20] * 5 + [40] * 2  # words; two tokens more with the special ones
    lines = [" ".join(["cat"] * size) + "\t1" for size in sizes]
    made = read_tasks([file(tmp_path, "single", lines)], word_pieces, limit=64)
    found = objective(made, tokens=192)
    batches = [drawn(found, step) for step in range(found.mini_batches)]
    read = Counter((tuple(batch.ids.shape), int(batch.real.sum())) for batch in batches)
    # Two long ones and the longest other make a full one of 64; four of 20 words and two short ones
    # are six of 32; 28 short ones are shared out evenly, ten a mini-batch, and two rows are left.
    assert read == {((3, 64), 3): 1, ((6, 32), 6): 1, ((10, 16), 10): 2, ((10, 16), 8): 1}
    for batch in batches:
        assert batch.keep[~batch.real].sum(1).eq(1).all()
        assert (batch.labels[~batch.real] < 0).all()
        rows = batch.keep.sum(1)[batch.real]
        assert (rows <= batch.ids.shape[1]).all()


def beside(share: float) -> WordsBeside:
    ends = torch.tensor([0, 40, 80, 120])
    corpus = TokenCorpus(torch.arange(120) % 90 + 10, torch.arange(0, 121, 5), ends)
    generator = torch.Generator().manual_seed(5)
    specials = Specials(padding=0, classify=2, separator=3, mask=4)
    sampler = PairSampler(corpus, specials, generator, longest=32, relation=None)
    layouts = (Layout(share=0.5, length=32), Layout(share=0.5, length=16, short=True))
    return WordsBeside(
        BertPretraining(sampler, torch.arange(10, 100), tokens=64, layouts=layouts), share
    )


def test_hidden_words_are_one_more_task(tasks: tuple[LabelledTask, ...]) -> None:
    alone = objective(tasks).mini_batches
    generator = torch.Generator().manual_seed(0)
    found = LabelledTasks(tasks, generator, tokens=64, padding_id=0, words=beside(0.5))
    assert found.mini_batches == 2 * alone
    model = model_of(tasks, words=True).eval()
    seen = Counter[str]()
    for step in range(found.mini_batches):
        batch = found.batch(step)
        (term,) = found.terms(model, batch)
        assert [term] == list(found.counts(batch))
        seen[term] += 1
    assert seen["masked"] == alone
    assert sum(seen.values()) == 2 * alone
    assert len(found.shapes()) == len(objective(tasks).shapes()) + 2
    batches = (found.batch(step) for step in range(99))
    words = next(batch for batch in batches if not isinstance(batch, TaskBatch))
    with pytest.raises(MissingHeadError):
        found.terms(model_of(tasks), words)
    for share in (0.0, 1.0):
        with pytest.raises(ConfigError, match=r"share in \(0, 1\)"):
            beside(share)
    small = LabelledTasks(tasks, generator, tokens=64, padding_id=0, words=beside(1e-6))
    assert small.mini_batches == alone + 1


def test_classes_have_names(tmp_path: Path, word_pieces: Tokenizer) -> None:
    path = tmp_path / "mood.tsv.xz"

    def read(text: str, known: tuple[TaskConfig, ...] = ()) -> LabelledTask:
        path.write_bytes(lzma.compress(text.encode()))
        one = TaskFile("mood", FileKind.SINGLE, path)
        return read_tasks([one], word_pieces, limit=64, known=known)[0]

    named = read("# labels: glad\tsad\tneither one\nthe cat\t1\n")
    assert named.config == TaskConfig(
        "mood", TaskKind.CLASSES, classes=3, labels=("glad", "sad", "neither one")
    )
    assert read("the cat\t0\n", (named.config,)).config is named.config
    with pytest.raises(LabelledLineError, match=r"line 2 .*a class without a name"):
        read("# labels: glad\tsad\nthe cat\t2\n")
    with pytest.raises(LabelledLineError, match=r"line 1 .*as many different names"):
        read("# labels: glad\tglad\nthe cat\t0\n")
    with pytest.raises(LabelledLineError, match=r"line 1 .*named with 1 to 60 characters"):
        read("# labels: glad\t" + "s" * 61 + "\nthe cat\t0\n")
    with pytest.raises(ConfigError, match=r"are named glad, sad, neither one; in .*, a, b"):
        read("# labels: a\tb\nthe cat\t0\n", (named.config,))
    with pytest.raises(CorpusError, match="no example"):
        read("# labels: glad\tsad\n")
    path.write_bytes(lzma.compress(b"# labels: a\tb\nthe cat\ta mat\t1\n"))
    with pytest.raises(LabelledLineError, match="similarity has no classes"):
        read_tasks([TaskFile("alike", FileKind.SIMILARITY, path)], word_pieces, limit=64)
    path.write_bytes(lzma.compress(b"the cat\t0\n" * 50)[:-20])
    with pytest.raises(CorpusError, match="the compressed file is damaged"):
        read_tasks([TaskFile("mood", FileKind.SINGLE, path)], word_pieces, limit=64)
