"""From text files to one long row of token ids with sentence and document borders.

A text file is UTF-8, plain or xz-compressed, one paragraph a line, a blank line between documents.

Sentences are tokenised apart. Where spaces and line breaks are text to a vocabulary (byte level), a
sentence takes the space before it along, and the last one of a paragraph the line break after it,
so that the tokens of a document are those of its text as it is written; see :func:`as_written`.
"""

from __future__ import annotations

import lzma
import multiprocessing
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import HeadlightError

Column = NDArray[np.integer[Any]]

_NOTHING: Column = np.empty(0, np.int32)
_BATCH = 4096  # sentences handed to the tokenizer at once, however long a document is
_PROCESSES = 8  # at most
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st jr sr vs no vol fig eq inc ltd co corp gen col lt sgt rev hon gov sen "
    "rep e.g i.e cf al approx dept est min max ca".split()
)
_BORDER = re.compile(r"""[.!?]["'”’)\]]*\s+(?=["'“‘(\[]*[A-Z0-9])""")
_LAST_WORD = re.compile(r"[\w.]+$")
_WORD_REACH = 12  # characters looked at before a full stop, more than any abbreviation has


class CorpusError(HeadlightError):
    """A text file that cannot be read, or that holds too little text."""


def read_documents(path: Path) -> Iterator[list[str]]:
    """Yield the paragraphs of one document after the other.

    Raises:
        CorpusError: the file is missing, damaged or not UTF-8.
    """
    paragraphs: list[str] = []
    try:
        with (
            lzma.open(path, "rt", encoding="utf-8-sig")
            if path.suffix == ".xz"
            else path.open(encoding="utf-8-sig") as lines
        ):
            for line in lines:
                if text := line.strip():
                    paragraphs.append(text)
                elif paragraphs:
                    yield paragraphs
                    paragraphs = []
    except UnicodeDecodeError as error:
        raise CorpusError(f"cannot read {path}: it is not UTF-8") from error
    except (lzma.LZMAError, EOFError) as error:
        raise CorpusError(f"cannot read {path}: the compressed file is damaged") from error
    except OSError as error:
        raise CorpusError(f"cannot read {path}: {error.strerror or error}") from error
    if paragraphs:
        yield paragraphs


