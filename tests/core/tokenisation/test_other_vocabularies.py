"""Byte-level and Unigram vocabularies lead back to what a person typed, too."""

import pytest

from core.tokenisation import Tokenizer
from core.tokenisation.training import (
    BERT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    XLNET_FRAME,
    Frame,
    VocabularyKind,
    sentinels,
    train_tokenizer,
)

TEXTS = (
    "The cat sat on the mat, 1234 times. It's a café in Paris and the cats were sleeping there.",
    "The capital of France is Paris. The animal didn't cross the street because it was tired.",
) * 8


def trained(frame: Frame) -> Tokenizer:
    if frame is ROBERTA_FRAME:
        return train_tokenizer(VocabularyKind.BYTE_LEVEL_BPE, TEXTS, 330, frame=frame)
    further = sentinels(3) if frame is T5_FRAME else ()
    return train_tokenizer(
        VocabularyKind.UNIGRAM, TEXTS, 100, frame=frame, further=further,
        digits_apart=True, punctuation_apart=True,
    )  # fmt: skip


FRAMES = {"roberta": ROBERTA_FRAME, "t5": T5_FRAME, "xlnet": XLNET_FRAME}
HIDING = {"roberta": ROBERTA_FRAME, "xlnet": XLNET_FRAME}


@pytest.fixture(params=FRAMES.values(), ids=list(FRAMES))
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return trained(request.param)


@pytest.fixture(params=HIDING.values(), ids=list(HIDING))
def hiding(request: pytest.FixtureRequest) -> Tokenizer:
    return trained(request.param)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("  The   cat\n\tsat  ", ["The", "cat", "sat"]),
        ("a b c a", ["a", "b", "c", "a"]),
        ("It's 1234, café!", ["It's", "1234", ",", "café", "!"]),
        ("cafe\u0301 CAFÉ", ["cafe\u0301", "CAFÉ"]),
        ("the 😀 cat", ["the", "😀", "cat"]),
        ("👩‍👩‍👧 sat", ["👩‍👩‍👧", "sat"]),
        ("Pari\ud800s", ["Pari", "�", "s"]),
    ],
)
def test_every_word_is_found_in_the_persons_spelling(
    tokenizer: Tokenizer, text: str, words: list[str]
) -> None:
    encoding = tokenizer.encode(text)
    assert list(encoding.spellings) == words
    for number, (_, start, end) in enumerate(encoding.spans):
        tokens = encoding.tokens_of(number)
        assert tokens == tuple(range(tokens[0], tokens[-1] + 1))
        touched = "".join(encoding.texts[0][slice(*encoding.offsets[at])] for at in tokens)
        assert encoding.texts[0][start:end].strip("\ufffd\u200d") [:1] in touched  # fmt: skip
    starts = [start for start, _ in encoding.offsets[: len(encoding) - 2]]
    assert starts[1:] == sorted(starts[1:])


@pytest.mark.parametrize("text", ["The cat sat.", " a  b 😀", "It's 1234 cafés"])
def test_ids_are_those_of_the_library(tokenizer: Tokenizer, text: str) -> None:
    assert list(tokenizer.encode(text).ids) == tokenizer.inner.encode(text).ids
    both = tokenizer.encode(text, "the mat")
    assert list(both.ids) == tokenizer.inner.encode(text, "the mat").ids
    assert both.spellings[-2:] == ("the", "mat")
    assert set(both.segments) == {0, 1}


def test_one_letter_words_keep_their_token(tokenizer: Tokenizer) -> None:
    """Offsets trimmed twice would be empty, and the word would be lost."""
    encoding = tokenizer.encode("The a b")
    assert encoding.spellings == ("The", "a", "b")
    for number, letter in ((1, "a"), (2, "b")):
        at = encoding.tokens_of(number)[-1]
        start, end = encoding.offsets[at]
        assert encoding.texts[0][start:end].strip() == letter
        assert end - start in (1, 2)


