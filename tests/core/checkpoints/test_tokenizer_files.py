"""Tokenizers of old checkpoints, which have only a list of words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints import Checkpoint
from core.checkpoints.tokenizer_files import word_piece_tokenizer
from core.tokenisation import MissingTokenError, Tokenizer, TokenizerRefusedError

TEXTS = (
    "The CAPITAL of France is Paris.",
    "cafés, naïve Ünïcode — “quotes”…",
    "日本語 and emoji 🙂 e\u0301",
    "don't [MASK] unbelievably\ttabs\u00a0and\u2028separators",
)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZé日本語\u2028.,'—“”…[]"
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "The",
    "capital",
    "paris",
    "##s",
    "caf",
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
]

Load = Callable[..., Checkpoint]


@pytest.mark.parity
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"do_lower_case": False},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": False, "strip_accents": True},
        {"tokenize_chinese_chars": False},
    ],
    ids=str,
)
def test_it_reads_as_transformers_does(settings: dict[str, Any]) -> None:
    import transformers

    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(WORDS))}
    theirs = transformers.BertTokenizer(vocab=vocabulary, **settings)
    ours = word_piece_tokenizer("\n".join(vocabulary) + "\n", settings).inner
    for text in TEXTS:
        assert ours.encode(text).tokens == theirs.tokenize(text, add_special_tokens=True), text
    for first in TEXTS:
        encoded = ours.encode(first, TEXTS[0])
        expected = theirs(first, TEXTS[0])
        assert encoded.ids == expected["input_ids"]
        assert encoded.type_ids == expected["token_type_ids"]


def test_ids_are_the_numbers_of_the_lines() -> None:
    tokenizer = word_piece_tokenizer(
        "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n[MASK]\r\n\u2028\r\nb", {}
    )
    assert (tokenizer.id("\u2028"), tokenizer.id("b")) == (5, 6)
    assert tokenizer.vocabulary_size == 7


@pytest.mark.parametrize("token", ["[UNK]", "[CLS]", "[SEP]"])
def test_a_list_without_a_special_token_that_texts_need(token: str) -> None:
    words = "\n".join(word for word in WORDS if word != token)
    with pytest.raises(TokenizerRefusedError, match=rf"vocab.txt .*\{token}.*_token"):
        word_piece_tokenizer(words, {})


def test_a_list_without_padding_and_mask() -> None:
    words = "\n".join(word for word in WORDS if word not in ("[PAD]", "[MASK]"))
    tokenizer = word_piece_tokenizer(words, {})
    assert tokenizer.encode("the").tokens == ("[CLS]", "the", "[SEP]")
    with pytest.raises(MissingTokenError):
        _ = tokenizer.mask_id


def test_a_folder_with_a_list_of_words(folder: Path, load: Load, word_pieces: Tokenizer) -> None:
    inner = word_pieces.inner.get_vocab()
    (folder / "vocab.txt").write_text("\n".join(sorted(inner, key=inner.__getitem__)))
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    text = "The cat sat [MASK] the mat."
    assert load(folder).tokenizer.encode(text).ids == word_pieces.encode(text).ids
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert load(folder).tokenizer.encode(text).ids != word_pieces.encode(text).ids
