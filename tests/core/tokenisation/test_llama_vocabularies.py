"""Vocabularies as Llama 2, Llama 3 and Qwen have them, in ``tokenizer.json``."""

from pathlib import Path

import pytest

from core.tokenisation import Tokenizer
from tests.tiny_checkpoints.llama import llama2_pieces, llama3_pieces, qwen_pieces

KINDS = {"llama 2": llama2_pieces, "llama 3": llama3_pieces, "qwen": qwen_pieces}
FIRST = {"llama 2": ("<s>",), "llama 3": ("<|begin_of_text|>",), "qwen": ()}
TEXTS = (
    "The keeper mends his old boat.",
    "He'll wait  for the next tide in 1234567 days;\n\n\tthe harbour is small!",
    "ein kleines ☃ 😀 Garten",
    " the dog ",
)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(request.param)


@pytest.fixture
def tokenizer(kind: str, tmp_path: Path) -> Tokenizer:
    """Written and read, as a checkpoint has it."""
    path = tmp_path / "tokenizer.json"
    KINDS[kind]().to_file(path)
    return Tokenizer.from_file(path)


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_the_librarys_and_lead_back_to_the_text(
    tokenizer: Tokenizer, kind: str, text: str
) -> None:
    encoding = tokenizer.encode(text)
    assert list(encoding.ids) == tokenizer.inner.encode(text).ids
    assert encoding.tokens[: len(FIRST[kind])] == FIRST[kind]
    assert encoding.special == tuple(token in FIRST[kind] for token in encoding.tokens)
    assert tokenizer.decoded(encoding.ids).texts == (text,)
    assert tokenizer.marks_spaces


@pytest.mark.parametrize("text", TEXTS)
def test_every_piece_lies_on_its_word(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    words = [text[word.start : word.end] for word in encoding.spans]
    assert "".join(words) == "".join(text.split())
    read = zip(encoding.tokens, encoding.words, encoding.offsets, strict=True)
    for token, word, (start, end) in read:
        assert (word is None) == (token in ("▁", "Ġ") or not text[start:end].strip())
        if word is not None:
            assert text[start:end].strip() in words[word]


def test_digits_are_cut_as_each_does(tokenizer: Tokenizer, kind: str) -> None:
    pieces = [piece for piece in tokenizer.encode("in 123456").pieces if piece[-1:].isdigit()]
    longest = max(len(piece.lstrip("␣")) for piece in pieces)
    assert longest <= {"llama 2": 4, "llama 3": 3, "qwen": 1}[kind]


@pytest.mark.parametrize("typed", ["<s>", "</s>", "<|begin_of_text|>", "<|im_end|>", "<|eot_id|>"])
def test_no_text_can_write_a_special_token(tokenizer: Tokenizer, kind: str, typed: str) -> None:
    encoding = tokenizer.encode(f"the {typed} dog{typed}")
    assert sum(encoding.special) == len(FIRST[kind])
    assert tokenizer.decoded(encoding.ids).texts == (f"the {typed} dog{typed}",)


def test_a_text_ends_at_any_token_that_ends_one(tokenizer: Tokenizer, kind: str) -> None:
    ends = {
        "llama 2": ["</s>"],
        "llama 3": ["<|end_of_text|>", "<|eot_id|>"],
        "qwen": ["<|endoftext|>", "<|im_end|>"],
    }
    assert [tokenizer.token(number) for number in tokenizer.end_ids] == ends[kind]


def test_bytes_are_shown_as_bytes() -> None:
    tokenizer = llama2_pieces()
    encoding = tokenizer.encode("☃\nZ")
    assert encoding.tokens[2:] == ("<0xE2>", "<0x98>", "<0x83>", "<0x0A>", "<0x5A>")
    assert encoding.pieces[2:] == ("\\xe2", "\\x98", "\\x83", "U+000A", "Z")
    assert encoding.offsets[2:] == ((0, 1), (0, 1), (0, 1), (1, 2), (2, 3))
