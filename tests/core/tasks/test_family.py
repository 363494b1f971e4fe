"""What the family page asks: hidden words, draws of the objectives, SpanBERT's terms, layers."""

import math

import numpy as np
import pytest
import torch

from core.checkpoints import LoadPolicy, load_checkpoint
from core.errors import MissingHeadError
from core.tasks import NoMaskError, NoSuchWordError, attend, fill_mask
from core.tasks.errors import EpochsOutOfRangeError, NoObjectiveError, NoSpanError
from core.tasks.forward import seen_before
from core.tasks.layer_steps import layer_steps
from core.tasks.span_terms import span_terms
from core.tasks.training_draws import Mark, training_draws
from tests.tiny_checkpoints import write_tiny

TEXT = "The dog sleeps in the garden, and my sister lives in a small house."
FAMILY = ("bert", "roberta", "spanbert", "albert", "distilbert", "structbert", "mtdnn", "xlnet")


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    folder = tmp_path_factory.mktemp("family")
    policy = LoadPolicy(roots=(folder,))
    return {
        name: load_checkpoint(str(write_tiny(name, folder / name)), device="cpu", policy=policy)
        for name in (*FAMILY, "gpt")
    }


@pytest.mark.parametrize("name", FAMILY)
def test_every_model_guesses_the_hidden_word(family, name):
    found = fill_mask(family[name], TEXT, mask_words=(1,), top=100, patterns=True)
    typed = family[name].tokenizer.encode(TEXT)
    assert found.streams == (name == "xlnet")
    assert (found.encoding == typed) == found.streams
    assert found.encoding.spellings[1] == "dog"
    assert {one.word for one in found.masks} == {1}
    assert [one.position for one in found.masks] == list(found.encoding.tokens_of(1))
    for one in found.masks:
        assert one.piece == typed.tokens[one.position]
        likeliest = dict(one.predictions)
        assert one.rank is not None
        if one.rank <= len(one.predictions):
            assert one.predictions[one.rank - 1].token == one.piece
            assert likeliest[one.piece] == pytest.approx(one.probability)
    assert found.patterns is not None
    np.testing.assert_allclose(found.patterns.sum(-1), 1, atol=1e-5)
    assert found.patterns[..., found.masked].max(initial=0) == 0


def test_nobody_in_xlnet_sees_the_hidden_token(family):
    """Another word in its place changes no guess and no row."""
    found = fill_mask(family["xlnet"], "The dog sleeps.", mask_words=[1], patterns=True)
    other = fill_mask(family["xlnet"], "The cat sleeps.", mask_words=[1], patterns=True)
    if len(found.encoding) == len(other.encoding):
        assert found.masks[0].predictions == other.masks[0].predictions
    hidden = [one.position for one in found.masks]
    assert found.patterns is not None
    assert found.patterns[..., hidden].max() == 0
    assert found.texts == ("The dog sleeps.",)


def test_xlnets_guess_is_the_one_after_the_last_in_an_order(family):
    """One hidden token that comes last in an order sees all the others."""
    checkpoint = family["xlnet"]
    found = fill_mask(checkpoint, TEXT, mask_words=[3], patterns=True)
    position = found.masks[0].position
    others = [at for at in range(len(found.encoding)) if at != position]
    assert found.patterns is not None
    read = attend(checkpoint, TEXT, order=[*others, position])
    np.testing.assert_allclose(
        found.patterns[0, :, position], read["query"].patterns[0, :, position], atol=1e-6
    )


def test_who_sees_whom_where_one_is_hidden():
    expected = torch.tensor([[0, 0, 1], [1, 0, 1], [1, 0, 0]], dtype=torch.bool)
    assert torch.equal(seen_before(3, [1]), expected)


def test_typed_masks_hide_nothing_that_is_known(family):
    for name in ("bert", "roberta", "xlnet"):
        found = fill_mask(family[name], "The dog [MASK] in the garden.")
        (one,) = found.masks
        assert (one.piece, one.probability, one.rank) == (None, None, None)


def test_what_cannot_be_guessed_is_refused(family):
    with pytest.raises(NoMaskError):
        fill_mask(family["bert"], TEXT)
    with pytest.raises(NoMaskError):
        fill_mask(family["xlnet"], TEXT)
    for name in ("bert", "xlnet"):
        with pytest.raises(NoSuchWordError):
            fill_mask(family[name], TEXT, mask_words=[99], patterns=True)
    with pytest.raises(MissingHeadError):
        fill_mask(family["gpt"], TEXT, mask_words=[1], patterns=True)


@pytest.mark.parametrize("name", FAMILY)
def test_draws_are_seeded_and_ask_about_few_tokens(family, name):
    found = training_draws(family[name], TEXT, seed=3, readings=4)
    assert found == training_draws(family[name], TEXT, seed=3, readings=4)
    assert found.readings != training_draws(family[name], TEXT, seed=4, readings=4).readings
    ordinary = sum(not special for special in found.encoding.special)
    for reading in found.readings:
        assert len(reading) == len(found.encoding)
        asked = [one for one in reading if one.mark not in (None, Mark.SOFT)]
        assert 1 <= len(asked) <= ordinary / 2
        for one, special in zip(reading, found.encoding.special, strict=True):
            assert not special or one.mark in (None, Mark.SOFT)


