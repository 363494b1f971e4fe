"""Whole words are the same ones whatever kind of vocabulary cuts the text."""

import pytest
import tokenizers
import torch
from tokenizers import models, pre_tokenizers

from core.evaluation.hidden_words import EncoderTrial, Pieces
from core.evaluation.whole_words import Joints
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus

# Light fell, "un lit".  /  It wasn't.
WORD_PIECE = ["light", "fell", ",", '"', "un", "##lit", '"', ".", "it", "was", "##n", "'", "t", "."]
BYTE_LEVEL = [
    *("Light", "\u0120fell", ",", '\u0120"', "un", "lit", '".', "\u010a"),
    *("It", "\u0120was", "n", "'", "t", "."),
]
UNIGRAM = [
    *("\u2581Light", "\u2581fell", ",", "\u2581", '"', "un", "lit", '"', "."),
    *("\u2581It", "\u2581was", "n", "'", "t", "."),
]
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tokenizer_of(pieces: list[str]) -> Tokenizer:
    vocabulary = {piece: n for n, piece in enumerate([*SPECIALS, *dict.fromkeys(pieces)])}
    inner = tokenizers.Tokenizer(models.BPE(vocabulary, []))
    if pieces is BYTE_LEVEL:
        inner.pre_tokenizer = pre_tokenizers.ByteLevel()
    inner.add_special_tokens(SPECIALS)
    return Tokenizer(inner)


def words_of(pieces: list[str], window: int = 0) -> list[str]:
    """The whole words of one document; of the input that begins so many pieces in."""
    tokenizer = tokenizer_of(pieces)
    tokens = torch.tensor([tokenizer.id(piece) for piece in pieces], dtype=torch.int32)
    borders = torch.tensor([0, len(tokens)])
    spans = torch.tensor([[window, len(tokens) - window]])
    known = Pieces.of(tokenizer, torch.device("cpu"))
    trial = EncoderTrial(
        None, TokenCorpus(tokens, borders, borders), known, 32, spans, 1, torch.Generator()
    )
    ids = torch.cat([tokens[window:].long(), torch.tensor([tokenizer.sep_id])])
    whole = trial.whole_words(ids[None], spans)[0]
    assert whole[-1], "the separator goes on with nothing"
    found = [piece for piece, is_word in zip(pieces[window:], whole, strict=False) if is_word]
    return [piece.strip("\u2581\u0120\u010a").lower() for piece in found]


@pytest.mark.parametrize(
    ("pieces", "quote"),
    [(WORD_PIECE, ['"', "."]), (BYTE_LEVEL, ['".']), (UNIGRAM, ['"', "."])],
    ids=["word_piece", "byte_level", "unigram"],
)
def test_words_and_punctuation_are_whole_and_pieces_are_not(
    pieces: list[str], quote: list[str]
) -> None:
    found = [word for word in words_of(pieces) if word]
    assert found == ["light", "fell", ",", '"', *quote, "it", "'", "t", "."]


@pytest.mark.parametrize("pieces", [WORD_PIECE, BYTE_LEVEL, UNIGRAM])
def test_the_first_piece_of_an_input_is_judged_by_what_stood_before_it(pieces: list[str]) -> None:
    bare = [piece.strip("#\u2581\u0120").lower() for piece in pieces]
    assert words_of(pieces, bare.index("lit"))[0].startswith('"'), "lit goes on with un"
    assert words_of(pieces, bare.index("it"))[0] == "it", "it stands behind the end of a sentence"
    assert words_of(pieces, bare.index("t"))[0] == "t", "an apostrophe ends a word"
    assert words_of(pieces, bare.index("fell"))[0] == "fell"


def test_bytes_that_are_a_part_of_a_letter_are_a_part_of_a_word() -> None:
    pieces = ["\u0120caf", "\u00c3", "\u00a9", "!"]  # café, its last letter in two halves
    tokenizer = tokenizer_of(pieces)
    inner = tokenizers.Tokenizer.from_str(tokenizer.inner.to_str())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel()
    joints = Joints.of(Tokenizer(inner))
    numbers = [tokenizer.id(piece) for piece in pieces]
    assert joints.continues[numbers].tolist() == [False, True, True, False]
    assert joints.opens[numbers].tolist() == [True, True, True, False]
    assert not joints.continues[:5].any()
    assert not joints.opens[:5].any(), "nothing goes on with a special token"


def test_word_pieces_say_themselves_that_they_continue(word_pieces: Tokenizer) -> None:
    joints = Joints.of(word_pieces)
    assert joints.marked
    assert joints.opens.all()
    ids = torch.tensor([[5, 5]])
    joints.continues[5] = True
    starts = torch.tensor([True])
    assert joints.glued(ids, torch.tensor([0]), starts=starts).tolist() == [[True, True]]


def test_elsewhere_nothing_continues_at_the_start_of_a_text() -> None:
    continues = torch.tensor([False, True, True])
    opens = torch.tensor([True, True, False])
    joints = Joints(continues, opens, marked=False)
    ids = torch.tensor([[1, 1, 2, 1, 0]] * 3)
    before, starts = torch.tensor([0, 2, 0]), torch.tensor([True, False, False])
    assert joints.glued(ids, before, starts=starts).tolist() == [
        [False, True, True, False, False],  # nothing before it
        [False, True, True, False, False],  # what stands before it has ended its word
        [True, True, True, False, False],
    ]
