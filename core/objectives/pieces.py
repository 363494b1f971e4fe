"""What an objective knows of a vocabulary: its special, ordinary and continuing pieces."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.tokenisation import MissingTokenError, Tokenizer


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


def sentinel_ids(tokenizer: Tokenizer) -> Tensor:
    """The ids of ``<extra_id_0>``, ``<extra_id_1>`` and so on, ``[sentinel]``; T5's run down."""
    found: list[int] = []
    while (number := tokenizer.inner.token_to_id(f"<extra_id_{len(found)}>")) is not None:
        found.append(number)
    return torch.tensor(found, dtype=torch.long)


def size_ids(tokenizer: Tokenizer, longest: int) -> Tensor:
    """The id of the token that says so many words, ``[longest + 1]``.

    ``<size_N>`` says N words. Where a vocabulary has none for a size, the token of the largest size
    below says it; place 0, no words, has that of one word.

    Raises:
        core.tokenisation.MissingTokenError: there is none for one word.
    """
    first = tokenizer.inner.token_to_id("<size_1>")
    if first is None:
        raise MissingTokenError("size")
    ids = [first, first]
    for words in range(2, longest + 1):
        number = tokenizer.inner.token_to_id(f"<size_{words}>")
        ids.append(ids[-1] if number is None else number)
    return torch.tensor(ids[: longest + 1])
