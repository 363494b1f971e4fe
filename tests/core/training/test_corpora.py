import lzma

import pytest
import tokenizers
import torch
from tokenizers import models, pre_tokenizers

from core.training.corpora import CorpusError, TokenCorpus, read_documents, split_sentences

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
    ("name", "content"),
    [("missing.txt", None), ("damaged.txt.xz", b"no xz"), ("latin.txt", b"caf\xe9")],
)
def test_an_unreadable_file_is_named(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=name):
        list(read_documents(tmp_path / name))


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Who met J. Smith. He left.", ["Dr. Who met J. Smith.", "He left."]),
        ('"Stop!" She ran.', ['"Stop!"', "She ran."]),
        ("It cost 3.50 euros. 7 were left.", ["It cost 3.50 euros.", "7 were left."]),
        ("no capital. after it", ["no capital. after it"]),
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
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    for name, text in (("b.txt", "The dog."), ("a.txt", "The cat. It.")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [tmp_path / "b.txt", tmp_path / "a.txt"]
    corpus = TokenCorpus.from_files(paths, tmp_path / "tokenizer.json")
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
