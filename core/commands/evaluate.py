"""``evaluate``: measure a checkpoint on held-out text."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.commands.numbers import seed
from core.commands.texts import load


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("evaluate", help="measure a checkpoint on held-out text")
    parser.add_argument("name", help="checkpoint")
    parser.add_argument("--text", required=True, type=Path, help="text file, plain or xz")
    parser.add_argument("--length", type=int, default=128, help="tokens an input")
    parser.add_argument("--windows", type=int, default=2000, help="inputs read at most")
    parser.add_argument("--pairs", type=int, default=1000, help="sentence pairs judged, or 0")
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures, with the text's SHA-256 and how much of it was read."""
    from typing import cast

    from core.config import Head
    from core.errors import MissingHeadError
    from core.models.architectures.bert import Bert
    from core.objectives.pieces import continuations, ordinary_ids, specials_of
    from core.training.corpora import TokenCorpus
    from core.training.evaluation import evaluate_bert

    checkpoint = load(arguments.name)
    if Head.MASKED_LANGUAGE not in checkpoint.config.heads:
        raise MissingHeadError("masked words")
    tokenizer, device = checkpoint.tokenizer, next(checkpoint.model.parameters()).device
    corpus = TokenCorpus.from_files([arguments.text], tokenizer.inner).to(device)
    figures = evaluate_bert(
        cast(Bert, checkpoint.model),
        corpus,
        specials_of(tokenizer),
        ordinary_ids(tokenizer).to(device),
        continuations(tokenizer).to(device),
        length=arguments.length,
        windows=arguments.windows,
        pairs=arguments.pairs,
        seed=arguments.seed,
    )
    result = {
        "checkpoint": checkpoint.name,
        "text": arguments.text.name,
        "sha256": hashlib.sha256(arguments.text.read_bytes()).hexdigest(),
        **asdict(figures),
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:20} {value:.4f}" if isinstance(value, float) else f"{name:20} {value}")
    return 0
