"""Encodings lead back to what a person typed, whatever that was."""

import time
from pathlib import Path

import pytest
import tokenizers

from core.errors import SequenceTooLongError
from core.tokenisation import (
    MAX_CHARACTERS,
    EmptyTextError,
    MissingTokenError,
    TextTooLongError,
    Tokenizer,
    TokenizerFileError,
)

SENTENCES = ("The cat didn't cross the street.", "  The capital\nof France  ", "x")


def test_offsets_lead_to_the_spelling_of_the_person(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("The CAPITAL of France.")
    pieces = [encoding.texts[0][start:end] for start, end in encoding.offsets]
    assert encoding.tokens[:4] == ("[CLS]", "the", "capital", "of")
    assert pieces == ["", "The", "CAPITAL", "of", "France", ".", ""]
    assert encoding.spellings == ("The", "CAPITAL", "of", "France", ".")


@pytest.mark.parametrize("text", [*SENTENCES, "the [MASK] cat, [MASK]!", "CAFÉ cafe\u0301\tx"])
def test_ordinary_texts_become_what_the_library_makes_of_them(
    word_pieces: Tokenizer, text: str
) -> None:
    assert list(word_pieces.encode(text).ids) == word_pieces.inner.encode(text).ids
    both = word_pieces.inner.encode(text, "the mat")
    encoding = word_pieces.encode(text, "the mat")
    assert list(encoding.ids) == both.ids
    assert list(encoding.segments) == both.type_ids


def test_two_texts_have_their_own_segments_and_one_count_of_words(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("The cat", "The mat")
    assert encoding.tokens == ("[CLS]", "the", "cat", "[SEP]", "the", "mat", "[SEP]")
    assert encoding.segments == (0, 0, 0, 0, 1, 1, 1)
    assert encoding.special == (True, False, False, True, False, False, True)
    assert encoding.words == (None, 0, 1, None, 2, 3, None)
    assert encoding.offsets[4] == (0, 3)  # in its own text
    assert encoding.spellings == ("The", "cat", "The", "mat")


def test_a_word_is_what_a_person_sees_not_what_the_vocabulary_splits(
    word_pieces: Tokenizer,
) -> None:
    encoding = word_pieces.encode("cats didn't sleep")
    assert "'" in encoding.tokens
    assert encoding.spellings == ("cats", "didn't", "sleep")
    apostrophe = encoding.tokens.index("'")
    assert apostrophe in encoding.tokens_of(1)
    assert len(encoding.tokens_of(1)) > 1


def test_one_token_across_two_words_makes_them_one(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("cat😀 mat")  # BERT sees one unknown word
    assert encoding.tokens == ("[CLS]", "[UNK]", "mat", "[SEP]")
    assert encoding.spellings == ("cat😀", "mat")


def test_a_typed_mask_is_a_mask(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("the [MASK][MASK] sat")
    assert encoding.ids.count(word_pieces.mask_id) == 2
    assert encoding.special == (True, False, False, False, False, True)
    assert encoding.spellings == ("the", "[MASK]", "[MASK]", "sat")


@pytest.mark.parametrize("typed", ["[SEP]", "[CLS]", "[PAD]", "[UNK]"])
def test_other_special_tokens_are_plain_text_when_typed(word_pieces: Tokenizer, typed: str) -> None:
    encoding = word_pieces.encode(f"the {typed} cat")
    added = [encoding.tokens[at] for at, special in enumerate(encoding.special) if special]
    assert added == ["[CLS]", "[SEP]"]
    assert encoding.ids.count(word_pieces.sep_id) == 1
    assert encoding.ids.count(word_pieces.cls_id) == 1
    assert encoding.ids.count(word_pieces.pad_id) == 0
    assert set(encoding.segments) == {0}


STRANGE = {
    "nul and controls": "the\x00 c\x01at\x1b[31m sat\x7f",
    "lone surrogates": "the \ud83d cat \udc00 sat",
    "combining marks": "cafe\u0301 and cafe\u0301\u0323\u0332 sat",
    "mark without a letter": "\u0301the cat",
    "zalgo": "c" + "\u0301\u0489" * 300 + "at sat",
    "emoji sequences": "the 👨‍👩‍👧‍👦 sat 👍🏽 🇰🇷",
    "right to left": "שלום עולם the ‮cat",
    "arabic": "القط جلس on the mat",
    "markup": "</script><img src=x onerror=alert(1)> sat",
    "han and hangul": "猫坐在 고양이가 앉았다",
    "no-break spaces": "the\u00a0cat\u2003sat",
    "changes length when lowered": "İstanbul ẞ the ﬁ cat",
    "line separators": "the\u2028cat\u0085sat\r\nmat",
    "private use": "the \ue000 cat \U0010ffff",
    "replacement sign": "the \ufffd cat",
    "one long word": "a" * 5000,
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
def test_any_text_keeps_the_promises_of_an_encoding(word_pieces: Tokenizer, text: str) -> None:
    encoding = word_pieces.encode(text)
    assert len(encoding.texts[0]) == len(text)
    encoding.texts[0].encode()  # no surrogates are left
    for start, end in encoding.offsets:
        assert 0 <= start <= end <= len(text)
    numbers = [word for word in encoding.words if word is not None]
    assert sorted(set(numbers)) == list(range(len(encoding.spans)))
    assert numbers == sorted(numbers)
    assert all(spelling.strip() for spelling in encoding.spellings)
    for piece in encoding.pieces:
        assert piece
        assert piece.isprintable()
        assert "\ufffd" not in piece
    for (start, end), word in zip(encoding.offsets, encoding.words, strict=True):
        if word is not None:
            assert encoding.spans[word].start <= start < encoding.spans[word].end
            assert end <= encoding.spans[word].end


@pytest.mark.parametrize("text", ["", "   ", "\n\t\u00a0", "\x00\x01", "\u200b\u200d"])
def test_nothing_to_read_is_an_error(word_pieces: Tokenizer, text: str) -> None:
    with pytest.raises(EmptyTextError) as caught:
        word_pieces.encode(text)
    assert caught.value.segment == 0
    with pytest.raises(EmptyTextError, match="second text"):
        word_pieces.encode("the cat", text)


def test_a_flood_of_characters_is_refused_before_it_is_read(word_pieces: Tokenizer) -> None:
    started = time.thread_time()
    with pytest.raises(TextTooLongError) as caught:
        word_pieces.encode("a " * 50_000)
    assert time.thread_time() - started < 0.1
    assert (caught.value.characters, caught.value.limit) == (100_000, MAX_CHARACTERS)
    with pytest.raises(TextTooLongError):
        word_pieces.encode("the cat", "a" * (MAX_CHARACTERS + 1))
    assert len(word_pieces.encode("a" * MAX_CHARACTERS)) == 3


def test_two_texts_too_long_together_are_refused_with_both_numbers(
    word_pieces: Tokenizer,
) -> None:
    with pytest.raises(SequenceTooLongError) as caught:
        word_pieces.encode("the " * 300, "cat " * 250, limit=512)
    assert (caught.value.tokens, caught.value.limit) == (553, 512)
    assert len(word_pieces.encode("the " * 300, "cat " * 209, limit=512)) == 512


def test_cutting_takes_from_the_longer_text(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("the " * 9, "cat " * 3, limit=10, cut=True)
    assert len(encoding) == 10
    assert encoding.cut == 5
    assert encoding.tokens.count("the") == 4
    assert encoding.tokens.count("cat") == 3
    assert [token for token in encoding.tokens if token.startswith("[")] == [
        "[CLS]",
        "[SEP]",
        "[SEP]",
    ]
    both = word_pieces.encode("the " * 9, "cat " * 9, limit=10, cut=True)
    assert (both.tokens.count("the"), both.tokens.count("cat")) == (4, 3)
    assert word_pieces.encode("the cat", limit=10, cut=True).cut == 0


def test_cutting_and_padding_stored_in_a_file_are_not_obeyed(
    word_pieces: Tokenizer, tmp_path: Path
) -> None:
    inner = tokenizers.Tokenizer.from_str(word_pieces.inner.to_str())
    inner.enable_truncation(4)
    inner.enable_padding(length=64)
    inner.save(str(tmp_path / "tokenizer.json"))
    loaded = Tokenizer.from_file(tmp_path / "tokenizer.json")
    assert loaded.encode("the cat sat on the mat") == word_pieces.encode("the cat sat on the mat")


def test_hiding_a_word_masks_every_piece_of_it(word_pieces: Tokenizer) -> None:
    encoding = word_pieces.encode("the cats didn't sleep")
    hidden = word_pieces.hide(encoding, {2})
    masked = [at for at, number in enumerate(hidden.ids) if number == word_pieces.mask_id]
    assert tuple(masked) == encoding.tokens_of(2)
    assert len(masked) >= 3
    assert hidden.words == encoding.words
    assert hidden.spellings == ("the", "cats", "didn't", "sleep")


def test_a_file_goes_out_and_in(word_pieces: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    word_pieces.to_file(path)
    loaded = Tokenizer.from_file(path)
    text = "the [MASK] [SEP] cat"
    assert loaded.encode(text) == word_pieces.encode(text)
    assert loaded.vocabulary_size == word_pieces.vocabulary_size
    assert loaded.token(loaded.id("the")) == "the"
    with pytest.raises(KeyError):
        loaded.id("no such piece")
    assert loaded.token(10_000) == "row 10000, no piece"
    assert loaded.readable(loaded.token(10_000)) == "row 10000, no piece"


@pytest.mark.parametrize("content", [None, "", "{}", "[1, 2]", "\x00"])
def test_another_file_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(TokenizerFileError):
        Tokenizer.from_file(path)


def test_a_vocabulary_without_a_mask_says_so() -> None:
    model = tokenizers.models.WordLevel({"[UNK]": 0, "the": 1}, unk_token="[UNK]")
    tokenizer = Tokenizer(tokenizers.Tokenizer(model))
    assert tokenizer.unknown_id == 0
    with pytest.raises(MissingTokenError, match="no mask token"):
        _ = tokenizer.mask_id


def of_words(*further: str, **options: object) -> Tokenizer:
    words = ["<no>", "<gap>", "[MASK]", "the", "cat", *further]
    model = tokenizers.models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="<no>")
    inner = tokenizers.Tokenizer(model)
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.add_special_tokens(["<no>", "<gap>"])
    return Tokenizer(inner, **options)  # type: ignore[arg-type]


def test_roles_are_those_that_are_named() -> None:
    tokenizer = of_words(roles={"mask": "<gap>", "unknown": "<no>", "padding": "not there"})
    assert (tokenizer.mask_token, tokenizer.mask_id, tokenizer.unknown_id) == ("<gap>", 1, 0)
    for typed in ("the <gap> cat", "the [MASK] cat", "the <mask> cat"):
        encoding = tokenizer.encode(typed)
        assert encoding.ids == (3, 1, 4)
        assert encoding.texts == ("the <gap> cat",)
        assert encoding.offsets == ((0, 3), (4, 9), (10, 13))
    with pytest.raises(MissingTokenError, match="padding"):
        _ = tokenizer.pad_id


def test_ends_are_those_that_are_named() -> None:
    assert of_words("</s>").end_ids == (5,)
    assert of_words("</s>", ends=(4, 7)).end_ids == (4, 7)
    assert of_words("</s>", ends=()).end_ids == ()


def test_special_tokens_that_were_read_as_plain_text_are_named() -> None:
    tokenizer = of_words(roles={"mask": "<gap>"})
    assert tokenizer.encode("the <gap> cat").plain_specials == ()
    assert tokenizer.encode("<no> the <no>", "cat <no>").plain_specials == ("<no>",)
