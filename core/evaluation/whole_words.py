"""Which pieces of a text are whole words, whatever kind of vocabulary cut it.

WordPiece marks what continues a word. Byte level and SentencePiece mark what follows a space
instead, so that a comma and the first word of a text are without a mark too: there a piece
continues a word only if a letter or digit stands on both sides of the cut. Punctuation is then a
word of its own, as in WordPiece, and shares of whole words mean the same everywhere.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import torch
from tokenizers import decoders
from torch import Tensor

from core.objectives.pieces import continuations
from core.tokenisation import Tokenizer


@dataclass(frozen=True)
class Joints:
    """Where pieces of a vocabulary belong to one word.

    Attributes:
        continues: boolean ``[id]``, True for pieces that go on with an open word.
        opens: boolean ``[id]``, True for pieces that leave a word open.
        marked: whether a piece says by itself that it continues a word, even where none is before.
    """

    continues: Tensor
    opens: Tensor
    marked: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Joints:
        """Of a vocabulary."""
        continues = continuations(tokenizer)
        vocabulary = tokenizer.inner.get_vocab()
        opens = torch.ones_like(continues)
        going_on = {vocabulary[piece] for piece in vocabulary if piece.startswith("##")}
        if set(continues.nonzero()[:, 0].tolist()) <= going_on:
            return cls(continues, opens, marked=True)
        spell = decoders.ByteLevel() if tokenizer.byte_level else decoders.Metaspace()
        special = {token.content for token in tokenizer.inner.get_added_tokens_decoder().values()}
        for piece, number in vocabulary.items():
            # What follows another piece is decoded as it stands, a space before it included.
            text = "" if piece in special else spell.decode(["a", piece])[1:]
            continues[number] &= _in_word(text[:1])
            opens[number] = _in_word(text[-1:])
        return cls(continues, opens, marked=False)

    def to(self, device: torch.device) -> Joints:
        """The same on another device."""
        return Joints(self.continues.to(device), self.opens.to(device), self.marked)

    def glued(self, ids: Tensor, before: Tensor, *, starts: Tensor) -> Tensor:
        """Which tokens go on with the word of the token before them, boolean ``[batch, token]``.

        Args:
            ids: ``[batch, token]``.
            before: what stands before the first of each, ``[batch]``.
            starts: whether nothing does, as the text starts there, boolean ``[batch]``.
        """
        previous = torch.cat([before[:, None], ids[:, :-1]], dim=1)
        joined = self.continues[ids] & self.opens[previous]
        first = torch.where(starts, self.continues[ids[:, 0]] & self.marked, joined[:, 0])
        return torch.cat([first[:, None], joined[:, 1:]], dim=1)


def _in_word(char: str) -> bool:
    # The bytes of a part of a character are decoded to the replacement character.
    return char == "\N{REPLACEMENT CHARACTER}" or (
        char != "" and unicodedata.category(char)[0] in "LNM"
    )
