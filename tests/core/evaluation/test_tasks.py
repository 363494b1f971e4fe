"""Figures of labelled tasks: by hand, and of heads that say what we want."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from torch import nn

from core.checkpoints import Checkpoint
from core.errors import ConfigError, MissingHeadError, UnknownTaskError
from core.evaluation.options import Options
from core.evaluation.registry import evaluate
from core.evaluation.tasks import Answers, correlation
from core.models.registry import build
from core.task_config import TaskConfig, TaskKind
from core.training.fresh import with_tasks

TASKS = (
    TaskConfig("mood", TaskKind.CLASSES, classes=3),
    TaskConfig("order", TaskKind.ANSWER_NETWORK),
    TaskConfig("alike", TaskKind.SIMILARITY),
    TaskConfig("answers", TaskKind.RANKING),
)
LINES = {
    "mood": ["the cat sat\t1", "open\t1", "the mat\t0", "a street was open\t2"] * 5,
    "order": ["the cat\tsat\t1", "the street\twas open\t0", "a mat\tthe cat\t0"],
    "alike": ["the cat\tthe cats\t1", "the cat\ta street\t0", "the mat\tthe mat\t0.5"],
    "answers": ["the cat\tsat\twas open\tthe mat", "the street\twas open\tsat"],
}


def figures(kind: TaskKind, found: Any, labels: Any) -> dict[str, Any]:
    return Answers(kind, torch.tensor(found), torch.tensor(labels)).figures()


def test_figures_by_hand() -> None:
    nan = math.nan
    # Right, wrong, a tie, and no number.
    found = [[0.0, 2.0], [1.0, 0.0], [3.0, 3.0], [nan, nan]]
    expected = {"accuracy": 0.25, "majority": 0.75, "examples": 4}
    assert figures(TaskKind.CLASSES, found, [1, 1, 1, 0]) == expected
    assert figures(TaskKind.ANSWER_NETWORK, found, [1, 1, 1, 0]) == expected
    # The right one is first, second of two, and tied with another behind one that is better.
    found = [[5.0, 1.0, 2.0], [1.0, 2.0, -math.inf], [1.0, 1.0, 4.0]]
    ranked = figures(TaskKind.RANKING, found, [0, 0, 0])
    assert ranked == pytest.approx(
        {
            "accuracy_at_1": 1 / 3,
            "chance_at_1": (1 / 3 + 1 / 2 + 1 / 3) / 3,
            "mean_reciprocal_rank": (1 + 1 / 2 + 1 / 3) / 3,
            "examples": 3,
        }
    )
    # Of the four pairs of a 1 and a 0 three are in order; ranks 1 to 4 against 1.5, 3.5, 1.5, 3.5.
    alike = figures(TaskKind.SIMILARITY, [0.1, 0.4, 0.5, 0.9], [0.0, 1.0, 0.0, 1.0])
    assert alike["auc"] == 0.75
    assert alike["pearson"] == pytest.approx(0.35 / math.sqrt(0.3275))
    assert alike["spearman"] == pytest.approx(2 / math.sqrt(5 * 4))
    graded = figures(TaskKind.SIMILARITY, [1.0, 10.0, 100.0], [0.0, 1.0, 2.0])
    assert graded["spearman"] == pytest.approx(1.0)
    assert graded["auc"] is None


def test_what_never_changes_correlates_with_nothing() -> None:
    assert correlation(torch.ones(3), torch.arange(3.0)) is None
    assert correlation(-torch.arange(3.0), torch.arange(3.0)) == pytest.approx(-1.0)


@pytest.fixture
def learnt(tiny_checkpoint: Checkpoint) -> Checkpoint:
    return with_tasks(tiny_checkpoint, TASKS, seed=0)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.tsv" for name in LINES}
    for name, path in paths.items():
        path.write_text("\n".join(LINES[name]) + "\n", encoding="utf-8")
    return paths


def test_each_task_is_measured(learnt: Checkpoint, files: dict[str, Path]) -> None:
    tasks = cast(Any, learnt.model).tasks
    for head in tasks.children():
        nn.init.zeros_(head.dense.weight)
        nn.init.zeros_(head.dense.bias)
    with torch.no_grad():
        tasks.mood_head.dense.bias[1] = 1.0
        tasks.order_head.dense.bias[0] = 1.0
    found = evaluate(learnt, Options(tasks=files))
    assert found.pop("seconds") > 0
    assert found == pytest.approx(
        {
            "mood_accuracy": 0.5,
            "mood_majority": 0.5,
            "mood_examples": 20,
            "order_accuracy": 2 / 3,
            "order_majority": 2 / 3,
            "order_examples": 3,
            "alike_pearson": None,  # always the same score
            "alike_spearman": None,
            "alike_auc": None,  # three scores
            "alike_examples": 3,
            "answers_accuracy_at_1": 0.0,  # all candidates score the same
            "answers_chance_at_1": 5 / 12,
            "answers_mean_reciprocal_rank": 5 / 12,
            "answers_examples": 2,
        }
    )


def test_examples_are_drawn_by_the_seed(learnt: Checkpoint, files: dict[str, Path]) -> None:
    some = {"mood": files["mood"]}

    def measured(judged: int, seed: int) -> tuple[float, int]:
        found = evaluate(learnt, Options(tasks=some, judged=judged, seed=seed))
        return found["mood_majority"], found["mood_examples"]

    assert measured(7, 3) == measured(7, 3)
    assert measured(7, 3)[1] == 7
    assert len({measured(7, seed) for seed in range(8)}) > 1
    # A whole file gives the same whatever is drawn.
    whole = [evaluate(learnt, Options(tasks=some, seed=seed))["mood_accuracy"] for seed in (0, 1)]
    assert whole[0] == whole[1]


def test_hidden_words_are_measured_with_a_text(
    learnt: Checkpoint, files: dict[str, Path], corpus_file: Path, tiny_checkpoint: Checkpoint
) -> None:
    options = Options(text=corpus_file, tasks={"mood": files["mood"]}, length=64, windows=5)
    found = evaluate(learnt, options)
    assert {"top1", "top5", "mood_accuracy"} <= found.keys()
    body = evaluate(tiny_checkpoint, Options(text=corpus_file, length=64, windows=5, judged=0))
    assert found["top5"] == body["top5"], "the head is kept"
    assert "mood_accuracy" not in evaluate(
        learnt, Options(text=corpus_file, tasks=files, length=64, windows=5, judged=0)
    )


def test_what_cannot_be_measured_is_said(
    learnt: Checkpoint, files: dict[str, Path], corpus_file: Path
) -> None:
    def measure(checkpoint: Checkpoint = learnt, **options: Any) -> None:
        evaluate(checkpoint, Options(**options))

    with pytest.raises(ConfigError, match="need --task NAME=FILE"):
        measure()
    with pytest.raises(ConfigError, match="need --task NAME=FILE"):
        measure(tasks=files, judged=0)
    with pytest.raises(ConfigError, match=r"--judged.* must be from 0 .*not -1"):
        measure(tasks=files, judged=-1)
    with pytest.raises(UnknownTaskError, match="colour"):
        measure(tasks={"colour": files["mood"]})
    classes = files["order"].with_name("many.tsv")
    classes.write_text("the cat\tsat\t5\n")
    with pytest.raises(ConfigError, match="the model knows the task 'order' as"):
        measure(tasks={"order": classes})
    tags = with_tasks(learnt, [TaskConfig("tags", TaskKind.TAGS)], seed=0)
    with pytest.raises(ConfigError, match="nothing is measured for tasks of the kind tags"):
        measure(tags, tasks={"tags": files["mood"]})
    config = replace(learnt.config, heads=())
    bare = replace(learnt, config=config, model=build(config).eval())
    with pytest.raises(MissingHeadError):
        measure(bare, text=corpus_file)
