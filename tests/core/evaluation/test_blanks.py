"""Figures of a T5: by hand for a model that knows nothing, and what its fillings are counted as."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.checkpoints import Checkpoint
from core.errors import ConfigError
from core.evaluation import span_fillings
from core.evaluation.options import Options
from core.evaluation.registry import evaluate
from core.evaluation.span_fillings import blanked_sentences, distinct, try_fillings
from core.evaluation.span_scores import SpanTrial, byte_lengths
from core.models.architectures.t5 import t5_config
from core.models.registry import build
from core.tasks import fill_spans
from core.tokenisation.blanks import size_tokens
from core.tokenisation.training import T5_FRAME, VocabularyKind, sentinels, train_tokenizer
from core.training.corpora import CorpusError, TokenCorpus

TEXT = (
    "Rivers thaw slowly in the north, and small birds return one by one.\n"
    "Nobody knows who wrote the letter; its paper is thin and its ink is blue.\n\n"
    "Seven white ships lay in the harbour until the wind came from the sea.\n"
) * 12


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("text") / "text.txt"
    file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def uniform(path: Path) -> Checkpoint:
    """A T5 without any knowledge: every piece is as likely as any other."""
    tokenizer = train_tokenizer(
        VocabularyKind.UNIGRAM,
        TEXT.splitlines(),
        300,
        frame=T5_FRAME,
        punctuation_apart=True,
        further=(*size_tokens(), *sentinels(30)),
    )
    config = t5_config(
        vocabulary=tokenizer.vocabulary_size,
        layers=1,
        heads=2,
        head_size=4,
        width=8,
        feed_forward=8,
        start_id=tokenizer.pad_id,
    )
    model = build(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    return Checkpoint("uniform", path.parent, "", config, model, tokenizer, None, 0)


def trial(checkpoint: Checkpoint, path: Path, length: int = 64, windows: int = 99) -> SpanTrial:
    corpus = TokenCorpus.from_files([path], checkpoint.tokenizer.inner)
    return SpanTrial.of(checkpoint, corpus, length=length, windows=windows, seed=0)


def test_a_model_that_knows_nothing_by_hand(uniform: Checkpoint, path: Path) -> None:
    scores = trial(uniform, path).corrupted()
    each = math.log(uniform.config.embedding.vocabulary)
    assert scores.nats == pytest.approx(each, rel=1e-5)
    assert scores.top1 == 0, "a tie is no right guess"
    # 15 % of 64 are 10 pieces a text.
    assert scores.pieces == 10 * scores.texts
    single = trial(uniform, path).single(8)
    assert single is not None
    assert single.nats == pytest.approx(each, rel=1e-5)
    assert single.pieces >= 8 * single.texts


def test_bits_are_divided_by_the_bytes_of_what_was_cut_out(uniform: Checkpoint, path: Path) -> None:
    found = trial(uniform, path)
    lengths = byte_lengths(uniform.tokenizer)
    # Half of each text: whatever is cut out, the share of all bytes is about the same.
    scores = found.corrupted()
    bytes_a_piece = lengths[found.texts].float().mean().item()
    expected = scores.nats / math.log(2) / bytes_a_piece
    assert scores.bits_per_byte == pytest.approx(expected, rel=0.15)


def test_pieces_are_as_long_as_what_they_spell(uniform: Checkpoint) -> None:
    tokenizer = uniform.tokenizer
    lengths = byte_lengths(tokenizer)
    text = "the white ships, and the birds"
    ids = tokenizer.ids_of(text)
    assert sum(int(lengths[number]) for number in ids) == len(f" {text}".encode())
    assert not lengths[[tokenizer.pad_id, tokenizer.sep_id]].any()


def test_spans_longer_than_half_a_text_are_not_measured(uniform: Checkpoint, path: Path) -> None:
    assert trial(uniform, path).single(64) is None


def test_fewer_windows_are_drawn_by_the_seed(uniform: Checkpoint, path: Path) -> None:
    all_texts = trial(uniform, path).texts.tolist()
    some = trial(uniform, path, windows=3).texts.tolist()
    assert len(some) == 3
    assert all(text in all_texts for text in some)


def test_what_cannot_be_measured(uniform: Checkpoint, path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds 32 to 512 tokens, not 9"):
        trial(uniform, path, length=9)
    with pytest.raises(ConfigError, match="at least 1 input"):
        trial(uniform, path, windows=0)
    (tmp_path / "short.txt").write_text("Seven ships.", encoding="utf-8")
    with pytest.raises(CorpusError, match="shorter than one input"):
        trial(uniform, tmp_path / "short.txt")
    with pytest.raises(CorpusError, match="no sentence"):
        blanked_sentences(tmp_path / "short.txt", 0)
    with pytest.raises(ConfigError, match="--text"):
        evaluate(uniform, Options())
    with pytest.raises(ConfigError, match="fills no blanks"):
        trial(replace(uniform, config=replace(uniform.config, start_id=None)), path)


def test_a_sentence_keeps_its_closing_marks_and_loses_one_word(path: Path) -> None:
    found = blanked_sentences(path, 0)
    assert len(found) == 36
    originals = set(TEXT.split("\n"))
    for one in found:
        assert one.word.isalpha()
        assert one.text.replace("___", one.word) in originals
        assert not one.text.startswith("___")
    assert blanked_sentences(path, 0) == found != blanked_sentences(path, 1)
    assert any("___." in one.text or "___;" in one.text for one in found)


def test_the_first_sentences_are_of_all_documents(tmp_path: Path) -> None:
    longer = [f"The tall {one} of a long story ran on and on all day." for one in ("fox", "cat")]
    many = "\n".join([longer[0]] * 50)
    (tmp_path / "three.txt").write_text(
        f"{many}\n\n{longer[1]}\n\nSeven white ships lay in the harbour all through the night.\n",
        encoding="utf-8",
    )
    found = blanked_sentences(tmp_path / "three.txt", 0)
    assert len(found) == 52
    whole = {one.text.replace("___", one.word).split()[2] for one in found[:3]}
    assert whole == {"fox", "cat", "ships"}


def test_free_blanks_that_the_limit_cuts_have_not_ended(
    uniform: Checkpoint, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_fillings, "TRIED", {1: 1, 64: 1})
    monkeypatch.setattr(span_fillings, "FREE_TRIALS", 3)
    monkeypatch.setattr(span_fillings, "MOST_FREE", 33)
    free = try_fillings(uniform, path).free
    assert (free.tried, free.ended) == (3, 1.0)
    # The first of equal pieces is never the sentinel: greedy fillings run to their limit.
    monkeypatch.setattr(span_fillings, "MOST_FREE", round(free.words))
    assert try_fillings(uniform, path).free.ended == 0.0


def test_runs_of_three_words() -> None:
    assert distinct("a b c a b c".split()) == 3 / 4  # abc bca cab abc
    assert distinct("a a a a a".split()) == 1 / 3
    assert distinct(["a", "b"]) == 1


def test_fillings_are_exact_and_compared_with_the_word_left_out(
    uniform: Checkpoint, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_fillings, "TRIED", {1: 4, 2: 2, 64: 1})
    found = try_fillings(uniform, path)
    assert found.exact == {1: 1.0, 2: 1.0, 64: 1.0}
    assert found.tried == {1: 4, 2: 2, 64: 1}
    assert 0 <= found.distinct3 <= 1
    real = blanked_sentences(path, 0)[:2]
    first = fill_spans(uniform, real[0].text.replace("___", "___1___")).fillings[0][0]
    known = [replace(real[0], word=first.upper()), replace(real[1], word="otherwise")]
    monkeypatch.setattr(span_fillings, "blanked_sentences", lambda *_: known)
    assert try_fillings(uniform, path).one_word == 0.5


def test_all_figures_of_the_table(
    uniform: Checkpoint, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_fillings, "TRIED", {1: 2, 64: 1})
    figures = evaluate(uniform, Options(text=path, length=64))
    assert figures["exact_size"] == {"1": 1.0, "64": 1.0}
    assert figures["span_64_nats_per_piece"] is None
    assert figures["span_8_nats_per_piece"] == pytest.approx(figures["nats_per_piece"], rel=1e-4)
    assert figures["windows"] > 5
