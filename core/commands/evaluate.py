"""``evaluate``: measure a checkpoint on held-out text."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from core.commands.files import named_files
from core.commands.numbers import seed
from core.commands.texts import load


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("evaluate", help="measure a checkpoint on held-out text")
    parser.add_argument("name", help="checkpoint")
    parser.add_argument("--text", type=Path, help="text file, plain or xz")
    parser.add_argument(
        "--pairs",
        action="append",
        default=[],
        metavar="LANGUAGE=FILE",
        help="translation: English, a tab, and that language, a pair a line; once or more",
    )
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="multitask: labelled examples of a task; once or more",
    )
    parser.add_argument("--length", type=int, default=128, help="tokens an input")
    parser.add_argument("--windows", type=int, default=2000, help="inputs read at most")
    parser.add_argument(
        "--judged", type=int, default=1000, help="sentence pairs, or examples a task; or 0"
    )
    parser.add_argument("--generator", help="replaced tokens: the checkpoint that replaces them")
    parser.add_argument(
        "--context", type=int, help="next words: tokens read at once (default: all that fit)"
    )
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures, with the files' SHA-256."""
    from core.checkpoints.tokenizer_files import check_vocabulary
    from core.evaluation.options import Options
    from core.evaluation.registry import evaluate

    pairs, tasks = named_files(arguments.pairs), named_files(arguments.task)
    options = Options(
        text=arguments.text,
        pairs=pairs,
        tasks=tasks,
        length=arguments.length,
        windows=arguments.windows,
        judged=arguments.judged,
        seed=arguments.seed,
        generator=arguments.generator,
        context=arguments.context,
    )
    checkpoint = load(arguments.name)
    check_vocabulary(checkpoint.tokenizer, checkpoint.config.embedding)
    files = [*([arguments.text] if arguments.text else []), *pairs.values(), *tasks.values()]
    result = {
        "checkpoint": checkpoint.name,
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        **evaluate(checkpoint, options),
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:24} {value:.4f}" if isinstance(value, float) else f"{name:24} {value}")
    return 0
