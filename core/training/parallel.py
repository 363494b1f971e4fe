"""Pairs of sentences from files, and a fixed rule that keeps some of them for measuring.

A file holds English, a tab and the other language, a pair a line, plain or xz-compressed.
"""

from __future__ import annotations

import hashlib
import lzma
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.objectives.translation import ParallelTexts
from core.tokenisation import Tokenizer
from core.tokenisation.languages import languages_of
from core.training.corpora import CorpusError

Pair = tuple[str, str]  # English, and the other language

_ONE_IN = 64  # English sentences of which one is held out


def english_key(english: str) -> str:
    """What near-identical English sentences have in common.

    Capitals, punctuation and white space make no difference: ``Don't go!`` and ``dont  go`` have
    one key.
    """
    folded = unicodedata.normalize("NFKC", english).casefold()
    kept = "".join(char for char in folded if unicodedata.category(char)[0] != "P")
    return " ".join(kept.split())


def is_held_out(english: str) -> bool:
    """Whether pairs with this English side are for measuring, never for training.

    The rule looks at nothing but the sentence's key, so it is the same for every language and for
    every file: one in 64 by the first eight bytes of its SHA-256.
    """
    digest = hashlib.sha256(english_key(english).encode()).digest()
    return int.from_bytes(digest[:8], "big") % _ONE_IN == 0


def read_pairs(path: Path) -> list[Pair]:
    """All pairs of a file; lines with nothing on them are passed over.

    Raises:
        CorpusError: the file is missing, damaged or not UTF-8, or a line is no pair.
    """
    pairs: list[Pair] = []
    try:
        with (
            lzma.open(path, "rt", encoding="utf-8-sig")
            if path.suffix == ".xz"
            else path.open(encoding="utf-8-sig") as lines
        ):
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                sides = [side.strip() for side in line.split("\t")]
                if len(sides) != 2 or not all(sides):
                    raise CorpusError(
                        f"line {number} of {path} is not two texts with a tab between"
                    )
                pairs.append((sides[0], sides[1]))
    except UnicodeDecodeError as error:
        raise CorpusError(f"cannot read {path}: it is not UTF-8") from error
    except (lzma.LZMAError, EOFError) as error:
        raise CorpusError(f"cannot read {path}: the compressed file is damaged") from error
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror or error}") from error
    return pairs


def training_pairs(path: Path) -> list[Pair]:
    """The pairs of a file that may be learnt from.

    Raises:
        CorpusError: as :func:`read_pairs`, or there is none.
    """
    return _some(path, held_out=False)


def held_out_pairs(path: Path) -> list[Pair]:
    """The pairs of a file that are for measuring.

    Raises:
        CorpusError: as :func:`read_pairs`, or there is none.
    """
    return _some(path, held_out=True)


def _some(path: Path, *, held_out: bool) -> list[Pair]:
    found = [pair for pair in read_pairs(path) if is_held_out(pair[0]) == held_out]
    if not found:
        raise CorpusError(f"{path} has no pair for {'measuring' if held_out else 'training'}")
    return found


def parallel_texts(
    files: Sequence[Path], pairs: Mapping[str, Path], tokenizer: Tokenizer, *, end_id: int
) -> ParallelTexts:
    """Pairs as token ids, ready to be learnt.

    Args:
        files: of pairs that are all learnt, of one language only.
        pairs: files by the language of the second text. Where the vocabulary has a token for it,
            that stands before the first text; pairs that are held out are left out.
        tokenizer: of both sides.
        end_id: the token after every text.

    Raises:
        CorpusError: a file cannot be read or has nothing to learn, or all pairs are too long.
    """
    known = languages_of(tokenizer)
    found: list[tuple[Sequence[int], Sequence[int]]] = []
    for language, read in [
        *((None, read_pairs(path)) for path in files),
        *((language, training_pairs(path)) for language, path in pairs.items()),
    ]:
        before = (known[language],) if language in known else ()
        sources = tokenizer.ids_of_each([source for source, _ in read])
        targets = tokenizer.ids_of_each([target for _, target in read])
        found += (
            ((*before, *source), target) for source, target in zip(sources, targets, strict=True)
        )
    return ParallelTexts.from_ids(found, end_id=end_id, padding_id=tokenizer.pad_id)
