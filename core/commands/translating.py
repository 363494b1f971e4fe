"""What the verbs that translate have in common."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.checkpoints import Checkpoint


def add_translating_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--to`` and ``--beams``."""
    parser.add_argument(
        "--to",
        dest="language",
        metavar="LANGUAGE",
        help="into which one, of a model of several: de, fr (default: the first that it knows)",
    )
    parser.add_argument(
        "--beams",
        type=int,
        default=4,
        metavar="N",
        help="beginnings that are kept while searching; 1 is greedy (default: %(default)s)",
    )


def language_of(arguments: argparse.Namespace, checkpoint: Checkpoint) -> str | None:
    """The language to ask for; ``None`` of a model of one language."""
    from core.tokenisation.languages import languages_of

    if arguments.language is not None:
        return str(arguments.language)
    return next(iter(languages_of(checkpoint.tokenizer)), None)
