"""Tokenizers of XLM-R and CamemBERT: a SentencePiece file whose ids are counted in another way."""

from __future__ import annotations

from dataclasses import replace

from core.checkpoints.files import FAIRSEQ_PIECES, Folder
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.piece_file import Piece, PieceKind, read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import ROBERTA_FRAME

# By the name of the family: what stands before the pieces, and how many of the file's it replaces.
_BEFORE = {
    "xlm-roberta": (("<s>", "<pad>", "</s>", "<unk>"), 3),
    "camembert": (("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"), 1),
}
_FIRST = ("<unk>", "<s>", "</s>")


def tokenizer_of_fairseq(folder: Folder, family: str) -> Tokenizer:
    """The tokenizer of a ``sentencepiece.bpe.model``.

    Args:
        folder: where it lies.
        family: ``model_type``, which decides how ids are counted.

    Raises:
        TokenizerRefusedError: another family, or something that could not be followed exactly.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: the file is damaged.
    """
    if family not in _BEFORE:
        reason = f"a model of the family {family} has its tokens in another file"
        raise TokenizerRefusedError(FAIRSEQ_PIECES, reason)
    file = read_piece_file(folder.read(FAIRSEQ_PIECES) or b"")
    if tuple(piece.text for piece in file.pieces[: len(_FIRST)]) != _FIRST:
        reason = f"it does not begin with {', '.join(_FIRST)}"
        raise TokenizerRefusedError(FAIRSEQ_PIECES, reason)
    names, replaced = _BEFORE[family]
    before = [
        Piece(name, kind=PieceKind.UNKNOWN if name == "<unk>" else PieceKind.CONTROL)
        for name in names
    ]
    mask = Piece("<mask>", kind=PieceKind.CONTROL)
    numbered = replace(file, pieces=(*before, *file.pieces[replaced:], mask))
    try:
        return piece_tokenizer(numbered, ROBERTA_FRAME)
    except TokenizerRefusedError as error:
        raise TokenizerRefusedError(FAIRSEQ_PIECES, error.reason) from error
