"""One sentence through ELECTRA's pre-training, with figures worked out by hand."""

import math
from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.engine import call
from core.errors import ConfigError, MissingHeadError
from core.models.architectures.electra import electra_config
from core.models.registry import build
from core.tasks import (
    NothingToReplaceError,
    OtherVocabularyError,
    Replacements,
    fill_mask,
    judge_replacements,
    replace_by_generator,
    sample_replacements,
)
from core.tokenisation import Tokenizer

TEXT = "The cat sat on the mat and the animal was tired"


def electra(tiny: Checkpoint, head: Head, deviation: float = 0.3) -> Checkpoint:
    config = electra_config(
        vocabulary=tiny.tokenizer.vocabulary_size,
        embedding_width=16,
        width=16,
        heads=2,
        layers=1,
        max_positions=64,
        predicts=(head,),
        initial_deviation=deviation,
    )
    torch.manual_seed(3)
    return replace(tiny, name="electra", config=config, model=build(config).eval())


@pytest.fixture
def generator(tiny_checkpoint: Checkpoint) -> Checkpoint:
    return electra(tiny_checkpoint, Head.MASKED_LANGUAGE)


@pytest.fixture
def undecided(generator: Checkpoint) -> Checkpoint:
    """A generator that finds every piece as likely as any other."""
    cast(Any, generator.model).masked_language.norm.weight.data.zero_()
    return generator


@pytest.fixture
def sceptic(tiny_checkpoint: Checkpoint) -> Checkpoint:
    """A discriminator that gives every token 0.8 for having been replaced."""
    found = electra(tiny_checkpoint, Head.REPLACED_TOKEN)
    output = cast(Any, found.model).replaced_token.output
    output.weight.data.zero_()
    output.bias.data.fill_(math.log(4))
    return found


def test_a_temperature_takes_a_root_of_every_probability(generator: Checkpoint) -> None:
    cool, warm = (
        sample_replacements(generator, TEXT, share=0.5, temperature=temperature, top=100)
        for temperature in (1.0, 3.0)
    )
    assert cool.loss == warm.loss, "what the generator has learnt stays the same"
    for before, after in zip(cool.samples, warm.samples, strict=True):
        assert (before.position, before.draw) == (after.position, after.draw)
        assert before.candidates[0].token == after.candidates[0].token
        known = {one.token: one.probability for one in before.candidates}
        for one in after.candidates:
            expected = (known[one.token] / before.candidates[0].probability) ** (1 / 3)
            assert one.probability / after.candidates[0].probability == pytest.approx(
                expected, rel=1e-3
            )


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.inf, math.nan])
def test_a_temperature_is_a_number_above_0(generator: Checkpoint, temperature: float) -> None:
    with pytest.raises(ConfigError, match="temperature"):
        sample_replacements(generator, TEXT, temperature=temperature)


def test_losses_are_those_worked_out_by_hand(undecided: Checkpoint, sceptic: Checkpoint) -> None:
    pieces = undecided.tokenizer.vocabulary_size
    sampled, judged = replace_by_generator(sceptic, undecided, TEXT, share=0.5, seed=1)
    ordinary = len(sampled.encoding) - 2
    assert len(sampled.samples) == round(0.5 * ordinary)
    for hidden in sampled.samples:
        assert hidden.nats == pytest.approx(math.log(pieces), rel=1e-5)
        assert hidden.sample.probability == pytest.approx(1 / pieces, rel=1e-5)
        assert hidden.sample.token == undecided.tokenizer.token(int(hidden.draw * pieces))
        assert hidden.same == (hidden.sample.token == hidden.original)
        assert undecided.tokenizer.token(sampled.ids[hidden.position]) == hidden.sample.token
    again = None if sampled.text is None else undecided.tokenizer.encode(sampled.text).ids
    assert again in (None, sampled.ids)
    assert sampled.loss == pytest.approx(math.log(pieces), rel=1e-5)
    replaced = sum(not hidden.same for hidden in sampled.samples)
    assert 0 < replaced < len(judged.tokens) == len(sampled.encoding)
    assert [one.truth for one in judged.tokens].count(True) == replaced
    for token in judged.tokens:
        assert token.probability == pytest.approx(0.8)
        assert token.replaced
        assert token.nats == pytest.approx(-math.log(0.8 if token.truth else 0.2))
    mean = -(replaced * math.log(0.8) + (len(judged.tokens) - replaced) * math.log(0.2)) / len(
        judged.tokens
    )
    assert judged.loss == pytest.approx(mean)
    assert sampled.with_loss_of(judged) == pytest.approx(math.log(pieces) + 50 * mean)


