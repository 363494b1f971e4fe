"""The part of speech of one word of a sentence, marked as ``I [saw] it``; from treebanks."""

from __future__ import annotations

import lzma
import random
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from core.training.corpora import CorpusError
from core.training.labelling.examples import DataSplit, Labelled, drawn

# Universal parts of speech (Nivre et al. 2020, "Universal Dependencies v2") of words: not of
# punctuation, of symbols, or of what belongs nowhere.
WORD_CLASSES = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ"),
    *("NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ", "VERB"),
)
_NUMBERS = {name: str(number) for number, name in enumerate(WORD_CLASSES)}
_WORDS = range(2, 41)  # of a sentence
_MARKED = 6  # words of a sentence, each an example
_LARGEST = 64 << 20  # bytes of a treebank's file
_MOST_FILES = 1000  # in an archive
_LONGEST = 100_000  # bytes of a line


def word_classes(
    files: Sequence[Path], part: DataSplit, generator: random.Random, most: int
) -> Labelled:
    """Sentences with one word in brackets; some words of each sentence come, one an example.

    Args:
        files: CoNLL-U files, plain or xz, or tar archives of such.
        part: of whole sentences.
        generator: chooses which words are marked.
        most: examples.

    Raises:
        CorpusError: a file cannot be read, or it has no word of these classes.
    """
    lines: list[tuple[str, ...]] = []
    for path in files:
        for words in _sentences(path):
            text = "".join(word + space for word, _, space in words).strip()
            if len(words) not in _WORDS or "[" in text or "]" in text or not part.has(text):
                continue
            indices = [index for index, (_, name, _) in enumerate(words) if name in _NUMBERS]
            for index in generator.sample(indices, min(_MARKED, len(indices))):
                marked = "".join(
                    (f"[{word}]" if number == index else word) + space
                    for number, (word, _, space) in enumerate(words)
                )
                lines.append((marked.strip(), _NUMBERS[words[index][1]]))
    return Labelled("single", WORD_CLASSES, drawn(lines, generator, most))


_Words = list[tuple[str, str, str]]  # word, part of speech, space after it


def _sentences(path: Path) -> Iterator[_Words]:
    words: _Words = []
    joined_to = 0  # the last word of those that are written as one
    for line in _lines(path):
        if not line:
            if words:
                yield words
            words, joined_to = [], 0
            continue
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise CorpusError(f"{path} is no treebank in CoNLL-U: {line[:40]!r}")
        number, form, tag = columns[0], " ".join(columns[1].split()), columns[3]
        space = "" if "SpaceAfter=No" in columns[9].split("|") else " "
        first, dash, last = number.partition("-")
        if dash and last.isdecimal():
            # Several words written as one, such as "don't": they have no class together.
            words.append((form, "", space))
            joined_to = int(last)
        elif first.isdecimal() and int(first) > joined_to:  # 8.1 is a word that is not written
            words.append((form, tag, space))
    if words:
        yield words


def _lines(path: Path) -> Iterator[str]:
    try:
        if ".tar" in path.suffixes:
            with tarfile.open(path, "r|*") as archive:
                yield from _lines_of_archive(path, archive)
        elif path.suffix == ".xz":
            with lzma.open(path) as file:
                yield from _decoded(file)
        else:
            with path.open("rb") as file:
                yield from _decoded(file)
    except UnicodeDecodeError as error:
        raise CorpusError(f"cannot read {path}: it is not UTF-8") from error
    except (lzma.LZMAError, EOFError, tarfile.TarError) as error:
        raise CorpusError(f"cannot read {path}: the compressed file is damaged") from error
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror or error}") from error


def _lines_of_archive(path: Path, archive: tarfile.TarFile) -> Iterator[str]:
    for number, member in enumerate(archive):
        if number >= _MOST_FILES:
            raise CorpusError(f"{path} holds more than {_MOST_FILES:,} files")
        if not (member.isfile() and member.name.endswith(".conllu")):
            continue
        if member.size > _LARGEST:
            raise CorpusError(f"{member.name} in {path} has more than {_LARGEST >> 20} MB")
        file = archive.extractfile(member)
        assert file is not None
        yield from _decoded(file)
        yield ""


def _decoded(file: IO[bytes]) -> Iterator[str]:
    while raw := file.readline(_LONGEST):
        yield raw.decode("utf-8").rstrip("\r\n")
