import json
import lzma
from typing import Any

import numpy as np
import pytest
import tokenizers
import torch
from tokenizers import models, pre_tokenizers

from core.objectives.causal_lm import pack_documents
from core.tokenisation import Tokenizer
from core.tokenisation.training import (
    BERT_FRAME,
    GPT_FRAME,
    ROBERTA_FRAME,
    XLNET_FRAME,
    Frame,
    VocabularyKind,
    train_tokenizer,
)
from core.training import corpora
from core.training.corpora import (
    CorpusError,
    TokenCorpus,
    as_written,
    read_documents,
    split_sentences,
)

TEXT = "The cat sat. The dog ran!\nIt rained.\n\n\nA new story? Yes.\n"


@pytest.fixture
def tokenizer():
    words = ["[UNK]", *"The cat sat . dog ran ! It rained A new story ? Yes".split()]
    inner = tokenizers.Tokenizer(
        models.WordLevel({word: n for n, word in enumerate(words)}, unk_token=words[0])
    )
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    return inner


def test_documents_are_separated_by_blank_lines(tmp_path):
    (tmp_path / "plain.txt").write_text(TEXT, encoding="utf-8")
    with lzma.open(tmp_path / "packed.txt.xz", "wt", encoding="utf-8") as file:
        file.write(TEXT)
    expected = [["The cat sat. The dog ran!", "It rained."], ["A new story? Yes."]]
    assert list(read_documents(tmp_path / "plain.txt")) == expected
    assert list(read_documents(tmp_path / "packed.txt.xz")) == expected


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("missing.txt", None, "No such file"),
        ("damaged.txt.xz", b"no xz", "compressed file is damaged"),
        ("cut.txt.xz", lzma.compress(b"The cat sat.\n" * 999)[:-20], "compressed file is damaged"),
        ("latin.txt", b"caf\xe9", "not UTF-8"),
    ],
)
def test_an_unreadable_file_is_named_with_what_is_wrong(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=f"{name}: .*{said}") as caught:
        list(read_documents(tmp_path / name))
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(CorpusError, match="directory"):
        list(read_documents(tmp_path))


