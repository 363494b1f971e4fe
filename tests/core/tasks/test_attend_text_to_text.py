"""Attention of models with two sides. Models that ask nothing look everywhere alike."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from core.checkpoints import Checkpoint
from core.errors import MissingHeadError, SequenceTooLongError
from core.hooks import Intervention, intervene
from core.hooks.sites import Site
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.transformer import transformer_config
from core.tasks import (
    NoAttentionError,
    NotReadError,
    TooManyWeightsError,
    UnknownLanguageError,
    attend,
    fill_spans,
    forward,
    translate,
)
from core.tasks.translate import translate_each
from core.tasks.watch_translation import watch_translation
from core.tokenisation import Tokenizer
from tests.core.decoding.conftest import checkpoint_of
from tests.core.tasks.conftest import SIZES, TEXT, asking_nothing


def seq2seq_of(tokenizer: Tokenizer, **settings: Any) -> Checkpoint:
    config = seq2seq_config(
        vocabulary=tokenizer.vocabulary_size,
        embedding_width=12,
        width=8,
        decoder_width=16,
        alignment_width=10,
        max_positions=40,
        initial_deviation=0.5,
        **settings,
    )
    return checkpoint_of(config, tokenizer)


def test_an_encoder_decoder_has_three_kinds(transformer: Checkpoint) -> None:
    result = attend(transformer, TEXT, target="A dog sat.", language="de")
    source, target = result.encoding, result.target
    assert target is not None
    assert [one.name for one in result.maps] == ["encoder", "decoder", "cross"]
    assert source.tokens[0] == ">>de<<"
    assert source.tokens[-1] == "</s>"
    assert target.tokens[0] == "<pad>"
    assert target.tokens[-1] == "."
    assert target.spellings == ("A", "dog", "sat", ".")
    assert not result.written
    assert result.ended
    queries, keys = len(target), len(source)
    encoder, decoder, cross = result.maps
    assert encoder.patterns.shape == (3, 4, keys, keys)
    assert decoder.patterns.shape == (2, 4, queries, queries)
    assert cross.patterns.shape == (2, 4, queries, keys)
    assert (cross.query, cross.key) == (target, source)
    assert np.array_equal(decoder.masked, np.triu(np.ones((queries, queries), dtype=bool), 1))
    assert not cross.masked.any()
    assert encoder.positions is not None
    assert decoder.positions is not None
    assert cross.positions is not None
    np.testing.assert_array_equal(encoder.positions[:4], decoder.positions[:4])
    np.testing.assert_array_equal(cross.positions, decoder.positions)
    silent = attend(asking_nothing(transformer), TEXT, target="A dog sat.")["cross"].patterns
    np.testing.assert_allclose(silent, 1 / silent.shape[-1], atol=1e-6)
    np.testing.assert_allclose(cross.patterns.sum(-1), 1, atol=1e-5)


def test_without_a_target_the_model_writes_the_likeliest(transformer: Checkpoint) -> None:
    result = attend(transformer, TEXT, language="fr")
    assert result.written
    assert result.target is not None
    expected = translate(transformer, TEXT, language="fr", beams=1)
    pieces = [one for one in expected.beams[0].pieces if one != transformer.tokenizer.sep_id]
    written = list(result.target.ids[1:])
    assert written == pieces[: len(written)]
    assert result.ended or len(written) == len(pieces)
    assert result["cross"].patterns.shape[2] == 1 + len(written)


@pytest.mark.parametrize(("words", "room"), [(3, 200), (60, 200), (60, 90)])
def test_what_does_not_end_is_as_long_wherever_it_is_written(
    unigram: Tokenizer, words: int, room: int
) -> None:
    sizes = {**SIZES, "feed_forward": 64, "max_positions": room, "initial_deviation": 0.3}
    endless = checkpoint_of(
        transformer_config(vocabulary=unigram.vocabulary_size, decoder_layers=2, **sizes), unigram
    )
    text = "cat " * words

    def without_end(scores: Tensor, _site: Site) -> Tensor:
        return scores.index_fill(-1, torch.tensor(unigram.sep_id), -torch.inf)

    with intervene(Intervention("language.logits", without_end)):
        read = attend(endless, text)
        greedy = translate(endless, text, beams=1)
        side_by_side = translate_each(endless, [text], beams=1)
        watched = watch_translation(endless, text, beams=1)
    tokens = len(read.encoding)
    assert (tokens > 40) == (words == 60)
    longest = {(3, 200): 2 * tokens + 10, (60, 200): tokens + 50, (60, 90): 89}[words, room]
    assert not read.ended
    assert read.target is not None
    pieces = read.target.ids[1:]
    assert len(pieces) == longest
    assert greedy.beams[0].pieces == tuple(pieces)
    assert side_by_side == [greedy.text]
    assert len(watched.steps) == longest


def test_a_t5_adds_its_bias_to_the_scores_of_all_layers(t5: Checkpoint) -> None:
    silent = asking_nothing(t5)
    result = attend(silent, TEXT, target="A dog sat.")
    encoder, decoder, cross = result.maps
    assert result.positions is None
    assert encoder.bias is not None
    assert decoder.bias is not None
    assert cross.bias is None
    assert encoder.bias.std() > 0
    # It asks nothing, so that the bias is all there is.
    for layer in range(2):
        expected = torch.from_numpy(encoder.bias.copy()).softmax(-1).numpy()
        np.testing.assert_allclose(encoder.patterns[layer], expected, atol=1e-6)
    scores = np.where(decoder.masked, -np.inf, decoder.bias)
    expected = torch.from_numpy(scores).softmax(-1).numpy()
    np.testing.assert_allclose(decoder.patterns[2], expected, atol=1e-6)
    np.testing.assert_allclose(cross.patterns, 1 / len(result.encoding), atol=1e-6)


def test_blanks_are_sentinels_on_both_sides_of_a_t5(t5: Checkpoint) -> None:
    text = "The cat ___2___ on ___."
    result = attend(t5, text)
    marks = [token for token in result.encoding.tokens if token.startswith("<")]
    assert marks == ["<extra_id_0>", "<size_2>", "<extra_id_1>", "<size_1>", "</s>"]
    assert result.target is not None
    assert result.target.tokens[1] == "<extra_id_0>"
    assert result.target.tokens[-1] == "<extra_id_2>"
    written = fill_spans(t5, text).fillings[0]
    assert result.target.texts[0].split() == " ".join(written).split()
    assert result.ended
    given = attend(t5, text, target="___ sat there ___ the mat ___").target
    assert given is not None
    assert [token for token in given.tokens if token.startswith("<")] == [
        "<pad>",
        "<extra_id_0>",
        "<extra_id_1>",
        "<extra_id_2>",
    ]
    assert given.spellings == ("sat", "there", "the", "mat")


def test_a_written_text_stops_where_the_model_does(t5: Checkpoint) -> None:
    result = attend(t5, "The cat ___99___.")
    assert result.target is not None
    assert len(result.target) == 90
    assert not result.ended


@pytest.mark.parametrize("attends", ["previous", "current"])
def test_a_recurrent_model_has_its_alignment(unigram: Tokenizer, attends: str) -> None:
    from core.recurrent_config import Attends

    checkpoint = seq2seq_of(unigram, attends=Attends(attends))
    result = attend(checkpoint, TEXT, target="A dog sat.")
    (cross,) = result.maps
    assert result.target is not None
    assert cross.name == "cross"
    assert cross.patterns.shape == (1, 1, len(result.target), len(result.encoding))
    np.testing.assert_allclose(cross.patterns.sum(-1), 1, atol=1e-6)
    with torch.no_grad():
        for name, parameter in checkpoint.model.named_parameters():
            if ".score." in name:
                parameter.zero_()
    even = attend(checkpoint, TEXT, target="A dog sat.").patterns
    np.testing.assert_allclose(even, 1 / len(result.encoding), atol=1e-6)
    written = attend(checkpoint, TEXT)
    assert written.written
    assert written.target is not None
    assert written.target.ids[0] == checkpoint.config.start_id


def test_a_recurrent_model_without_an_alignment_has_nothing_to_show(unigram: Tokenizer) -> None:
    with pytest.raises(NoAttentionError):
        attend(seq2seq_of(unigram, alignment=None), TEXT)


def test_what_a_model_does_not_read_is_refused(
    tiny_checkpoint: Checkpoint, transformer: Checkpoint, gpt: Checkpoint
) -> None:
    with pytest.raises(NotReadError, match="bert reads no target"):
        attend(tiny_checkpoint, "the cat", target="the mat")
    with pytest.raises(NotReadError, match="gpt reads no language"):
        attend(gpt, "the cat", language="de")
    with pytest.raises(NotReadError, match="transformer reads no order"):
        attend(transformer, "the cat", order=(0, 1))
    with pytest.raises(UnknownLanguageError):
        attend(transformer, "the cat", language="ko")


def test_a_model_that_does_not_write_needs_a_target(unigram: Tokenizer) -> None:
    config = transformer_config(
        vocabulary=unigram.vocabulary_size, feed_forward=64, predicts=(), **SIZES
    )
    checkpoint = checkpoint_of(config, unigram)
    assert len(attend(checkpoint, TEXT, target="A dog.").maps) == 3
    with pytest.raises(MissingHeadError):
        attend(checkpoint, TEXT)


def test_too_long_texts_are_refused_or_cut_on_both_sides(transformer: Checkpoint) -> None:
    long = "the cat " * 30
    with pytest.raises(SequenceTooLongError):
        attend(transformer, long, target=TEXT)
    with pytest.raises(SequenceTooLongError):
        attend(transformer, TEXT, target=long)
    result = attend(transformer, long, target=long, language="de", cut=True)
    assert result.target is not None
    assert (len(result.encoding), len(result.target)) == (40, 40)
    assert result.encoding.tokens[-1] == "</s>"
    assert min(result.encoding.cut, result.target.cut) > 0


def test_maps_that_take_too_much_memory_are_refused(
    transformer: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = attend(transformer, TEXT, target="A dog.")
    weights = sum(one.patterns.size for one in result.maps)
    monkeypatch.setattr(forward, "MAX_WEIGHTS", weights)
    attend(transformer, TEXT, target="A dog.")
    monkeypatch.setattr(forward, "MAX_WEIGHTS", weights - 1)
    with pytest.raises(TooManyWeightsError, match=f"{weights:,}"):
        attend(transformer, TEXT, target="A dog.")


def test_arrays_cannot_be_changed(t5: Checkpoint) -> None:
    for one in attend(t5, TEXT, target="A dog.").maps:
        for array in (one.patterns, one.masked, one.bias):
            assert array is None or not array.flags.writeable
