"""Two SentencePiece files with one vocabulary: what Marian's models (OPUS-MT) have.

Texts that are read are cut by the first file, those that are written by the second one. A table
says which id each piece has, and what it does not have is unknown, though a file may have it.

Source: Tiedemann and Thottingal 2020, "OPUS-MT - Building open translation services for the World".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import tokenizers
from tokenizers import AddedToken, decoders, models

from core.tokenisation.encoding import Encoding
from core.tokenisation.errors import TokenizerRefusedError
from core.tokenisation.piece_file import Method, Piece, PieceFile, PieceKind
from core.tokenisation.piece_tokenizer import NAME, SPACE, piece_tokenizer
from core.tokenisation.tokenizer import Tokenizer
from core.tokenisation.training import Frame

SPECIALS = ("</s>", "<unk>", "<pad>")
_FRAME = Frame(specials=("</s>",), single="$A </s>", pair="$A $B </s>")


class TwoSidedTokenizer(Tokenizer):
    """One side of two: cuts texts by its own pieces, and speaks the vocabulary of both.

    The models have no word for the padding; they begin to write from it.
    """

    def __init__(self, cutting: Tokenizer, inner: tokenizers.Tokenizer) -> None:
        """Cut as ``cutting`` does, with the ids of ``inner``."""
        self.__dict__.update(vars(cutting))
        self.inner = inner
        self.other: Tokenizer = self
        self._special = {token.content for token in inner.get_added_tokens_decoder().values()}

    @property
    def of_target(self) -> Tokenizer:
        """See :attr:`Tokenizer.of_target`."""
        return self.other

    @property
    def unwritten(self) -> tuple[int, ...]:
        """See :attr:`Tokenizer.unwritten`."""
        return (self.pad_id,)

    def encode(
        self, text: str, pair: str | None = None, *, limit: int | None = None, cut: bool = False
    ) -> Encoding:
        """See :meth:`Tokenizer.encode`."""
        read = super().encode(text, pair, limit=limit, cut=cut)
        ids = tuple(
            self.id(token) if special else self._number(token)
            for token, special in zip(read.tokens, read.special, strict=True)
        )
        tokens = tuple(map(self.token, ids))
        return replace(read, ids=ids, tokens=tokens, pieces=tuple(map(self.readable, tokens)))

    def ids_of(self, text: str) -> tuple[int, ...]:
        """See :meth:`Tokenizer.ids_of`."""
        return tuple(self.ids_of_each([text])[0])

    def ids_of_each(self, texts: Sequence[str]) -> list[list[int]]:
        """See :meth:`Tokenizer.ids_of_each`."""
        cleaned = list(map(self._clean, texts))
        read = self._reader.encode_batch(cleaned, add_special_tokens=False)
        return [[self._number(token) for token in one.tokens] for one in read]

    def _number(self, piece: str) -> int:
        """The id of a piece, which may be a stretch of characters that this side does not know."""
        number = None if piece in self._special else self.inner.token_to_id(piece)
        return self.unknown_id if number is None else int(number)


def two_sided_tokenizer(
    source: PieceFile, target: PieceFile, vocabulary: Mapping[str, int]
) -> TwoSidedTokenizer:
    """The tokenizer of the side that is read, with that of the other one.

    Args:
        source: cuts what is read.
        target: cuts what is written.
        vocabulary: the ids, from 0 without gaps, with those of the special tokens.

    Raises:
        TokenizerRefusedError, DamagedPieceFileError, CharacterMapError: as
            :func:`piece_tokenizer`.
    """
    names = sorted(vocabulary, key=vocabulary.__getitem__)
    inner = tokenizers.Tokenizer(
        models.Unigram([(name, 0.0) for name in names], vocabulary["<unk>"], byte_fallback=False)
    )
    inner.decoder = decoders.Metaspace(SPACE, "always")
    languages = [name for name in names if name.startswith(">>") and name.endswith("<<")]
    inner.add_special_tokens(
        [AddedToken(token, normalized=False) for token in (*SPECIALS, *languages)]
    )
    side, other = (TwoSidedTokenizer(_cutting(file), inner) for file in (source, target))
    side.other = other
    return side


def _cutting(file: PieceFile) -> Tokenizer:
    if file.method is not Method.UNIGRAM:
        # The library does not say of which characters a piece is that its merges do not know.
        raise TokenizerRefusedError(NAME, "it merges pairs, and ids come from another file")
    ended = any(one.text == "</s>" for one in file.pieces)
    ends = () if ended else (Piece("</s>", kind=PieceKind.CONTROL),)
    return piece_tokenizer(replace(file, pieces=(*file.pieces, *ends)), _FRAME)