def test_static_masks_come_again_and_dynamic_ones_do_not(family):
    bert = training_draws(family["bert"], TEXT, readings=12)
    assert bert.copies == 10
    assert bert.readings[10:] == bert.readings[:2]
    roberta = training_draws(family["roberta"], TEXT, readings=12)
    assert roberta.copies == 0
    assert len(set(roberta.readings)) > 10


def test_each_objective_leaves_its_own_marks(family):
    drawn = {
        name: [one for reading in training_draws(family[name], TEXT, readings=20).readings
               for one in reading]
        for name in FAMILY
    }  # fmt: skip
    marks = {name: {one.mark for one in tokens} for name, tokens in drawn.items()}
    hidden = {Mark.MASK, Mark.RANDOM, Mark.KEPT}
    assert marks["bert"] <= hidden | {None}
    assert marks["distilbert"] == hidden | {Mark.SOFT}
    assert Mark.MOVED in marks["structbert"]
    assert marks["xlnet"] == {None, Mark.NEXT}
    assert {one.rank for one in drawn["xlnet"] if one.mark} == set(range(1, 1 + max(
        one.rank for one in drawn["xlnet"] if one.rank)))  # fmt: skip
    spans = training_draws(family["spanbert"], TEXT, readings=20).readings
    for reading in spans:
        for number in {one.span for one in reading} - {0}:
            positions = [at for at, one in enumerate(reading) if one.span == number]
            assert positions == list(range(positions[0], positions[-1] + 1))
            seen = {reading[at].mark for at in positions}
            assert seen <= {Mark.MASK} or Mark.MASK not in seen  # one corruption for the whole span


def test_a_shuffled_trigram_keeps_its_tokens(family):
    found = training_draws(family["structbert"], TEXT, readings=10)
    pieces = found.encoding.pieces
    for reading in found.readings:
        moved = [at for at, one in enumerate(reading) if one.mark is Mark.MOVED]
        assert len(moved) % 3 == 0
        assert sorted(reading[at].piece for at in moved) == sorted(pieces[at] for at in moved)


def test_draws_out_of_range_and_of_other_systems_are_refused(family):
    with pytest.raises(EpochsOutOfRangeError):
        training_draws(family["bert"], TEXT, readings=0)
    with pytest.raises(NoObjectiveError):
        training_draws(family["gpt"], TEXT)


def test_spanberts_terms_are_those_of_its_heads(family):
    checkpoint = family["spanbert"]
    found = span_terms(checkpoint, TEXT, first=2, last=5, word=4, top=5)
    tokens = [at for at, word in enumerate(found.encoding.words) if word in (2, 3, 4, 5)]
    assert (found.left, found.right) == (tokens[0] - 1, tokens[-1] + 1)
    assert found.position == found.encoding.tokens_of(4)[0]
    assert found.index == found.position - found.first + 1
    number = found.encoding.ids[found.position]
    with torch.inference_mode():
        model, ids = checkpoint.model, torch.tensor([found.shown.ids])
        hidden = model.encode(ids, torch.zeros_like(ids))
        masked = model.score_words(hidden[0, found.position])
        around = hidden[0, found.left], hidden[0, found.right], torch.tensor(found.index - 1)
        boundary = model.score_spans(*around)
    for term, logits in ((found.masked, masked), (found.boundary, boundary)):
        assert term.loss == pytest.approx(-logits.log_softmax(-1)[number].item(), abs=1e-4)
        assert term.probability == pytest.approx(math.exp(-term.loss))
        assert checkpoint.tokenizer.id(term.predictions[0].token) == logits.argmax()
    assert found.loss == pytest.approx(found.masked.loss + found.boundary.loss)
    nearer = span_terms(checkpoint, TEXT, first=3, last=5, word=4)
    assert nearer.index < found.index


def test_what_is_no_span_is_refused(family):
    checkpoint = family["spanbert"]
    for first, last, word in ((4, 2, 3), (2, 3, 4)):
        with pytest.raises(NoSpanError):
            span_terms(checkpoint, TEXT, first=first, last=last, word=word)
    with pytest.raises(NoSuchWordError):
        span_terms(checkpoint, TEXT, first=0, last=99, word=1)
    with pytest.raises(MissingHeadError):
        span_terms(family["bert"], TEXT, first=0, last=1, word=1)


def test_alberts_layers_are_one_module_and_berts_are_not(family):
    albert = layer_steps(family["albert"], TEXT)
    bert = layer_steps(family["bert"], TEXT)
    assert [one.module for one in albert.steps] == [0, 0]
    assert [one.module for one in bert.steps] == [0, 1]
    assert len(albert.module_parameters) == 1
    for found, name in ((albert, "albert"), (bert, "bert")):
        expected = attend(family[name], TEXT).patterns
        np.testing.assert_allclose(found.patterns, expected, atol=1e-6)
        moved = np.abs(expected[1] - expected[0]).sum(-1).mean() / 2
        assert found.steps[0].apart is None
        assert found.steps[1].apart == pytest.approx(moved, abs=1e-5)
        assert all(-1 <= one.cosine <= 1 and one.distance > 0 for one in found.steps)