def test_a_byte_order_mark_and_carriage_returns_are_no_text(tmp_path):
    (tmp_path / "windows.txt").write_bytes(b"\xef\xbb\xbfThe cat.\r\n\r\nIt ran.\r\n")
    assert list(read_documents(tmp_path / "windows.txt")) == [["The cat."], ["It ran."]]


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Who met J. Smith. He left.", ["Dr. Who met J. Smith.", "He left."]),
        ('"Stop!" She ran.', ['"Stop!"', "She ran."]),
        ("It cost 3.50 euros. 7 were left.", ["It cost 3.50 euros.", "7 were left."]),
        ("no capital. after it", ["no capital. after it"]),
        ("He met e.g. Ann. She left.", ["He met e.g. Ann.", "She left."]),
        ("A prefix-vol. Two", ["A prefix-vol. Two"]),
        ("A very-long-wordvol. Two", ["A very-long-wordvol.", "Two"]),
        ("Indescribablevol. Two", ["Indescribablevol.", "Two"]),
        ("   ", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(paragraph, sentences):
    assert split_sentences(paragraph) == sentences


def test_tokens_in_a_row_with_borders(tokenizer):
    corpus = TokenCorpus.from_texts([["The cat sat. It ran."], ["A story."]], tokenizer)
    assert tokenizer.decode(corpus.tokens.tolist()) == "The cat sat . It ran . A story ."
    assert corpus.sentences.tolist() == [0, 4, 7, 10]
    assert corpus.documents.tolist() == [0, 7, 10]


def test_several_files_are_joined_in_their_order(tmp_path, tokenizer):
    for name, text in (("b.txt", "The dog."), ("a.txt", "The cat. It.")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [tmp_path / "b.txt", tmp_path / "a.txt"]
    corpus = TokenCorpus.from_files(paths, tokenizer)
    assert tokenizer.decode(corpus.tokens.tolist()) == "The dog . The cat . It ."
    assert corpus.documents.tolist() == [0, 3, 8]


def test_a_kept_corpus_is_read_again_only_for_the_same_origin(tmp_path, tokenizer):
    corpus = TokenCorpus.from_texts([["The cat sat."]], tokenizer)
    corpus.save(tmp_path / "corpus.safetensors", "this")
    again = TokenCorpus.load(tmp_path / "corpus.safetensors", "this")
    assert again is not None
    assert torch.equal(again.tokens, corpus.tokens)
    assert TokenCorpus.load(tmp_path / "corpus.safetensors", "that") is None
    assert TokenCorpus.load(tmp_path / "nothing", "this") is None


def test_no_text_at_all_is_refused(tokenizer):
    with pytest.raises(CorpusError, match="no text"):
        TokenCorpus.from_texts([], tokenizer)


def test_files_without_text_are_refused(tmp_path, tokenizer):
    (tmp_path / "empty.txt").write_text("\n \n\t\n")
    with pytest.raises(CorpusError, match="no text"):
        TokenCorpus.from_files([tmp_path / "empty.txt"], tokenizer)


def test_an_unreadable_file_among_several_is_named(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr(corpora, "_PROCESSES", 1)  # they take seconds to start
    (tmp_path / "good.txt").write_text("The cat.")
    with pytest.raises(CorpusError, match=r"bad\.txt"):
        TokenCorpus.from_files([tmp_path / "good.txt", tmp_path / "bad.txt"], tokenizer)


def test_documents_of_any_length_are_read_in_pieces(monkeypatch, tokenizer):
    texts = [["The cat sat. It ran.", "A story."], ["It."], ["The dog. The dog. The dog."]]
    at_once = TokenCorpus.from_texts(texts, tokenizer)
    monkeypatch.setattr(corpora, "_BATCH", 2)
    in_pieces = TokenCorpus.from_texts(texts, tokenizer)
    for name in ("tokens", "sentences", "documents"):
        assert torch.equal(getattr(at_once, name), getattr(in_pieces, name))
    assert at_once.documents.tolist() == [0, 10, 12, 21]
    assert at_once.sentences.tolist() == [0, 4, 7, 10, 12, 15, 18, 21]


def test_sentences_and_documents_without_a_token_leave_no_border(word_pieces):
    nothing = "\u200b"  # taken out when the text is cleaned
    texts = [["The cat.", nothing], [nothing], ["A cat."]]
    corpus = TokenCorpus.from_texts(texts, word_pieces.inner)
    assert len(corpus.sentences) == len(corpus.documents) == 3
    assert corpus.documents.tolist() == corpus.sentences.tolist()


def test_special_tokens_in_a_text_are_plain_characters(word_pieces):
    corpus = TokenCorpus.from_texts([["A [SEP] and a [MASK] here."]], word_pieces.inner)
    specials = [word_pieces.id(name) for name in ("[SEP]", "[MASK]", "[CLS]", "[PAD]")]
    assert not set(corpus.tokens.tolist()) & set(specials)


def test_the_tokenizer_that_is_given_stays_as_it_was(tokenizer):
    tokenizer.enable_truncation(2)
    before = tokenizer.to_str()
    corpus = TokenCorpus.from_texts([["The cat sat."]], tokenizer)
    assert len(corpus.tokens) == 4, "nothing is cut"
    assert json.loads(tokenizer.to_str()) == json.loads(before)


def test_large_vocabularies_keep_their_ids():
    inner = tokenizers.Tokenizer(models.WordLevel({"[UNK]": 0, "cat": 119_000}, unk_token="[UNK]"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    corpus = TokenCorpus.from_texts([["cat"]], inner)
    assert corpus.tokens.tolist() == [119_000]
    assert corpus.tokens.dtype == torch.int32


def test_a_damaged_or_half_written_corpus_is_not_used(tmp_path, tokenizer):
    corpus = TokenCorpus.from_texts([["The cat sat."]], tokenizer)
    path = tmp_path / "corpus.safetensors"
    corpus.save(path, "this")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    path.write_bytes(path.read_bytes()[:-4])
    assert TokenCorpus.load(path, "this") is None


def test_a_corpus_takes_a_few_bytes_a_token(tokenizer):
    corpus = TokenCorpus.from_texts([["The cat sat. It ran."]] * 5_000, tokenizer)
    size = sum(getattr(corpus, name).nbytes for name in ("tokens", "sentences", "documents"))
    assert size < 12 * len(corpus.tokens)
    assert corpus.tokens.numpy().dtype == np.int32


STORIES = [
    [
        "The cat sat.  It ran!",
        "\u201cStop!\u201d cried J. Smith. She\tslept.",
        "A caf\u00e9? 3.5 km.",
    ],
    ["No end here", "Another line. And more."],
]


def learned(kind: VocabularyKind, frame: Frame, size: int, **options: Any) -> Tokenizer:
    texts = [paragraph for story in STORIES for paragraph in story] * 4
    return train_tokenizer(kind, texts, size, frame=frame, **options)


def test_sentences_as_written_are_the_text_again():
    assert as_written(["One.  Two.", " Three. "]) == ["One.", "  Two.\n", "Three."]
    assert as_written(["One.", " ", "Two."]) == ["One.\n", "Two."]
    for story in STORIES:
        assert "".join(as_written(story)) == "\n".join(story)


@pytest.mark.parametrize("frame", [GPT_FRAME, ROBERTA_FRAME])
def test_at_byte_level_the_tokens_of_a_document_spell_its_text(frame):
    tokenizer = learned(VocabularyKind.BYTE_LEVEL_BPE, frame, 320).inner
    corpus = TokenCorpus.from_texts(STORIES, tokenizer)
    texts = ["\n".join(story) for story in STORIES]
    for number, text in enumerate(texts):
        start, end = corpus.documents[number : number + 2].tolist()
        ids = corpus.tokens[start:end].tolist()
        assert tokenizer.decode(ids) == text
        assert ids == tokenizer.encode(text, add_special_tokens=False).ids
    assert len(corpus.sentences) - 1 == 9


def test_a_packed_stretch_is_natural_text():
    tokenizer = learned(VocabularyKind.BYTE_LEVEL_BPE, GPT_FRAME, 320)
    corpus = TokenCorpus.from_texts(STORIES, tokenizer.inner)
    packed = pack_documents(corpus, tokenizer.id("<|endoftext|>"))
    written = tokenizer.inner.decode(packed.tolist(), skip_special_tokens=False)
    assert written == "".join("\n".join(story) + "<|endoftext|>" for story in STORIES)


def test_a_vocabulary_that_puts_a_space_before_every_text_has_no_second_one():
    tokenizer = learned(VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME, 320, leading_space=True).inner
    corpus = TokenCorpus.from_texts([["One. Two.", "Three."]], tokenizer)
    assert tokenizer.decode(corpus.tokens.tolist()) == " One. Two.\n Three."


@pytest.mark.parametrize(
    ("kind", "frame", "size"),
    [(VocabularyKind.UNIGRAM, XLNET_FRAME, 60), (VocabularyKind.WORD_PIECE, BERT_FRAME, 120)],
)
def test_where_spaces_are_no_text_sentences_are_read_alone(kind, frame, size):
    tokenizer = learned(kind, frame, size).inner
    corpus = TokenCorpus.from_texts([["The cat sat.  It ran!", "She slept."]], tokenizer)
    alone = [
        number
        for sentence in ("The cat sat.", "It ran!", "She slept.")
        for number in tokenizer.encode(sentence, add_special_tokens=False).ids
    ]
    assert corpus.tokens.tolist() == alone
    assert len(corpus.sentences) - 1 == 3