def test_a_lone_space_is_no_word(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("1 Zz")
    for token, word in zip(encoding.tokens, encoding.words, strict=True):
        if token in ("Ġ", "▁"):
            assert word is None
    assert "␣" in {piece[:1] for piece in encoding.pieces}


def test_pieces_are_readable(tokenizer: Tokenizer) -> None:
    for text in ("the 😀 cat\n\x07 é", "\u0301x"):
        for piece in tokenizer.encode(text).pieces:
            assert "�" not in piece
            assert all(char.isprintable() for char in piece)


@pytest.mark.parametrize("typed", ["<s>", "</s>", "<pad>", "<unk>", "<sep>", "<cls>"])
def test_special_tokens_are_plain_text_when_typed(tokenizer: Tokenizer, typed: str) -> None:
    plain = tokenizer.encode("the cat")
    encoding = tokenizer.encode(f"the {typed} cat")
    assert sum(encoding.special) == sum(plain.special)
    typed_tokens = [t for t, special in zip(encoding.tokens, encoding.special, strict=True)
                    if not special]  # fmt: skip
    assert typed not in typed_tokens
    assert "".join(encoding.spellings).replace("the", "", 1).startswith("<")


def test_special_tokens_are_plain_text_though_unigram_cuts_nowhere() -> None:
    """Without punctuation apart, a stretch of text could be looked up as the token."""
    tokenizer = train_tokenizer(VocabularyKind.UNIGRAM, TEXTS, 100, frame=T5_FRAME)
    assert tokenizer.id("</s>") in tokenizer.inner.encode("a</s>", add_special_tokens=False).ids
    encoding = tokenizer.encode("the</s>cat <pad>")
    assert encoding.ids.count(tokenizer.sep_id) == 1
    assert tokenizer.pad_id not in encoding.ids
    assert encoding.ids[-1] == tokenizer.sep_id


def test_sentinels_are_plain_text_when_typed() -> None:
    tokenizer = trained(T5_FRAME)
    assert tokenizer.id("<extra_id_0>") not in tokenizer.encode("the <extra_id_0> cat").ids


@pytest.mark.parametrize("text", ["the <mask> sat", "the<mask>sat", "<mask> the  <mask><mask> ."])
def test_a_typed_mask_is_a_mask(hiding: Tokenizer, text: str) -> None:
    encoding = hiding.encode(text)
    masks = [at for at, number in enumerate(encoding.ids) if number == hiding.mask_id]
    assert len(masks) == text.count("<mask>")
    for at in masks:
        assert encoding.tokens[at] == encoding.pieces[at] == "<mask>"
        start, end = encoding.offsets[at]
        assert text[start:end] == "<mask>"
        assert not encoding.special[at]
        word = encoding.words[at]
        assert word is not None
        assert encoding.spellings[word] == "<mask>"
    if text == "the <mask> sat":
        assert list(encoding.ids) == hiding.inner.encode(text).ids


def test_hiding_a_word_hides_all_of_its_pieces_and_nothing_else(hiding: Tokenizer) -> None:
    encoding = hiding.encode("The sleeping cat", "the street")
    for word in range(len(encoding.spans)):
        hidden = hiding.hide(encoding, {word})
        changed = [at for at in range(len(encoding)) if hidden.ids[at] != encoding.ids[at]]
        assert tuple(changed) == encoding.tokens_of(word)
        assert all(hidden.ids[at] == hiding.mask_id for at in changed)
        assert hidden.spellings == encoding.spellings
        assert hidden.offsets == encoding.offsets


def test_a_hidden_word_of_one_piece_is_a_typed_mask() -> None:
    tokenizer = trained(ROBERTA_FRAME)
    encoding = tokenizer.encode("The cat sat")
    assert len(encoding.tokens_of(1)) == 1
    assert tokenizer.hide(encoding, {1}).ids == tokenizer.encode("The <mask> sat").ids


def test_texts_are_cut_from_the_longer_one(tokenizer: Tokenizer) -> None:
    whole = tokenizer.encode("The cat sat on the mat and there", "Paris")
    cut = tokenizer.encode("The cat sat on the mat and there", "Paris", limit=len(whole) - 3,
                           cut=True)  # fmt: skip
    assert len(cut) == len(whole) - 3
    assert cut.cut == 3
    assert sum(cut.special) == sum(whole.special)
    assert cut.spellings[-1] == "Paris"


def test_files_keep_everything(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
                               ) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer.to_file(path)
    again = Tokenizer.from_file(path)
    text = "The </s> <mask> cat 1234 😀"
    assert again.encode(text, "mat") == tokenizer.encode(text, "mat")


@pytest.mark.parametrize("frame", [*HIDING.values(), BERT_FRAME])
def test_masks_of_another_vocabulary_are_read_as_ones_own(frame: Frame) -> None:
    """Offsets stay true: both spellings have one length."""
    kind = VocabularyKind.WORD_PIECE if frame is BERT_FRAME else VocabularyKind.UNIGRAM
    if frame is ROBERTA_FRAME:
        kind = VocabularyKind.BYTE_LEVEL_BPE
    tokenizer = train_tokenizer(
        kind, TEXTS, 330 if kind is VocabularyKind.BYTE_LEVEL_BPE else 120, frame=frame
    )
    own, other = ("[MASK]", "<mask>") if frame is BERT_FRAME else ("<mask>", "[MASK]")
    encoding = tokenizer.encode(f"The {other} sat on the {other}.", f"It was {own}.")
    assert encoding == tokenizer.encode(f"The {own} sat on the {own}.", f"It was {own}.")
    assert encoding.ids.count(tokenizer.mask_id) == 3
    assert encoding.texts[0] == f"The {own} sat on the {own}."


def test_a_vocabulary_without_a_mask_reads_the_characters() -> None:
    tokenizer = trained(T5_FRAME)
    assert tokenizer.encode("The [MASK] sat").texts == ("The [MASK] sat",)


def test_which_vocabularies_mark_spaces() -> None:
    assert trained(ROBERTA_FRAME).marks_spaces
    assert trained(T5_FRAME).marks_spaces
    assert not train_tokenizer(VocabularyKind.WORD_PIECE, TEXTS, 120, frame=BERT_FRAME).marks_spaces
