"""Trained vocabularies: special tokens in their places, and nothing asked for is forgotten."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError
from core.tokenisation import MissingTokenError, Tokenizer
from core.tokenisation.training import (
    BERT_FRAME,
    GPT_FRAME,
    ROBERTA_FRAME,
    T5_FRAME,
    XLNET_FRAME,
    Frame,
    VocabularyKind,
    sentinels,
    train_tokenizer,
)

ROOT = Path(__file__).resolve().parents[3]
TEXTS = (
    "The cat sat on the mat, 1234 times. It's a café in Paris and the cats were sleeping there.",
    "The capital of France is Paris. The animal didn't cross the street because it was tired.",
) * 8


def trained(kind: VocabularyKind, frame: Frame, size: int = 330, **options: Any) -> Tokenizer:
    if kind is VocabularyKind.UNIGRAM:
        size = min(size, 110)
    return train_tokenizer(kind, TEXTS, size, frame=frame, **options)


@pytest.mark.parametrize(
    ("kind", "frame", "one", "two"),
    [
        (
            VocabularyKind.WORD_PIECE,
            BERT_FRAME,
            "[CLS] The cat [SEP]",
            "[CLS] The cat [SEP] Paris [SEP]",
        ),
        (
            VocabularyKind.BPE,
            BERT_FRAME,
            "[CLS] The</w> cat</w> [SEP]",
            "[CLS] The</w> cat</w> [SEP] Paris</w> [SEP]",
        ),
        (VocabularyKind.BYTE_LEVEL_BPE, GPT_FRAME, "The Ġcat", "The Ġcat Pa ris"),
        (
            VocabularyKind.BYTE_LEVEL_BPE,
            ROBERTA_FRAME,
            "<s> The Ġcat </s>",
            "<s> The Ġcat </s> </s> Pa ris </s>",
        ),
    ],
)
def test_special_tokens_stand_around_the_texts(
    kind: VocabularyKind, frame: Frame, one: str, two: str
) -> None:
    tokenizer = trained(kind, frame)
    assert " ".join(tokenizer.encode("The cat").tokens) == one
    pair = tokenizer.encode("The cat", "Paris")
    assert " ".join(pair.tokens) == two
    assert tuple(tokenizer.inner.encode("The cat", "Paris").ids) == pair.ids
    for number, token in enumerate(frame.specials):
        assert tokenizer.id(token) == number


def test_unigram_frames_end_as_t5_and_xlnet_do() -> None:
    t5 = trained(VocabularyKind.UNIGRAM, T5_FRAME).encode("The cat", "Paris")
    assert [t for t, special in zip(t5.tokens, t5.special, strict=True) if special] == ["</s>"] * 2
    assert t5.tokens[-1] == "</s>"
    xlnet = trained(VocabularyKind.UNIGRAM, XLNET_FRAME)
    assert xlnet.encode("The cat").tokens[-2:] == ("<sep>", "<cls>")
    pair = xlnet.encode("The cat", "Paris")
    assert pair.tokens[-2:] == ("<sep>", "<cls>")
    assert pair.tokens.count("<sep>") == 2
    assert xlnet.inner.encode("The cat", "Paris").type_ids[-1] == 2


def test_roles_are_found_in_every_frame() -> None:
    roberta = trained(VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME)
    found = (roberta.cls_id, roberta.pad_id, roberta.sep_id, roberta.unknown_id, roberta.mask_id)
    assert found == (0, 1, 2, 3, 4)
    t5 = trained(VocabularyKind.UNIGRAM, T5_FRAME)
    assert (t5.pad_id, t5.sep_id, t5.unknown_id) == (0, 1, 2)
    for role in ("mask_id", "cls_id"):
        with pytest.raises(MissingTokenError):
            getattr(t5, role)
    xlnet = trained(VocabularyKind.UNIGRAM, XLNET_FRAME)  # has <s> and </s> too
    assert xlnet.token(xlnet.cls_id) == "<cls>"
    assert xlnet.token(xlnet.sep_id) == "<sep>"


def test_further_tokens_have_the_last_ids() -> None:
    further = ("<size_1>", *sentinels(3))
    tokenizer = trained(VocabularyKind.UNIGRAM, T5_FRAME, further=further)
    size = tokenizer.vocabulary_size
    assert size <= 110
    assert [tokenizer.token(number) for number in range(size - 4, size)] == [
        "<size_1>",
        "<extra_id_2>",
        "<extra_id_1>",
        "<extra_id_0>",
    ]
    assert tokenizer.id("<extra_id_0>") == size - 1


@pytest.mark.parametrize("kind", VocabularyKind)
def test_digits_and_punctuation_stand_apart_when_asked(kind: VocabularyKind) -> None:
    frame = BERT_FRAME if kind in (VocabularyKind.WORD_PIECE, VocabularyKind.BPE) else ROBERTA_FRAME
    texts = [*TEXTS, *(f"in 19{year}, in 19{year}. It's" for year in range(10, 99))]
    together = train_tokenizer(kind, texts, 400, frame=frame)
    apart = train_tokenizer(
        kind, texts, 400, frame=frame, digits_apart=True, punctuation_apart=True
    )

    def many(tokenizer: Tokenizer) -> list[str]:
        pieces = [tokenizer.token(number) for number in range(5, tokenizer.vocabulary_size)]
        bare = [p.strip("▁Ġ").removeprefix("##").removesuffix("</w>") for p in pieces]
        return [p for p in bare if len(p) > 1 and any(c.isdigit() or c in ".,'" for c in p)]

    assert many(together)
    assert not many(apart)


@pytest.mark.parametrize("kind", VocabularyKind)
def test_capitals(kind: VocabularyKind) -> None:
    frame = BERT_FRAME if kind in (VocabularyKind.WORD_PIECE, VocabularyKind.BPE) else ROBERTA_FRAME
    cased, lower = trained(kind, frame), trained(kind, frame, lower_case=True)
    assert cased.encode("THE cat").ids != cased.encode("the cat").ids
    assert lower.encode("THE cat").ids == lower.encode("the cat").ids
    assert lower.encode("THE cat").spellings == ("THE", "cat")


def test_rare_characters_are_left_out_of_the_alphabet() -> None:
    texts = ["the cat " * 40, "жщ"]
    for kind in VocabularyKind:
        frame = (
            BERT_FRAME if kind in (VocabularyKind.WORD_PIECE, VocabularyKind.BPE) else ROBERTA_FRAME
        )
        # The space is one of the letters, or cuts words.
        letters = 6 if kind is VocabularyKind.UNIGRAM else 5
        tokenizer = train_tokenizer(kind, texts, 300, frame=frame, alphabet=letters)
        pieces = {tokenizer.token(number) for number in range(tokenizer.vocabulary_size)}
        assert not any("ж" in piece for piece in pieces)
        unknown = tokenizer.unknown_id in tokenizer.encode("ж").ids
        assert unknown == (kind is not VocabularyKind.BYTE_LEVEL_BPE)


def test_rare_pairs_are_not_merged() -> None:
    for kind, frame in (
        (VocabularyKind.BPE, BERT_FRAME),
        (VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME),
    ):
        few = train_tokenizer(kind, TEXTS, 600, frame=frame, least_count=9)
        more = train_tokenizer(kind, TEXTS, 600, frame=frame, least_count=2)
        assert few.vocabulary_size < more.vocabulary_size <= 600


def test_a_byte_level_vocabulary_spells_everything_and_loses_nothing() -> None:
    tokenizer = trained(VocabularyKind.BYTE_LEVEL_BPE, GPT_FRAME, least_count=1)
    for text in ("  two  spaces\n\n", "😀 жщ 漢字 \t", "café cafe\u0301", "\x00\x07"):
        ids = tokenizer.inner.encode(text).ids
        assert tokenizer.inner.decode(ids) == text


def test_leading_space() -> None:
    with_space = trained(VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME, leading_space=True)
    assert with_space.encode("cat").tokens == ("<s>", "Ġcat", "</s>")
    assert with_space.encode("cat").offsets[1] == (0, 3)


@pytest.mark.parametrize("size", [3, 8, 25])
@pytest.mark.parametrize("kind", VocabularyKind)
def test_a_vocabulary_that_cannot_hold_its_characters_is_refused(
    kind: VocabularyKind, size: int
) -> None:
    frame = BERT_FRAME if kind in (VocabularyKind.WORD_PIECE, VocabularyKind.BPE) else ROBERTA_FRAME
    with pytest.raises(ConfigError, match=f"{size} pieces"):
        train_tokenizer(kind, TEXTS, size, frame=frame)


def test_other_requests_that_contradict_themselves() -> None:
    with pytest.raises(ConfigError, match="nothing to learn"):
        train_tokenizer(VocabularyKind.WORD_PIECE, [" "], 100, frame=BERT_FRAME)
    with pytest.raises(ConfigError, match="unknown"):
        train_tokenizer(VocabularyKind.UNIGRAM, TEXTS, 100, frame=GPT_FRAME)
    with pytest.raises(ConfigError, match="twice: <pad>"):
        train_tokenizer(VocabularyKind.UNIGRAM, TEXTS, 100, frame=T5_FRAME, further=("<pad>",))
    with pytest.raises(ConfigError, match="lack <mask>, \\[SEP\\]"):
        Frame(specials=("<s>",), single="<s> $A [SEP]", pair="$A $B", mask="<mask>")


EVERY_KIND = f"""
from core.tokenisation.training import BERT_FRAME, VocabularyKind, train_tokenizer
for kind in VocabularyKind:
    for alphabet in (1000, 20):
        tokenizer = train_tokenizer(kind, {TEXTS!r}, 300, frame=BERT_FRAME, alphabet=alphabet)
        print(tokenizer.inner.to_str())
"""


def test_every_process_learns_the_same_vocabularies() -> None:
    """The library's hash tables have another order in each."""
    processes = [
        subprocess.Popen([sys.executable, "-c", EVERY_KIND], cwd=ROOT, stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    first, second, third = (process.communicate()[0].splitlines() for process in processes)
    assert len(first) == 2 * len(VocabularyKind)
    assert first == second == third