def test_a_generator_says_what_it_says_about_any_mask(generator: Checkpoint) -> None:
    sampled = sample_replacements(generator, TEXT, share=0.01, seed=2, top=7)
    (hidden,) = sampled.samples
    assert hidden.word is not None
    word = sampled.encoding.spans[hidden.word]
    assert len(sampled.encoding.tokens_of(hidden.word)) == 1
    expected = fill_mask(generator, f"{TEXT[: word.start]}[MASK]{TEXT[word.end :]}", top=100)
    predictions = expected.masks[0].predictions
    assert [one.token for one in hidden.candidates] == [one.token for one in predictions[:7]]
    found = [one.probability for one in hidden.candidates]
    assert found == pytest.approx([one.probability for one in predictions[:7]])
    likely = dict(predictions)
    assert likely[hidden.original] == pytest.approx(math.exp(-hidden.nats), rel=1e-4)
    assert likely[hidden.sample.token] == pytest.approx(hidden.sample.probability, rel=1e-4)


def test_the_seed_decides_and_typed_masks_stay(generator: Checkpoint) -> None:
    text = "the [MASK] sat on the mat"
    one, again, other = (sample_replacements(generator, text, seed=n, share=0.4) for n in (0, 0, 1))
    assert one == again
    assert hash(one) == hash(again)
    assert one != other
    everything = sample_replacements(generator, text, share=1.0)
    mask = everything.encoding.tokens.index("[MASK]")
    assert mask not in [hidden.position for hidden in everything.samples]
    assert everything.ids[mask] == generator.tokenizer.mask_id
    assert len(everything.samples) == len(everything.encoding) - 3
    with pytest.raises(NothingToReplaceError):
        sample_replacements(generator, "[MASK]")
    with pytest.raises(ConfigError, match="in \\(0, 1\\]"):
        sample_replacements(generator, text, share=0.0)


def test_a_sample_that_is_the_original_is_no_replacement(
    undecided: Checkpoint, sceptic: Checkpoint
) -> None:
    cat = undecided.tokenizer.id("cat")
    cast(Any, undecided.model).masked_language.bias.data[cat] = 50.0
    sampled, judged = replace_by_generator(sceptic, undecided, "cat cat cat", share=1.0)
    assert all(hidden.same for hidden in sampled.samples)
    assert sampled.loss == pytest.approx(0.0, abs=1e-6)
    assert not any(token.truth for token in judged.tokens)


def test_wrong_models_are_refused(
    generator: Checkpoint, sceptic: Checkpoint, word_pieces: Tokenizer
) -> None:
    with pytest.raises(MissingHeadError):
        sample_replacements(sceptic, TEXT)
    sampled = sample_replacements(generator, TEXT)
    with pytest.raises(MissingHeadError):
        judge_replacements(generator, **judged_by(sampled))
    with pytest.raises(OtherVocabularyError, match="electra cuts texts into other pieces"):
        judge_replacements(sceptic, **judged_by(sampled) | {"vocabulary": 7})


def test_calls_name_one_model_each(generator: Checkpoint, sceptic: Checkpoint) -> None:
    sample = call(sample_replacements, "generator", TEXT, share=0.3, seed=5)
    sampled = sample.run(generator)
    judge = call(judge_replacements, "electra", **judged_by(sampled))
    assert {judge: 1}[call(judge_replacements, "electra", **judged_by(sample.run(generator)))] == 1
    whole = replace_by_generator(sceptic, generator, TEXT, share=0.3, seed=5)
    assert (sampled, judge.run(sceptic)) == whole


def judged_by(sampled: Replacements) -> dict[str, Any]:
    return {
        "ids": sampled.ids,
        "originals": sampled.encoding.ids,
        "pieces": sampled.pieces,
        "vocabulary": sampled.vocabulary,
    }
