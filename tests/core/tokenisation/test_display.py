"""Pieces that a person can read."""

import pytest
import tokenizers
from tokenizers import decoders, pre_tokenizers, trainers

from core.tokenisation import Tokenizer, readable


@pytest.fixture(scope="module")
def bytes_only() -> Tokenizer:
    """A byte-level vocabulary without a single merge: every byte is a token."""
    inner = tokenizers.Tokenizer(tokenizers.models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=256, initial_alphabet=alphabet, show_progress=False)
    inner.train_from_iterator(["a"], trainer)
    return Tokenizer(inner)


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("paris", "paris"),
        ("##ing", "##ing"),
        ("##", "##"),
        ("[CLS]", "[CLS]"),
        ("<extra_id_0>", "<extra_id_0>"),
        ("▁the", "␣the"),
        ("▁", "␣"),
        ("Ġ", "Ġ"),  # a letter of Maltese
        ("שלום", "שלום"),
        ("##\u0301", "##◌\u0301"),
        ("a\u202eb", "aU+202Eb"),
        ("\x07", "U+0007"),
        ("\ufffd", "U+FFFD"),
    ],
)
def test_readable(piece: str, shown: str) -> None:
    assert readable(piece) == shown


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("Ġthe", "␣the"),
        ("Ã©t", "ét"),
        ("ðŁĺĢ", "😀"),
        ("Ġð", "␣\\xf0"),
        ("Ċ", "U+000A"),
        ("<|endoftext|>", "<|endoftext|>"),
    ],
)
def test_readable_at_byte_level(piece: str, shown: str) -> None:
    assert readable(piece, byte_level=True) == shown


def test_bytes_of_one_character_are_shown_as_bytes_and_belong_to_one_word(
    bytes_only: Tokenizer,
) -> None:
    encoding = bytes_only.encode("a 😀")
    assert encoding.pieces == ("a", "␣", "\\xf0", "\\x9f", "\\x98", "\\x80")
    assert encoding.words == (0, None, 1, 1, 1, 1)
    assert encoding.spellings == ("a", "😀")


def test_every_byte_is_readable(bytes_only: Tokenizer) -> None:
    for number in range(bytes_only.vocabulary_size):
        shown = bytes_only.readable(bytes_only.token(number))
        assert shown
        assert shown.isprintable()
        assert "\ufffd" not in shown
