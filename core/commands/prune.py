"""``prune``: give a BERT a smaller vocabulary, ready for pre-training."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.bounds import require
from core.commands.numbers import seed
from core.commands.texts import load


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("prune", help="keep a checkpoint's most frequent word pieces")
    parser.add_argument("--checkpoint", required=True, help="a BERT, with or without heads")
    parser.add_argument("--corpus", required=True, nargs="+", type=Path, help="text to count in")
    parser.add_argument("--vocabulary", required=True, type=int, help="pieces to keep")
    parser.add_argument("--out", required=True, type=Path, help="folder of the new checkpoint")
    parser.add_argument("--seed", type=seed, default=0, help="of the fresh heads")


def run(arguments: argparse.Namespace) -> int:
    """Count the pieces, keep the frequent ones, write the checkpoint."""
    from typing import cast

    import torch

    from core.checkpoints.save import check_target, save_checkpoint
    from core.models.architectures.bert import Bert
    from core.training.corpora import TokenCorpus
    from core.training.vocabulary import choose_pieces, pruned_tokenizer, with_vocabulary

    require(kept_pieces=arguments.vocabulary)
    torch.manual_seed(arguments.seed)
    start = load(arguments.checkpoint, device="cpu")
    check_target(arguments.out)
    corpus = TokenCorpus.from_files(arguments.corpus, start.tokenizer.inner)
    counts = corpus.tokens.bincount(minlength=start.config.embedding.vocabulary)
    vocabulary = start.tokenizer.inner.get_vocab()
    pieces = choose_pieces(vocabulary, counts, arguments.vocabulary)
    rows = torch.tensor([vocabulary[piece] for piece in pieces])
    model, config = with_vocabulary(cast(Bert, start.model), rows)
    save_checkpoint(model, config, pruned_tokenizer(start.tokenizer, pieces), arguments.out)
    share = int(counts[rows].sum()) / len(corpus.tokens)
    print(f"{len(pieces)} pieces kept; they cover {share:.2%} of {len(corpus.tokens):,} pieces")
    return 0
