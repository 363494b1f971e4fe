"""A SentencePiece file as a tokenizer that cuts every text as SentencePiece does, or a refusal.

What SentencePiece does to a text, in this order: characters are replaced by a table, spaces around
are dropped and several become one, one is put in front, spaces become ``▁``, and what is left is
cut. All of it has a counterpart in ``tokenizers``; where the two differ (symbols that the user
defined in a BPE, unused pieces, spaces at the ends of words) the file is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors

from core.tokenisation.character_map import CharacterMap
from core.tokenisation.errors import DamagedPieceFileError, TokenizerRefusedError
from core.tokenisation.piece_file import Method, Normalisation, Piece, PieceFile, PieceKind
from core.tokenisation.tokenizer import Tokenizer
from core.tokenisation.training import Frame

SPACE = "▁"
NAME = "spiece.model"
# SentencePiece's own numbers, which the library shares where it has them.
_USER_DEFINED_PENALTY = 0.1
_UNKNOWN_PENALTY = 10.0


def piece_tokenizer(
    file: PieceFile,
    frame: Frame,
    *,
    before: Sequence[Any] = (),
    further: Sequence[str] = (),
) -> Tokenizer:
    """The tokenizer of a file.

    Args:
        file: as :func:`core.tokenisation.piece_file.read_piece_file` gives it.
        frame: where the special tokens stand; those it names must be in the file.
        before: steps of normalisation that a model's own code does first.
        further: special tokens with the last ids, which the file does not have.

    Raises:
        TokenizerRefusedError: it asks for something that could not be followed exactly.
        DamagedPieceFileError: it has no piece for the unknown, or lacks a token of the frame.
        CharacterMapError: its table of characters is damaged.
    """
    _refuse(file)
    texts = [piece.text for piece in file.pieces]
    for token in frame.specials:
        if token not in texts:
            raise DamagedPieceFileError(f"it has no piece {token}")
    unknown = [at for at, one in enumerate(file.pieces) if one.kind is PieceKind.UNKNOWN]
    if len(unknown) != 1:
        raise DamagedPieceFileError(f"{len(unknown)} pieces stand for the unknown")
    unigram = file.method is Method.UNIGRAM
    inner = tokenizers.Tokenizer(
        _unigram(file, unknown[0]) if unigram else _pairs(file, texts[unknown[0]])
    )
    exact = _exact_map(file)
    # The library has no map of its own that is as exact; composed letters are nearest to it.
    inner.normalizer = _normaliser(
        file.before, before, _libraries_map(file.before.character_map) if exact else ()
    )
    # Cutting at spaces first is quicker, and the same unless a piece has one inside.
    inside = any(SPACE in piece.text[1:] for piece in file.pieces)
    inner.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="never", split=not inside)
    inner.decoder = _joiner(file)
    inner.add_special_tokens(_special_tokens(file, frame, further))
    inner.post_processor = processors.TemplateProcessing(
        single=frame.single,
        pair=frame.pair,
        special_tokens=[(token, texts.index(token)) for token in frame.specials],
    )
    if not exact:
        return Tokenizer(inner)
    own = normalizers.Normalizer.custom(exact)
    return Tokenizer(inner, normaliser=_normaliser(file.before, before, [own]))


def _refuse(file: PieceFile) -> None:
    kinds = {piece.kind for piece in file.pieces}
    unigram = file.method is Method.UNIGRAM
    for applies, reason in (
        (file.method not in (Method.UNIGRAM, Method.BPE), "it cuts by whole words or characters"),
        (file.suffixes, "its pieces mark the space behind a word"),
        (not file.before.escape_spaces, "it keeps spaces as they are"),
        (PieceKind.UNUSED in kinds, "some of its pieces are marked as unused"),
        (unigram and file.byte_fallback, "its Unigram spells unknown characters as bytes"),
        (unigram and PieceKind.BYTE in kinds, "its Unigram has pieces for bytes"),
        (
            not unigram and PieceKind.USER_DEFINED in kinds,
            "its BPE has symbols that the user defined",
        ),
        (bool(file.after.character_map), "it replaces characters in texts that it writes"),
    ):
        if applies:
            raise TokenizerRefusedError(NAME, reason)


def _unigram(file: PieceFile, unknown: int) -> models.Unigram:
    normal = {one.text: one.score for one in file.pieces if one.kind is PieceKind.NORMAL}
    if not normal:
        raise DamagedPieceFileError("it has no ordinary pieces")
    # Most pieces are ordinary, and there are many.
    scores = [
        piece.score if piece.kind is PieceKind.NORMAL else _score(piece, file, normal)
        for piece in file.pieces
    ]
    texts = [piece.text for piece in file.pieces]
    return models.Unigram(list(zip(texts, scores, strict=True)), unknown, byte_fallback=False)


def _score(piece: Piece, file: PieceFile, normal: dict[str, float]) -> float:
    """The score in the library's model of a piece that is no ordinary one.

    Both judge what is unknown by the least score, but the library by that of all pieces,
    SentencePiece by that of ordinary ones: no other piece may have less.
    """
    least, most = min(normal.values()), max(normal.values())
    if piece.kind is not PieceKind.USER_DEFINED:
        return least  # never found in a text
    score = len(piece.text.encode()) * most - _USER_DEFINED_PENALTY
    if score < least and not _always_wins(piece.text, score, file, normal):
        reason = f"it is not sure that the symbol {piece.text!r}, which the user defined, is kept"
        raise TokenizerRefusedError(NAME, reason)
    return max(score, least)


def _always_wins(symbol: str, score: float, file: PieceFile, normal: dict[str, float]) -> bool:
    """Whether every other way to cut a symbol is less likely, so that a higher score is the same.

    Where no other piece has its first or last character beside others, these two stand alone, and
    between them there is at best one piece, as likely as the likeliest.
    """
    ends = {symbol[0], symbol[-1]}
    findable = (PieceKind.NORMAL, PieceKind.USER_DEFINED)
    others = (one.text for one in file.pieces if one.kind in findable and one.text != symbol)
    if any(len(text) > 1 and not ends.isdisjoint(text) for text in others):
        return False
    unknown = min(normal.values()) - _UNKNOWN_PENALTY
    if len(symbol) == 1:
        return unknown < score
    best = sum(normal.get(char, unknown) for char in (symbol[0], symbol[-1]))
    return best + (max(normal.values()) if len(symbol) > 2 else 0.0) < score


def _pairs(file: PieceFile, unknown: str) -> models.BPE:
    ids = {piece.text: at for at, piece in enumerate(file.pieces)}
    ordinary = {piece.text for piece in file.pieces if piece.kind is PieceKind.NORMAL}
    merges = [
        (-file.pieces[ids[text]].score, ids[text], text[:cut], text[cut:])
        for text in ordinary
        for cut in range(1, len(text))
        if text[:cut] in ordinary and text[cut:] in ordinary
    ]
    return models.BPE(
        ids,
        [(left, right) for _score, _id, left, right in sorted(merges)],
        unk_token=unknown,
        fuse_unk=True,
        byte_fallback=file.byte_fallback,
    )


def _exact_map(file: PieceFile) -> CharacterMap | None:
    if not file.before.character_map:
        return None
    kept = [one.text for one in file.pieces if one.kind is PieceKind.USER_DEFINED]
    return CharacterMap(file.before.character_map, kept)


def _libraries_map(table: bytes) -> list[Any]:
    return [normalizers.NFC(), normalizers.Precompiled(table)]


def _normaliser(rules: Normalisation, before: Sequence[Any], character_map: Sequence[Any]) -> Any:
    steps = [*before, *character_map]
    if rules.strip_spaces:
        steps.append(normalizers.Replace(Regex(r"\A +|[ ▁]+\z"), ""))
        steps.append(normalizers.Replace(Regex(" {2,}"), " "))
    if rules.dummy_prefix:
        steps.append(normalizers.Prepend(" "))
    return normalizers.Sequence(steps)


def _joiner(file: PieceFile) -> Any:
    spaces = decoders.Metaspace(SPACE, "always" if file.before.dummy_prefix else "never")
    if not file.byte_fallback:
        return spaces
    return decoders.Sequence([decoders.ByteFallback(), spaces])


def _special_tokens(file: PieceFile, frame: Frame, further: Sequence[str]) -> list[AddedToken]:
    of_file = [
        piece.text
        for piece in file.pieces
        if piece.kind in (PieceKind.CONTROL, PieceKind.UNKNOWN) or piece.text in frame.specials
    ]
    # A mask takes the space before it along.
    return [
        AddedToken(token, lstrip=token == frame.mask, normalized=False)
        for token in [*of_file, *further]
    ]
