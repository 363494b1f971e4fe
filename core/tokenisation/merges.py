"""How a vocabulary cuts a word, one step at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from typing import Any

from core.errors import ConfigError
from core.tokenisation.tokenizer import Tokenizer

UNKNOWN_PENALTY = 10.0  # below the least likely piece: what the library gives an unknown character


@dataclass(frozen=True)
class Merge:
    """Two neighbours became one piece.

    Attributes:
        left: the first of them.
        right: the second.
        rank: the merge's number in the order in which it was learned, from 0.
        index: of the first one before the merge.
        pieces: of the word after it.
    """

    left: str
    right: str
    rank: int
    index: int
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """The longest piece that fits at one position.

    Attributes:
        start: in characters of the word.
        end: behind the piece; the start again if nothing fits.
        tried: from the longest stretch on, what was looked up; the last one was found, unless
            nothing fits.
    """

    start: int
    end: int
    tried: tuple[str, ...]


@dataclass(frozen=True)
class Segmentation:
    """One way to cut a word.

    Attributes:
        pieces: from left to right; an unknown stretch as it is written.
        scores: of each, the logarithm of its probability.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Logarithm of the probability of the whole, as if pieces were drawn independently."""
        return sum(self.scores)


@dataclass(frozen=True)
class WordSteps:
    """How one word was cut.

    Attributes:
        word: as the vocabulary's rules prepare it, a space in front written as they write it.
        pieces: the result.
        start: what BPE starts with.
        merges: of BPE, in the order in which they are applied.
        matches: of WordPiece, from left to right.
        segmentations: of Unigram, the likeliest first.
    """

    word: str
    pieces: tuple[str, ...]
    start: tuple[str, ...] = ()
    merges: tuple[Merge, ...] = ()
    matches: tuple[Match, ...] = ()
    segmentations: tuple[Segmentation, ...] = ()


def merge_steps(text: str, tokenizer: Tokenizer, *, top: int = 5) -> list[WordSteps]:
    """Cut every word of a text step by step.

    Special tokens in the text are not looked for.

    Args:
        text: one word or several.
        tokenizer: its vocabulary and rules.
        top: how many segmentations of a Unigram vocabulary.

    Raises:
        ConfigError: the vocabulary is of a kind, or has an option, that is not shown here.
    """
    inner = tokenizer.inner
    model = json.loads(inner.to_str())["model"]
    if inner.normalizer is not None:
        text = inner.normalizer.normalize_str(text)
    words = [text] if text else []
    if inner.pre_tokenizer is not None:
        words = [word for word, _ in inner.pre_tokenizer.pre_tokenize_str(text)]
    match model["type"]:
        case "BPE":
            bpe = _Bpe(model)
            return [bpe.steps(word) for word in words]
        case "WordPiece":
            return [_word_piece_steps(word, model) for word in words]
        case "Unigram":
            unigram = _Unigram(model)
            return [unigram.steps(word, top) for word in words]
    raise ConfigError(f"a vocabulary of the kind {model['type']} has no steps to show")


class _Bpe:
    """Merges learned pairs, the earliest first, and of one pair the leftmost first.

    Source: Sennrich, Haddow and Birch 2016, "Neural Machine Translation of Rare Words with Subword
    Units", section 3.2.
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        for option in ("byte_fallback", "dropout", "ignore_merges"):
            if model.get(option):
                raise ConfigError(f"a vocabulary with {option} has no steps to show")
        self.vocabulary: Mapping[str, int] = model["vocab"]
        self.prefix = model["continuing_subword_prefix"] or ""
        self.suffix = model["end_of_word_suffix"] or ""
        self.unknown: str | None = model["unk_token"]
        self.fuse_unknown: bool = model["fuse_unk"]
        self.ranks = {(left, right): rank for rank, (left, right) in enumerate(model["merges"])}

    def _start(self, word: str) -> list[str]:
        pieces: list[str] = []
        for index, char in enumerate(word):
            piece = (self.prefix if index else "") + char
            piece += self.suffix if index == len(word) - 1 else ""
            if piece in self.vocabulary:
                pieces.append(piece)
            elif self.unknown is not None and not (
                self.fuse_unknown and pieces and pieces[-1] == self.unknown
            ):
                pieces.append(self.unknown)
        return pieces

    def steps(self, word: str) -> WordSteps:
        start = pieces = self._start(word)
        merges: list[Merge] = []
        while True:
            pairs = list(pairwise(pieces))
            found = [(self.ranks[pair], at) for at, pair in enumerate(pairs) if pair in self.ranks]
            if not found:
                break
            rank, at = min(found)
            left, right = pairs[at]
            merged = left + right.removeprefix(self.prefix)
            pieces = [*pieces[:at], merged, *pieces[at + 2 :]]
            merges.append(Merge(left, right, rank, at, tuple(pieces)))
        return WordSteps(word, tuple(pieces), start=tuple(start), merges=tuple(merges))


