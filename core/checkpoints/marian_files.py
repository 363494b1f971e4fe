"""Tokenizers of OPUS-MT's folders: ``source.spm``, ``target.spm`` and ``vocab.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.checkpoints.files import PAIRS, SOURCE_PIECES, TARGET_PIECES, Folder
from core.checkpoints.piece_files import vocabulary_of
from core.hugging_face.errors import DamagedFileError, NotACheckpointError
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.piece_file import PieceFile, read_piece_file
from core.tokenisation.two_sided import SPECIALS, two_sided_tokenizer

MARIAN_FILES = (SOURCE_PIECES, TARGET_PIECES, PAIRS)


def tokenizer_of_two_sides(folder: Folder, settings: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer of a translator with a piece file for each of its sides.

    Args:
        folder: where they lie.
        settings: of ``tokenizer_config.json``: ``separate_vocabs`` is refused.

    Raises:
        TokenizerRefusedError: it could not be followed exactly.
        NotACheckpointError: one of the files is missing.
        DamagedFileError: ``vocab.json`` contradicts itself, or lacks a special token.
        core.tokenisation.DamagedPieceFileError, CharacterMapError: a piece file is damaged.
    """
    if settings.get("separate_vocabs") or folder.find("target_vocab.json") is not None:
        raise TokenizerRefusedError("target_vocab.json", "each side has a vocabulary of its own")
    vocabulary = vocabulary_of(folder)
    if max(vocabulary.values(), default=0) >= len(vocabulary):
        raise DamagedFileError(PAIRS, "its ids have gaps")
    for token in SPECIALS:
        if token not in vocabulary:
            raise DamagedFileError(PAIRS, f"it has no piece {token}")
    source, target = (_pieces(folder, name) for name in (SOURCE_PIECES, TARGET_PIECES))
    try:
        return two_sided_tokenizer(source, target, vocabulary)
    except TokenizerRefusedError as error:
        names = f"{SOURCE_PIECES} or {TARGET_PIECES}"
        raise TokenizerRefusedError(names, error.reason) from error


def _pieces(folder: Folder, name: str) -> PieceFile:
    content = folder.read(name)
    if content is None:
        raise NotACheckpointError(folder.path, name)
    return read_piece_file(content)
