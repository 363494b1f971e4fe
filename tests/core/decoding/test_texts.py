"""Going on with texts and translating them, as a person asks for it."""

from itertools import pairwise

import pytest

from core.checkpoints import Checkpoint
from core.decoding import Sampling
from core.errors import MissingHeadError, SequenceTooLongError
from core.tasks import (
    LengthOutOfRangeError,
    SamplesOutOfRangeError,
    UnknownLanguageError,
    continue_text,
    continuing_text,
    translate,
    translating,
)
from core.tokenisation import EmptyTextError
from core.tokenisation.languages import languages_of

TEXT = "  The cat sat on\nthe mat "


def test_a_text_goes_on_as_it_was_written(tiny_gpt: Checkpoint) -> None:
    steps = list(continuing_text(tiny_gpt, TEXT, most=9, samples=3, sampling=Sampling(1.0)))
    assert [step.done for step in steps] == [False] * 8 + [True]
    for before, after in pairwise(steps):
        for one, two in zip(before.texts, after.texts, strict=True):
            assert one.startswith(TEXT)
            assert two.startswith(one)
    assert len(set(steps[-1].texts)) == 3
    # Bytes of a character that is not whole wait for the rest.
    assert not any(text.endswith("\N{REPLACEMENT CHARACTER}") for text in steps[-1].texts)
    tokenizer = tiny_gpt.tokenizer
    added = [step.step.chosen[0] for step in steps]
    whole = tokenizer.inner.decode([*steps[-1].encoding.ids, *added])
    assert whole.startswith(steps[-1].texts[0])


def test_a_text_ends_where_the_model_has_no_positions_left(tiny_gpt: Checkpoint) -> None:
    *_, last = continuing_text(tiny_gpt, TEXT, most=1000)
    assert last.done
    assert last.step.number + 1 + len(last.encoding) == 48 + 1  # the last one is not read


def test_what_cannot_be_continued(tiny_gpt: Checkpoint, tiny_transformer: Checkpoint) -> None:
    with pytest.raises(MissingHeadError):
        continue_text(tiny_transformer, TEXT)
    with pytest.raises(LengthOutOfRangeError):
        continue_text(tiny_gpt, TEXT, most=0)
    with pytest.raises(SamplesOutOfRangeError):
        continue_text(tiny_gpt, TEXT, samples=0)
    with pytest.raises(EmptyTextError):
        continue_text(tiny_gpt, " ")
    with pytest.raises(SequenceTooLongError):
        continue_text(tiny_gpt, "cat " * 60)


def test_a_translation_comes_step_by_step(tiny_transformer: Checkpoint) -> None:
    steps = list(translating(tiny_transformer, TEXT, language="fr", beams=3))
    assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[0].source[0] == ">>fr<<"
    assert steps[0].source[-1] == "</s>"
    assert len(steps) <= 2 * len(steps[0].source) + 10
    last = steps[-1]
    assert len(last.beams) == 3
    scores = [beam.score for beam in last.beams]
    assert scores == sorted(scores, reverse=True)
    assert last.text == tiny_transformer.tokenizer.inner.decode(list(last.beams[0].pieces)).strip()
    assert translate(tiny_transformer, TEXT, language="de").source[0] == ">>de<<"
    assert translate(tiny_transformer, TEXT).source[0] != ">>de<<"
    assert list(languages_of(tiny_transformer.tokenizer)) == ["de", "fr"]


def test_what_cannot_be_translated(tiny_gpt: Checkpoint, tiny_transformer: Checkpoint) -> None:
    with pytest.raises(MissingHeadError):
        translate(tiny_gpt, TEXT)
    with pytest.raises(UnknownLanguageError, match="de, fr"):
        translate(tiny_transformer, TEXT, language="ru")
    for beams in (0, 17):
        with pytest.raises(SamplesOutOfRangeError):
            translate(tiny_transformer, TEXT, beams=beams)
    with pytest.raises(SequenceTooLongError):
        translate(tiny_transformer, "cat " * 70)
