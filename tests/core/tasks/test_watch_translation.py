"""Watching a translation: what is drawn of a step is what the search has seen."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.errors import SequenceTooLongError
from core.models.architectures.seq2seq import seq2seq_config
from core.models.architectures.transformer import transformer_config
from core.recurrent_config import Alignment
from core.tasks import translate
from core.tasks.errors import NoAttentionError, TopOutOfRangeError
from core.tasks.watch_translation import languages, watch_translation
from core.tokenisation.training import TRANSLATION_FRAME, VocabularyKind, train_tokenizer
from tests.core.decoding.conftest import checkpoint_of

TEXT = "The cat sat there."
TEXTS = (
    "The cat sat there. The dogs sat on the old mat, and the ship went to sea.",
    "Die Katze saß dort. Die Hunde saßen auf der alten Matte, und das Schiff fuhr zur See.",
)


@pytest.fixture(scope="module")
def transformer() -> Checkpoint:
    tokenizer = train_tokenizer(
        VocabularyKind.UNIGRAM, TEXTS * 9, 80, frame=TRANSLATION_FRAME, further=(">>de<<", ">>fr<<")
    )
    sizes: dict[str, Any] = {"layers": 2, "heads": 2, "width": 16, "feed_forward": 32}
    start = tokenizer.pad_id
    config = transformer_config(
        vocabulary=tokenizer.vocabulary_size,
        start_id=start,
        padding_id=start,
        max_positions=64,
        initial_deviation=0.4,
        **sizes,
    )
    torch.manual_seed(3)
    return checkpoint_of(config, tokenizer)


def recurrent(alignment: Alignment | None) -> Checkpoint:
    tokenizer = train_tokenizer(VocabularyKind.UNIGRAM, TEXTS * 9, 80, frame=TRANSLATION_FRAME)
    start = tokenizer.pad_id
    config = seq2seq_config(
        vocabulary=tokenizer.vocabulary_size,
        start_id=start,
        padding_id=start,
        max_positions=64,
        width=12,
        alignment=alignment,
        initial_deviation=0.4,
    )
    torch.manual_seed(3)
    return checkpoint_of(config, tokenizer)


@pytest.mark.parametrize("beams", [1, 3])
def test_the_steps_are_those_of_the_search(transformer: Checkpoint, beams: int) -> None:
    found = watch_translation(transformer, TEXT, language="de", beams=beams, padding=3)
    plain = translate(transformer, TEXT, language="de", beams=beams)
    assert found.text == plain.text
    assert len(found.steps) == len(plain.beams[0].pieces) == len(found.target)
    logarithms = [math.log(step.probability) for step in found.steps]
    assert math.isclose(sum(logarithms), found.found[0].log_probability, abs_tol=1e-4)
    for step in found.steps:
        shares = [one.probability for one in step.candidates]
        assert len(shares) == 10
        assert shares == sorted(shares, reverse=True)
        if step.rank < 10:
            assert step.candidates[step.rank].token == step.token
    if beams == 1:
        assert {step.rank for step in found.steps} == {0}


def test_padding_is_masked_and_changes_nothing_else(transformer: Checkpoint) -> None:
    plain = watch_translation(transformer, TEXT, language="de")
    padded = watch_translation(transformer, TEXT, language="de", padding=4)
    tokens = len(plain.source)
    assert len(padded.source) == tokens + 4
    assert padded.source.special[tokens:] == (True,) * 4
    cross, before = padded.attention["cross"], plain.attention["cross"]
    assert cross.masked[:, tokens:].all()
    assert not cross.masked[:, :tokens].any()
    assert cross.patterns[..., tokens:].max() == 0
    assert np.allclose(cross.patterns[..., :tokens], before.patterns, atol=1e-5)
    encoder = padded.attention["encoder"].patterns[:, :, :tokens, :tokens]
    assert np.allclose(encoder, plain.attention["encoder"].patterns, atol=1e-5)
    for one, other in zip(plain.steps, padded.steps, strict=True):
        assert math.isclose(one.probability, other.probability, abs_tol=1e-5)


def test_the_decoder_sees_only_what_is_written(transformer: Checkpoint) -> None:
    masked = watch_translation(transformer, TEXT, language="fr").attention["decoder"].masked
    assert np.array_equal(masked, np.triu(np.ones_like(masked), 1))


def test_another_translation_can_be_watched(transformer: Checkpoint) -> None:
    second = watch_translation(transformer, TEXT, language="de", beams=3, followed=1)
    assert second.followed == 1
    assert second.text == second.found[1].text
    logarithms = [math.log(step.probability) for step in second.steps]
    assert math.isclose(sum(logarithms), second.found[1].log_probability, abs_tol=1e-4)
    beyond = watch_translation(transformer, TEXT, language="de", beams=3, followed=99)
    assert beyond.followed == len(beyond.found) - 1


def test_scores_of_an_alignment_become_its_weights() -> None:
    found = watch_translation(recurrent(Alignment.ADDITIVE), TEXT, padding=2)
    assert found.scores is not None
    keys = len(found.source) - 2
    exponentials = np.exp(found.scores[:, :keys])
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    pattern = found.attention["cross"].patterns[0, 0]
    assert np.allclose(pattern[:, :keys], weights, atol=1e-5)
    assert pattern[:, keys:].max() == 0


def test_languages_are_those_with_a_token(transformer: Checkpoint) -> None:
    assert languages(transformer) == ("de", "fr")
    assert languages(recurrent(Alignment.GENERAL)) == ()


def test_what_cannot_be_watched_is_refused(transformer: Checkpoint) -> None:
    with pytest.raises(TopOutOfRangeError):
        watch_translation(transformer, TEXT, language="de", top=0)
    with pytest.raises(SequenceTooLongError):
        watch_translation(transformer, TEXT, language="de", padding=60)
    with pytest.raises(ValueError, match="-1 tokens of padding"):
        watch_translation(transformer, TEXT, language="de", padding=-1)
    with pytest.raises(NoAttentionError):
        watch_translation(recurrent(None), TEXT)
