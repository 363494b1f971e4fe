"""SentencePiece files, written byte by byte."""

import pytest

from core.tokenisation import DamagedPieceFileError, TokenizerRefusedError
from core.tokenisation.piece_file import Method, Piece, PieceKind, read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import Frame
from tests.core.tokenisation.piece_encoding import message, number, piece_file, score, varint

FRAME = Frame(specials=("<unk>", "</s>"), single="$A </s>", pair="$A </s> $B </s>")
PIECES = [
    Piece("<unk>", 0.0, PieceKind.UNKNOWN),
    Piece("</s>", 0.0, PieceKind.CONTROL),
    Piece("▁the", -1.0),
    Piece("▁", -2.0),
    Piece("▁c", -3.5),
    Piece("at", -2.5),
    Piece("s", -2.25),
    Piece("ats", -5.0),
    *(Piece(letter, -6.0) for letter in "abcdehit"),
    Piece("…", 0.0, PieceKind.USER_DEFINED),
]
PAIRS = [
    Piece("<unk>", 0.0, PieceKind.UNKNOWN),
    Piece("</s>", 0.0, PieceKind.CONTROL),
    *(Piece(text, -float(rank)) for rank, text in enumerate(["at", "ca", "cat", "▁t", "▁ca"])),
    *(Piece(letter, -10.0 - at) for at, letter in enumerate("▁catdog")),
]


def pieces_of(content, text):
    return list(piece_tokenizer(read_piece_file(content), FRAME).encode(text).tokens)


def test_what_the_bytes_say():
    before = message(1, b"identity") + number(3, 0) + number(4, 0)
    file = read_piece_file(piece_file(PIECES, trainer=number(35, 1) + number(24, 1), before=before))
    assert file.pieces == tuple(PIECES)
    assert file.method is Method.UNIGRAM
    assert file.before.name == "identity"
    assert not file.before.dummy_prefix
    assert not file.before.strip_spaces
    assert file.before.escape_spaces
    assert file.after.dummy_prefix
    assert file.byte_fallback
    assert file.suffixes


def test_fields_that_are_not_said_have_the_defaults_of_the_format():
    file = read_piece_file(message(1, message(1, b"x")))
    assert file.pieces == (Piece("x", 0.0, PieceKind.NORMAL),)
    assert file.method is Method.UNIGRAM
    assert file.before.dummy_prefix
    assert file.before.strip_spaces


def test_unknown_fields_of_every_kind_are_passed_over():
    beyond = number(99, 300) + varint(98 << 3 | 1) + bytes(8) + varint(97 << 3 | 5) + bytes(4)
    content = beyond + message(96, b"?") + piece_file(PIECES)
    assert read_piece_file(content).pieces == tuple(PIECES)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no pieces"),
        (b"\xff" * 20, "no SentencePiece file"),
        (b"version https://git-lfs.github.com/spec/v1", "kind 6"),
        (piece_file(PIECES)[:-1], "cut off"),
        (piece_file(PIECES)[:40], "cut off"),
        (message(1, message(1, b"")), "0 characters"),
        (message(1, message(1, b"a" * 600)), "600 characters"),
        (message(1, message(1, b"\xff")), "UTF-8"),
        (message(1, message(1, b"a") + score(float("nan"))), "score"),
        (message(1, message(1, b"a") + number(2, 3)), "score"),
        (message(1, message(1, b"a") + number(3, 9)), "kind"),
        (message(1, message(1, b"a")) * 2, "twice"),
        (message(1, message(1, b"a")) + message(2, number(3, 7)), "type"),
        (number(1, 5), "message"),
        (varint(1 << 3 | 3), "kind 3"),
    ],
)
def test_damage_is_named(content, problem):
    with pytest.raises(DamagedPieceFileError, match=problem):
        read_piece_file(content)


def test_the_likeliest_cut():
    content = piece_file(PIECES)
    # "ats" costs 5.0, "at" and "s" together 4.75.
    assert pieces_of(content, "the  cats") == ["▁the", "▁c", "at", "s", "</s>"]
    assert pieces_of(content, " the cat… z") == ["▁the", "▁c", "at", "…", "▁", "z", "</s>"]
    assert piece_tokenizer(read_piece_file(content), FRAME).readable("▁the") == "␣the"


def test_merges_from_scores():
    content = piece_file(PAIRS, Method.BPE)
    assert pieces_of(content, "cat tat") == ["▁", "cat", "▁t", "at", "</s>"]


def test_no_prefix_and_kept_spaces():
    content = piece_file(PIECES, before=number(3, 0) + number(4, 0))
    assert pieces_of(content, "the  cat") == ["t", "h", "e", "▁", "▁c", "at", "</s>"]


def test_special_tokens_are_not_read_from_a_text():
    encoding = piece_tokenizer(read_piece_file(piece_file(PIECES)), FRAME).encode("the </s>")
    assert encoding.tokens.count("</s>") == 1
    assert encoding.special == (*(False,) * (len(encoding.tokens) - 1), True)


def test_further_tokens_get_the_last_ids():
    read = read_piece_file(piece_file(PIECES))
    tokenizer = piece_tokenizer(read, FRAME, further=["<extra_id_1>", "<extra_id_0>"])
    assert tokenizer.id("<extra_id_0>") == len(PIECES) + 1
    assert tokenizer.inner.encode("the <extra_id_0>").tokens[-2] == "<extra_id_0>"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (piece_file(PIECES, Method.WORD), "whole words"),
        (piece_file(PIECES, trainer=number(24, 1)), "behind a word"),
        (piece_file(PIECES, before=number(5, 0)), "keeps spaces"),
        (piece_file([*PIECES, Piece("x", -1.0, PieceKind.UNUSED)]), "unused"),
        (piece_file(PIECES, trainer=number(35, 1)), "as bytes"),
        (piece_file([*PIECES, Piece("<0x00>", 0.0, PieceKind.BYTE)]), "for bytes"),
        (piece_file([*PAIRS, Piece("…", 0.0, PieceKind.USER_DEFINED)], Method.BPE), "its BPE"),
        (piece_file(PIECES, after=message(2, b"1234")), "that it writes"),
        # The symbol could also be cut at "ca", which is not beside anything that is lost.
        (piece_file([*PIECES, Piece("ca" * 9, 0.0, PieceKind.USER_DEFINED)]), "not sure"),
    ],
)
def test_what_could_not_be_followed_exactly_is_refused(content, reason):
    with pytest.raises(TokenizerRefusedError, match=reason):
        pieces_of(content, "the cat")


def test_a_file_without_the_tokens_that_a_model_needs():
    with pytest.raises(DamagedPieceFileError, match="</s>"):
        pieces_of(piece_file([PIECES[0], *PIECES[2:]]), "the cat")
    with pytest.raises(DamagedPieceFileError, match="0 pieces stand for the unknown"):
        pieces_of(piece_file([Piece("<unk>"), *PIECES[1:]]), "the cat")
