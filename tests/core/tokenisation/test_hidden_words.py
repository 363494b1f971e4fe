"""A text with masks in the place of words has the tokens that it has with these words hidden."""

from typing import Any

import pytest
import tokenizers
from tokenizers import AddedToken, models, normalizers, pre_tokenizers

from core.checkpoints import bundled
from core.tasks.fill_mask import texts_with_masks
from core.tokenisation import MissingTokenError, Tokenizer

TEXTS = (
    "The capital of France is Paris.",
    "The animal didn't cross the street because it was too tired.",
    'She said: "Hello, world!" (twice).',
    "The river, which was deep, froze.",
    "It costs €5, or 20% more… U.S. 3.14!",
    "ab😀cd 👍🏽 x²",
    '  two  spaces \t and\n"lines" - ok ',
    "naïve café — “quotes” e\u0301 中文字 한국어",
    "'tis the dogs' house/home a_b #tag @me",
    "(([{x}])); <b>!?",
    'A."B"...C!!! ½ ∞ ü',
    "the [MASK] sat: on [MASK].",
    "\tthe cat",
)
BUNDLED = {one.name: one.folder for one in bundled()}


def check(tokenizer: Tokenizer, text: str) -> int:
    """Hide each word, and each with the next; how many were compared."""
    mask = tokenizer.mask_token
    typed = tokenizer.encode(text)
    count = len(typed.spans)
    choices = [*([word] for word in range(count)), *([at, at + 1] for at in range(count - 1))]
    for words in choices:
        hidden = tokenizer.hide(typed, words)
        (written,) = texts_with_masks(typed, words, mask)
        again = tokenizer.encode(written)
        assert again.ids == hidden.ids, (written, again.tokens, hidden.tokens)
        for at, token in enumerate(again.tokens):
            start, end = again.offsets[at]
            assert token != mask or again.texts[0][start:end] == mask, written
    return len(choices)


@pytest.mark.parametrize("name", BUNDLED)
def test_in_every_vocabulary(name: str) -> None:
    tokenizer = Tokenizer.from_file(BUNDLED[name] / "tokenizer.json")
    try:
        _ = tokenizer.mask_id
    except MissingTokenError:
        return
    assert sum(check(tokenizer, text) for text in TEXTS) > 200


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("roberta", pre_tokenizers.ByteLevel(add_prefix_space=True)),
        (
            "albert",
            pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
        ),
        ("xlnet", pre_tokenizers.Metaspace(prepend_scheme="never")),
    ],
    ids=str,
)
def test_however_spaces_are_put_in_front(name: str, step: Any) -> None:
    inner = tokenizers.Tokenizer.from_file(str(BUNDLED[name] / "tokenizer.json"))
    inner.pre_tokenizer = step
    tokenizer = Tokenizer(inner)
    for text in TEXTS:
        check(tokenizer, text)
        plain = text.replace("[MASK]", "mask")
        encoding = tokenizer.encode(plain)
        assert list(encoding.ids) == inner.encode(plain).ids
        assert "".join(encoding.spellings) == "".join(plain.split())


def test_with_merges_and_a_mask_behind_the_vocabulary() -> None:
    letters = sorted({char for text in TEXTS for char in text} - set(" \t\n"))
    pieces = ["<unk>", "▁", "th", "▁th", "▁the", *letters]
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    merges = [("t", "h"), ("▁", "th"), ("▁th", "e")]
    inner = tokenizers.Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True))
    inner.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    inner.add_tokens([AddedToken("<one>", normalized=False)])
    inner.add_special_tokens(["<mask>"])
    inner.add_tokens([AddedToken("<two>", normalized=False)])
    tokenizer = Tokenizer(inner)
    for text in TEXTS:
        check(tokenizer, text)
    typed = tokenizer.encode("the <one>(<mask>) <two>")
    assert typed.tokens == ("▁the", "▁", "<one>", "▁", "(", "<mask>", ")", "▁", "<two>")
    assert [typed.ids[at] for at in (2, 5, 8)] == [
        tokenizer.id(token) for token in ("<one>", "<mask>", "<two>")
    ]
    assert tokenizer.ids_of("<two> <mask>")[0] == tokenizer.id("<two>")
