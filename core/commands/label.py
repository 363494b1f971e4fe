"""``label``: make a file of labelled examples for ``train multitask``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.bounds import require
from core.commands.numbers import seed
from core.errors import ConfigError

TASKS = {
    "order": "two neighbouring sentences, in their order or swapped; from texts",
    "paraphrase": "two sentences and whether they say the same; from pairs, English first",
    "ranking": "a sentence, one that says the same, others that do not; from the same pairs",
    "word-class": "a sentence with one word in brackets, and its part of speech; from treebanks",
}
PARTS = ("all", "train", "held-out")


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser(
        "label",
        help="make labelled examples from texts, pairs and treebanks",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=(
            "Make a file of labelled examples for train multitask. The same files, part and seed\n"
            "give the same examples.\n\n"
            + "\n".join(f"  {name:<11} {says}" for name, says in TASKS.items())
        ),
    )
    parser.add_argument("task", choices=tuple(TASKS), metavar="TASK")
    parser.add_argument(
        "--data", required=True, nargs="+", type=Path, help="files, plain or xz; treebanks as tar"
    )
    parser.add_argument(
        "--part",
        choices=PARTS,
        default="all",
        help="one text in ten is held out, by its SHA-256 (default: %(default)s)",
    )
    parser.add_argument(
        "--examples", type=int, default=100_000, help="at most (default: %(default)s)"
    )
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--out", required=True, type=Path, help="the file; .xz is compressed")


def run(arguments: argparse.Namespace) -> int:
    """Write the file, and say how many examples of each label it has."""
    import random
    from collections import Counter

    from core.training.labelling import LABELLINGS, DataSplit, write_examples

    require(examples=arguments.examples)
    if arguments.out.is_dir():
        raise ConfigError(f"{arguments.out} is a folder, not a file to write")
    generator = random.Random(arguments.seed)  # noqa: S311 - the same draws every time are wanted
    made = LABELLINGS[arguments.task](
        arguments.data, DataSplit(arguments.part), generator, arguments.examples
    )
    write_examples(made, arguments.out)
    print(f"{len(made.lines):,} examples, --task NAME:{made.kind}:{arguments.out}")
    counts = Counter(line[-1] for line in made.lines)
    for number, name in enumerate(made.labels):
        print(f"  {name:<12} {counts[str(number)]:,}")
    return 0
