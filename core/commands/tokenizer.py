"""``tokenizer``: learn a vocabulary from texts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.bounds import require
from core.commands.files import named_files
from core.errors import ConfigError

KINDS = ("word_piece", "bpe", "byte_level_bpe", "unigram")
FRAMES = ("bert", "roberta", "gpt", "t5", "xlnet", "translation")


def add_parser(commands: Any) -> None:
    """Describe the verb."""
    parser = commands.add_parser("tokenizer", help="learn a vocabulary from texts")
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--frame", required=True, choices=FRAMES, help="whose special tokens")
    parser.add_argument("--vocabulary", required=True, type=int, help="tokens, special ones too")
    parser.add_argument("--data", default=[], nargs="+", type=Path, help="text files, plain or xz")
    parser.add_argument(
        "--pairs",
        action="append",
        default=[],
        metavar="LANGUAGE=FILE",
        help="English, a tab, and that language: both sides of the pairs that are for training",
    )
    parser.add_argument("--lower-case", action="store_true", help="capitals become small letters")
    parser.add_argument("--digits-apart", action="store_true", help="a digit is a piece")
    parser.add_argument(
        "--punctuation-apart", action="store_true", help="no piece has letters and punctuation"
    )
    parser.add_argument("--sentinels", type=int, default=0, metavar="N", help="tokens for N blanks")
    parser.add_argument("--sizes", action="store_true", help="tokens for the sizes of blanks")
    parser.add_argument(
        "--languages", default=[], nargs="+", metavar="LANGUAGE", help="tokens such as >>de<<"
    )
    parser.add_argument(
        "--alphabet",
        type=int,
        default=1000,
        help="single characters that become pieces at most, the frequent ones (default: 1000)",
    )
    parser.add_argument(
        "--limit-mb", type=float, default=100.0, help="text that is read, from all files in turn"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="tokenizer.json")


def run(arguments: argparse.Namespace) -> int:
    """Read, learn, write the file."""
    from core.tokenisation import training
    from core.tokenisation.blanks import size_tokens
    from core.tokenisation.languages import language_token
    from core.training.vocabulary_texts import texts_to_count

    if arguments.out.is_dir():
        raise ConfigError(f"{arguments.out} is a folder, not a file to write")
    require(
        vocabulary=arguments.vocabulary,
        sentinels=arguments.sentinels,
        alphabet=arguments.alphabet,
        limit_mb=arguments.limit_mb,
    )
    if arguments.sentinels >= arguments.vocabulary:
        raise ConfigError(
            f"{arguments.vocabulary} tokens cannot have {arguments.sentinels} for blanks"
        )
    further = (
        *map(language_token, arguments.languages),
        *(size_tokens() if arguments.sizes else ()),
        *training.sentinels(arguments.sentinels),
    )
    pairs = named_files(arguments.pairs)
    texts = list(texts_to_count(arguments.data, tuple(pairs.values()), arguments.limit_mb))
    tokenizer = training.train_tokenizer(
        training.VocabularyKind(arguments.kind),
        texts,
        arguments.vocabulary,
        frame=training.FRAMES[arguments.frame],
        lower_case=arguments.lower_case,
        digits_apart=arguments.digits_apart,
        punctuation_apart=arguments.punctuation_apart,
        further=further,
        alphabet=arguments.alphabet,
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.to_file(arguments.out)
    size = sum(len(text.encode()) for text in texts)
    print(f"{tokenizer.vocabulary_size} tokens from {size / 1e6:.1f} MB of text: {arguments.out}")
    return 0
