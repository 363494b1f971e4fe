"""From text files to one long row of token ids with sentence and document borders.

A text file is UTF-8, plain or xz-compressed, one paragraph a line, a blank line between documents.
"""

from __future__ import annotations

import lzma
import multiprocessing
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import tokenizers
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.errors import HeadlightError

_BATCH = 4096  # sentences handed to the tokenizer at once
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st jr sr vs no vol fig eq inc ltd co corp gen col lt sgt rev hon gov sen "
    "rep e.g i.e cf al approx dept est min max ca".split()
)
_BORDER = re.compile(r"""[.!?]["'”’)\]]*\s+(?=["'“‘(\[]*[A-Z0-9])""")
_LAST_WORD = re.compile(r"[\w.]+$")


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
            lzma.open(path, "rt", encoding="utf-8")
            if path.suffix == ".xz"
            else path.open(encoding="utf-8") as lines
        ):
            for line in lines:
                if text := line.strip():
                    paragraphs.append(text)
                elif paragraphs:
                    yield paragraphs
                    paragraphs = []
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read {path.name}: {error}") from error
    if paragraphs:
        yield paragraphs


def split_sentences(paragraph: str) -> list[str]:
    """Cut a paragraph after full stops, question and exclamation marks.

    Titles, common abbreviations and initials do not end a sentence: ``"Dr. Who met J. Smith. He
    left."`` gives two.
    """
    sentences, start = [], 0
    for border in _BORDER.finditer(paragraph):
        word = _LAST_WORD.search(paragraph, start, border.start())
        if word and paragraph[border.start()] == ".":
            letters = word.group().lower()
            if letters in _ABBREVIATIONS or (len(letters) == 1 and letters.isalpha()):
                continue
        sentences.append(paragraph[start : border.end()].strip())
        start = border.end()
    if rest := paragraph[start:].strip():
        sentences.append(rest)
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
    def from_files(cls, paths: Sequence[Path], tokenizer_file: Path) -> TokenCorpus:
        """Read and tokenise files, each in a process of its own.

        Raises:
            CorpusError: a file cannot be read, or all of them hold no text.
        """
        jobs = [(path, tokenizer_file) for path in paths]
        if len(jobs) == 1:
            parts = [_tokenise(*jobs[0])]
        else:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(min(len(jobs), 8), mp_context=context) as pool:
                parts = list(pool.map(_tokenise, *zip(*jobs, strict=True)))
        return cls._joined(parts)

    @classmethod
    def from_texts(
        cls, documents: Iterable[list[str]], tokenizer: tokenizers.Tokenizer
    ) -> TokenCorpus:
        """Tokenise documents given as lists of paragraphs."""
        return cls._joined([_tokenise_documents(documents, tokenizer)])

    @classmethod
    def _joined(cls, parts: Sequence[_Part]) -> TokenCorpus:
        tokens = np.concatenate([part[0] for part in parts])
        if not len(tokens):
            raise CorpusError("the corpus holds no text")
        borders = []
        for column in (1, 2):
            lengths = np.concatenate([part[column] for part in parts]).astype(np.int64)
            borders.append(torch.from_numpy(np.concatenate([[0], lengths.cumsum()])))
        return cls(torch.from_numpy(tokens.astype(np.int32)), *borders)

    def save(self, path: Path, origin: str) -> None:
        """Keep the corpus as safetensors, with a note of what it was made from."""
        tensors = {name: getattr(self, name) for name in ("tokens", "sentences", "documents")}
        save_file(tensors, path, metadata={"origin": origin})

    @classmethod
    def load(cls, path: Path, origin: str) -> TokenCorpus | None:
        """What :meth:`save` kept, or ``None`` if it is missing or was made from something else."""
        if not path.is_file():
            return None
        with safe_open(path, framework="pt") as file:
            if (file.metadata() or {}).get("origin") != origin:
                return None
        return cls(**load_file(path))

    def to(self, device: torch.device) -> TokenCorpus:
        """The same corpus on another device."""
        return TokenCorpus(
            self.tokens.to(device), self.sentences.to(device), self.documents.to(device)
        )


_Part = tuple[np.ndarray, np.ndarray, np.ndarray]  # tokens, tokens a sentence, tokens a document


def _tokenise(path: Path, tokenizer_file: Path) -> _Part:
    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_file))
    return _tokenise_documents(read_documents(path), tokenizer)


def _tokenise_documents(documents: Iterable[list[str]], tokenizer: tokenizers.Tokenizer) -> _Part:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokens: list[np.ndarray] = []
    sentence_lengths: list[int] = []
    document_lengths: list[int] = []
    pending: list[str] = []
    sentences_of_document: list[int] = []

    def flush() -> None:
        encodings = tokenizer.encode_batch_fast(pending, add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        lengths = [len(one) for one in ids]
        sentence_lengths.extend(lengths)
        tokens.append(np.fromiter(chain.from_iterable(ids), np.uint16, sum(lengths)))
        position = 0
        for count in sentences_of_document:
            document_lengths.append(sum(lengths[position : position + count]))
            position += count
        pending.clear()
        sentences_of_document.clear()

    for paragraphs in documents:
        sentences = [one for paragraph in paragraphs for one in split_sentences(paragraph)]
        pending.extend(sentences)
        sentences_of_document.append(len(sentences))
        if len(pending) >= _BATCH:
            flush()
    flush()
    kept = np.asarray(sentence_lengths, dtype=np.int64)
    return (
        np.concatenate(tokens),
        kept[kept > 0],
        np.asarray([n for n in document_lengths if n], dtype=np.int64),
    )