def split_sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after full stops, question and exclamation marks.

    Titles, common abbreviations and initials do not end a sentence: ``"Dr. Who met J. Smith. He
    left."`` gives two.
    """
    sentences, start = [], 0
    for border in _BORDER.finditer(paragraph):
        reach = max(start, border.start() - _WORD_REACH)
        word = _LAST_WORD.search(paragraph, reach, border.start())
        if word and paragraph[border.start()] == ".":
            letters = word.group().lower()
            if letters in _ABBREVIATIONS or (len(letters) == 1 and letters.isalpha()):
                continue
        sentences.append(paragraph[start : border.end()].strip())
        start = border.end()
    if rest := paragraph[start:].strip():
        sentences.append(rest)
    return sentences


def as_written(paragraphs: Sequence[str]) -> list[str]:
    r"""Sentences that joined are the paragraphs, a line break between each two of these.

    ``["One.  Two.", "Three."]`` gives ``["One.", "  Two.\n", "Three."]``.
    """
    sentences: list[str] = []
    for paragraph in filter(None, map(str.strip, paragraphs)):
        if sentences:
            sentences[-1] += "\n"
        start = 0
        for sentence in split_sentences(paragraph):
            end = paragraph.index(sentence, start) + len(sentence)
            sentences.append(paragraph[start:end])
            start = end
    return sentences


@dataclass(frozen=True)
class TokenCorpus:
    """Token ids of many documents in a row.

    Attributes:
        tokens: int32 ``[token]``, without special tokens.
        sentences: int64 ``[sentence + 1]``, where each sentence starts; last, the length.
        documents: int64 ``[document + 1]``, where each document starts; last, the length.
    """

    tokens: Tensor
    sentences: Tensor
    documents: Tensor

    @classmethod
    def from_files(cls, paths: Sequence[Path], tokenizer: tokenizers.Tokenizer) -> TokenCorpus:
        """Read and tokenise files, several at a time in processes of their own.

        Special tokens that are written in a text are read as plain characters.

        Raises:
            CorpusError: a file cannot be read, or all of them hold no text.
        """
        processes = min(len(paths), os.cpu_count() or 1, _PROCESSES)
        if processes <= 1:
            return cls._joined([_tokenise(path, tokenizer) for path in paths])
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            return cls._joined(list(pool.map(_tokenise, paths, repeat(tokenizer))))

    @classmethod
    def from_texts(
        cls, documents: Iterable[list[str]], tokenizer: tokenizers.Tokenizer
    ) -> TokenCorpus:
        """Tokenise documents given as lists of paragraphs, as :meth:`from_files` does.

        Raises:
            CorpusError: they hold no text.
        """
        return cls._joined([_tokenise_documents(documents, tokenizer)])

    @classmethod
    def _joined(cls, parts: Sequence[_Part]) -> TokenCorpus:
        tokens, sentences, documents = (
            np.concatenate([_NOTHING, *column]) for column in zip(*parts, strict=True)
        )
        if not len(tokens):
            raise CorpusError("the corpus holds no text")
        return cls(torch.from_numpy(tokens), _borders(sentences), _borders(documents))

    def save(self, path: Path, origin: str) -> None:
        """Keep the corpus as safetensors, with a note of what it was made from.

        The file appears complete or not at all.
        """
        tensors = {name: getattr(self, name) for name in ("tokens", "sentences", "documents")}
        fresh = path.with_name(f"{path.name}.new")
        save_file(tensors, fresh, metadata={"origin": origin})
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path, origin: str) -> TokenCorpus | None:
        """What :meth:`save` kept; ``None`` if missing, damaged or made from something else."""
        if not path.is_file():
            return None
        try:
            with safe_open(path, framework="pt") as file:
                if (file.metadata() or {}).get("origin") != origin:
                    return None
            return cls(**load_file(path))
        except SafetensorError:
            return None

    def to(self, device: torch.device) -> TokenCorpus:
        """The same corpus on another device."""
        return TokenCorpus(
            self.tokens.to(device), self.sentences.to(device), self.documents.to(device)
        )


def _borders(lengths: Column) -> Tensor:
    # Three sentences of 4, 3 and 5 tokens start at 0, 4 and 7 and end at 12.
    return torch.from_numpy(np.concatenate([[0], lengths.cumsum(dtype=np.int64)]))


_Part = tuple[Column, Column, Column]  # tokens, tokens a sentence, tokens a document


def _tokenise(path: Path, tokenizer: tokenizers.Tokenizer) -> _Part:
    return _tokenise_documents(read_documents(path), tokenizer)


def _tokenise_documents(documents: Iterable[list[str]], tokenizer: tokenizers.Tokenizer) -> _Part:
    reader = tokenizers.Tokenizer.from_str(tokenizer.to_str())  # what is set here stays here
    reader.no_truncation()
    reader.no_padding()
    reader.encode_special_tokens = True  # "[SEP]" in a text is what it is written with
    cut = as_written if _reads_space(reader) else _sentences
    sentences = (
        (number, sentence)
        for number, paragraphs in enumerate(documents)
        for sentence in cut(paragraphs)
    )
    tokens, lengths, owners = [_NOTHING], [_NOTHING], [_NOTHING]
    while some := list(islice(sentences, _BATCH)):
        numbers, texts = zip(*some, strict=True)
        encodings = reader.encode_batch_fast(list(texts), add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        tokens.append(np.fromiter(chain.from_iterable(ids), np.int32))
        lengths.append(np.fromiter(map(len, ids), np.int64))
        owners.append(np.asarray(numbers))
    of_sentences = np.concatenate(lengths)
    of_documents = np.bincount(np.concatenate(owners), weights=of_sentences).astype(np.int64)
    return (
        np.concatenate(tokens),
        of_sentences[of_sentences > 0],
        of_documents[of_documents > 0],
    )


def _sentences(paragraphs: Sequence[str]) -> list[str]:
    return [sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)]


def _reads_space(reader: tokenizers.Tokenizer) -> bool:
    bare, broken = (reader.encode(text, add_special_tokens=False).ids for text in ("a", "a\n"))
    return bool(bare != broken)
