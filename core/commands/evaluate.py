"""``evaluate``: measure a checkpoint on held-out text."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("evaluate", help="measure a checkpoint on held-out text")
    parser.add_argument("name", help="checkpoint")
    parser.add_argument("--text", required=True, type=Path, help="text file, plain or xz")
    parser.add_argument("--length", type=int, default=128, help="tokens an input")
    parser.add_argument("--windows", type=int, default=2000, help="inputs read at most")
    parser.add_argument("--pairs", type=int, default=1000, help="sentence pairs judged")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print the figures, with the text's SHA-256 and how much of it was read."""
    from typing import cast

    import torch

    from core.checkpoints import LoadPolicy, load_checkpoint
    from core.device import pick_device
    from core.errors import MissingHeadError
    from core.models.architectures.bert import Bert
    from core.training.corpora import TokenCorpus, read_documents
    from core.training.evaluation import evaluate_bert
    from core.training.pretrain import ordinary_ids, specials_of

    device = pick_device()
    policy = LoadPolicy(roots=(Path(arguments.name).resolve(),))
    checkpoint = load_checkpoint(arguments.name, device=device, policy=policy)
    tokenizer = checkpoint.tokenizer
    if getattr(checkpoint.model, "masked_language", None) is None:
        raise MissingHeadError("masked words")
    corpus = TokenCorpus.from_texts(read_documents(arguments.text), tokenizer.inner).to(device)
    continuation = torch.tensor(
        [tokenizer.token(number).startswith("##") for number in range(tokenizer.vocabulary_size)]
    )
    figures = evaluate_bert(
        cast(Bert, checkpoint.model),
        corpus,
        specials_of(tokenizer),
        ordinary_ids(tokenizer).to(device),
        continuation.to(device),
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