def _word_piece_steps(word: str, model: Mapping[str, Any]) -> WordSteps:
    """Longest match first, from the left; a word is unknown where nothing matches.

    Source: google-research/bert, tokenization.py, WordpieceTokenizer.
    """
    vocabulary, prefix = model["vocab"], model["continuing_subword_prefix"]
    unknown = (model["unk_token"],)
    if len(word) > model["max_input_chars_per_word"]:
        return WordSteps(word, unknown)
    pieces: list[str] = []
    matches: list[Match] = []
    start = 0
    while start < len(word):
        tried: list[str] = []
        for end in range(len(word), start, -1):
            tried.append((prefix if start else "") + word[start:end])
            if tried[-1] in vocabulary:
                break
        else:
            matches.append(Match(start, start, tuple(tried)))
            return WordSteps(word, unknown, matches=tuple(matches))
        matches.append(Match(start, end, tuple(tried)))
        pieces.append(tried[-1])
        start = end
    return WordSteps(word, tuple(pieces), matches=tuple(matches))


_Way = tuple[float, tuple[int, ...], tuple[float, ...]]  # score, cuts, scores of the pieces


class _Unigram:
    """The likeliest of all ways to cut, each piece drawn by itself.

    Source: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with
    Multiple Subword Candidates", section 3.2.
    """

    def __init__(self, model: Mapping[str, Any]) -> None:
        if model.get("byte_fallback"):
            raise ConfigError("a vocabulary with byte_fallback has no steps to show")
        self.scores = {piece: float(score) for piece, score in model["vocab"]}
        self.longest = max(map(len, self.scores))
        self.unknown = min(self.scores.values()) - UNKNOWN_PENALTY

    def _pieces_at(self, word: str, end: int) -> list[tuple[int, float]]:
        """Start and score of every piece that ends here; an unknown character if none does."""
        found = [
            (start, self.scores[word[start:end]])
            for start in range(max(0, end - self.longest), end)
            if word[start:end] in self.scores
        ]
        if word[end - 1 : end] not in self.scores:
            found.append((end - 1, self.unknown))
        return found

    def steps(self, word: str, top: int) -> WordSteps:
        # For every position, the best ways to get there.
        ways: list[list[_Way]] = [[(0.0, (0,), ())]]
        for end in range(1, len(word) + 1):
            reached: list[_Way] = [
                (total + score, (*cuts, end), (*scores, score))
                for start, score in self._pieces_at(word, end)
                for total, cuts, scores in ways[start]
            ]
            ways.append(nlargest(top, reached, key=lambda way: way[0]))
        found = tuple(self._segmentation(word, cuts, scores) for _, cuts, scores in ways[-1])
        return WordSteps(word, found[0].pieces if found else (), segmentations=found)

    def _segmentation(
        self, word: str, cuts: tuple[int, ...], scores: tuple[float, ...]
    ) -> Segmentation:
        """Unknown characters side by side are one piece."""
        pieces: list[str] = []
        kept: list[float] = []
        for start, end, score in zip(cuts, cuts[1:], scores, strict=False):
            piece = word[start:end]
            if piece not in self.scores and pieces and pieces[-1] not in self.scores:
                pieces[-1] += piece
                kept[-1] += score
            else:
                pieces.append(piece)
                kept.append(score)
        return Segmentation(tuple(pieces), tuple(kept))
