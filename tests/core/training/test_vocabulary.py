"""A smaller vocabulary: which pieces stay, and that the model does not notice."""

from pathlib import Path
from typing import cast

import pytest
import tokenizers
import torch
from tokenizers import models, normalizers

from core.checkpoints import Checkpoint
from core.checkpoints.tokenizer_files import word_piece_tokenizer
from core.config import Head
from core.errors import ConfigError
from core.models.architectures.bert import Bert, bert_config
from core.models.registry import build
from core.tokenisation import Tokenizer
from core.training.corpora import TokenCorpus
from core.training.vocabulary import (
    SPECIALS,
    choose_pieces,
    pruned_tokenizer,
    with_vocabulary,
)

PIECES = ["[PAD]", "cat", "[UNK]", "a", "##a", "the", "[CLS]", "[SEP]", "[MASK]", "##ing", "é"]
PIECES += ["я", "中", "[unused1]", "dog"]
VOCABULARY = {piece: number for number, piece in enumerate(PIECES)}
LETTERS = ["a", "##a", "é", "я"]


def counts(**seen: int) -> torch.Tensor:
    table = torch.zeros(len(PIECES), dtype=torch.long)
    for piece, number in seen.items():
        table[VOCABULARY[piece.replace("__", "##")]] = number
    return table


def test_special_tokens_come_first_then_the_rest_in_the_old_order() -> None:
    kept = choose_pieces(VOCABULARY, counts(dog=9, cat=5, __ing=7, the=1), 12)
    assert kept == [*SPECIALS, "cat", "a", "##a", "##ing", "é", "я", "dog"]


def test_letters_are_kept_though_they_never_occur() -> None:
    assert choose_pieces(VOCABULARY, counts(dog=9), 9) == [*SPECIALS, *LETTERS]


def test_the_frequent_pieces_win() -> None:
    kept = choose_pieces(VOCABULARY, counts(dog=3, the=4, cat=1), 10)
    assert set(kept) - set(LETTERS) - set(SPECIALS) == {"the"}


def test_what_never_occurs_is_not_kept_to_fill_up() -> None:
    kept = choose_pieces(VOCABULARY, counts(dog=3), len(PIECES))
    assert set(kept) == {*SPECIALS, *LETTERS, "dog"}


def test_special_tokens_are_not_counted_twice() -> None:
    table = counts(dog=3, cat=2)
    table[VOCABULARY["[UNK]"]] = 100
    kept = choose_pieces(VOCABULARY, table, 11)
    assert len(kept) == len(set(kept)) == 11
    assert {"dog", "cat"} < set(kept)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (8, "8 pieces cannot hold 4 letters"),
        (0, "0 pieces cannot hold"),
        (-5, "-5 pieces cannot hold"),
        (16, "16 pieces cannot be kept of a vocabulary of 15"),
    ],
)
def test_a_size_that_cannot_be_is_refused(size: int, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        choose_pieces(VOCABULARY, counts(dog=1), size)


def test_a_vocabulary_without_the_special_tokens_is_refused() -> None:
    others = {piece: number for piece, number in VOCABULARY.items() if piece != "[MASK]"}
    with pytest.raises(ConfigError, match=r"lacks \[MASK\]"):
        choose_pieces(others, counts(), 12)


def pruned(checkpoint: Checkpoint, corpus_file: Path) -> tuple[Tokenizer, torch.Tensor]:
    tokenizer = checkpoint.tokenizer
    corpus = TokenCorpus.from_files([corpus_file], tokenizer.inner)
    seen = corpus.tokens.bincount(minlength=tokenizer.vocabulary_size)
    vocabulary = tokenizer.inner.get_vocab()
    pieces = choose_pieces(vocabulary, seen, tokenizer.vocabulary_size - 20)
    rows = torch.tensor([vocabulary[piece] for piece in pieces])
    return pruned_tokenizer(tokenizer, pieces), rows


def test_rows_are_copied_and_nothing_else_changes(
    tiny_checkpoint: Checkpoint, corpus_file: Path
) -> None:
    old = cast(Bert, tiny_checkpoint.model)
    _, rows = pruned(tiny_checkpoint, corpus_file)
    new, config = with_vocabulary(old, rows)
    assert config.embedding.vocabulary == len(rows) < old.config.embedding.vocabulary
    assert new.config == config
    before = dict(old.named_parameters())
    for name, parameter in new.named_parameters():
        by_piece = name in ("embedding.token_table.weight", "masked_language.bias")
        assert torch.equal(parameter, before[name][rows] if by_piece else before[name]), name


def test_texts_whose_pieces_are_kept_look_the_same_to_the_model(
    tiny_checkpoint: Checkpoint, corpus_file: Path
) -> None:
    old = cast(Bert, tiny_checkpoint.model)
    tokenizer, rows = pruned(tiny_checkpoint, corpus_file)
    new = with_vocabulary(old, rows)[0].eval()
    with torch.inference_mode():
        for text in ("The cat was open.", "The capital of France and cats. Cat."):
            one, other = tiny_checkpoint.tokenizer.encode(text), tokenizer.encode(text)
            assert one.tokens == other.tokens
            assert one.ids != other.ids
            before, after = old(torch.tensor([one.ids])), new(torch.tensor([other.ids]))
            torch.testing.assert_close(after.hidden, before.hidden)
            torch.testing.assert_close(after.pair_logits, before.pair_logits)
            torch.testing.assert_close(after.logits, before.logits[..., rows])


def test_names_can_still_be_written(tiny_checkpoint: Checkpoint, corpus_file: Path) -> None:
    tokenizer, _ = pruned(tiny_checkpoint, corpus_file)
    encoding = tokenizer.encode("didn because sleeping")
    assert tokenizer.unknown_id not in encoding.ids
    assert len(encoding.ids) > 3 + 2


def test_missing_heads_start_fresh() -> None:
    torch.manual_seed(0)
    old = cast(Bert, build(bert_config(vocabulary=15, layers=1, heads=2, width=8, predicts=())))
    new, config = with_vocabulary(old, torch.arange(10))
    assert config.heads == (Head.MASKED_LANGUAGE, Head.NEXT_SENTENCE)
    assert new.masked_language is not None
    assert new.next_sentence is not None
    assert new.masked_language.bias.shape == (10,)
    assert torch.equal(new.embedding.token_table.weight, old.embedding.token_table.weight[:10])


@pytest.mark.parametrize("lowercase", [True, False])
def test_capitals_are_treated_as_before(lowercase: bool) -> None:
    pieces = [*SPECIALS, "C", "c", "##a", "##t", "Cat", "cat"]
    settings = {"do_lower_case": lowercase, "strip_accents": False}
    old = word_piece_tokenizer("\n".join(pieces), settings)
    new = pruned_tokenizer(old, pieces[:-1])
    assert new.encode("Cat").tokens[1:-1] == (("c", "##a", "##t") if lowercase else ("Cat",))
    assert old.inner.normalizer.normalize_str("É") == new.inner.normalizer.normalize_str("É")


def test_other_kinds_of_vocabulary_are_refused() -> None:
    inner = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    for normaliser in (None, normalizers.Lowercase()):
        if normaliser is not None:
            inner.normalizer = normaliser
        with pytest.raises(ConfigError, match="BERT's word pieces"):
            pruned_tokenizer(Tokenizer(inner), SPECIALS)
