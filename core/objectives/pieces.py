"""What an objective knows of a vocabulary: its special, ordinary and continuing pieces."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import torch
from torch import Tensor

from core.tokenisation import MissingTokenError, Tokenizer
from core.tokenisation.blanks import nearest_size, sizes_of


@dataclass(frozen=True)
class Specials:
    """Ids of the special tokens of a BERT vocabulary."""

    classify: int
    separator: int
    mask: int
    padding: int


def specials_of(tokenizer: Tokenizer) -> Specials:
    """The ids of a BERT vocabulary's special tokens.

    Raises:
        core.tokenisation.MissingTokenError: it lacks one.
    """
    return Specials(
        classify=tokenizer.cls_id,
        separator=tokenizer.sep_id,
        mask=tokenizer.mask_id,
        padding=tokenizer.pad_id,
    )


def ordinary_ids(tokenizer: Tokenizer) -> Tensor:
    """The ids of all tokens that are not special, in their order, ``[candidate]``."""
    specials = {tokenizer.cls_id, tokenizer.sep_id, tokenizer.mask_id, tokenizer.pad_id}
    specials.add(tokenizer.unknown_id)
    # Those that nothing hidden is about, such as XLNet's <s>.
    added = tokenizer.inner.get_added_tokens_decoder()
    specials |= {number for number, token in added.items() if token.special}
    return torch.tensor(sorted(set(tokenizer.inner.get_vocab().values()) - specials))


def continuations(tokenizer: Tokenizer) -> Tensor:
    """Boolean ``[largest id + 1]``, True for the pieces that continue a word.

    WordPiece marks these (``##ing``); byte-level BPE and SentencePiece mark the pieces that start a
    word instead (``Ġthe``, ``▁the``), special tokens aside.
    """
    vocabulary = tokenizer.inner.get_vocab()
    continues = torch.zeros(max(vocabulary.values()) + 1, dtype=torch.bool)
    start = "Ġ" if tokenizer.byte_level else "▁"
    if any(piece.startswith(start) for piece in vocabulary):
        special = {token.content for token in tokenizer.inner.get_added_tokens_decoder().values()}
        chosen = {piece for piece in vocabulary if not piece.startswith(start)} - special
    else:
        chosen = {piece for piece in vocabulary if piece.startswith("##")}
    continues[[vocabulary[piece] for piece in chosen]] = True
    return continues


def closing_punctuation(tokenizer: Tokenizer) -> Tensor:
    """Boolean ``[largest id + 1]``, True for the pieces of nothing but punctuation."""
    vocabulary = tokenizer.inner.get_vocab()
    closes = torch.zeros(max(vocabulary.values()) + 1, dtype=torch.bool)
    found = (all(unicodedata.category(char)[0] == "P" for char in piece) for piece in vocabulary)
    numbers = [number for number, is_it in zip(vocabulary.values(), found, strict=True) if is_it]
    closes[numbers] = True
    return closes


def size_ids(tokenizer: Tokenizer, longest: int) -> Tensor:
    """The id of the token that says so many words, ``[longest + 1]``.

    Where a vocabulary has none for a size, the token of the size nearest to it in ratio says it;
    index 0, no words, has that of one word.

    Raises:
        core.tokenisation.MissingTokenError: there is none at all.
    """
    sizes = sizes_of(tokenizer)
    if not sizes:
        raise MissingTokenError("size")
    return torch.tensor([sizes[nearest_size(max(1, n), sizes)] for n in range(longest + 1)])


def end_id(tokenizer: Tokenizer) -> int:
    """The token that ends a text: of a causal model, or else the one after every text.

    Raises:
        core.tokenisation.MissingTokenError: there is neither.
    """
    ends = tokenizer.end_ids
    return ends[0] if ends else tokenizer.sep_id
