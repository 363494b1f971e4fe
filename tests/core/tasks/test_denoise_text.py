"""A text under every objective of T5's paper."""

import pytest

from core.errors import ConfigError
from core.objectives.denoising import Denoising
from core.tasks.denoise_text import MASK, MOST_TOKENS, Origin, denoise_text

TEXT = "The cat sat on the mat. A dog ran to the sea and sat there."


def texts(pieces):
    return [one.text for one in pieces]


@pytest.fixture
def rows(t5):
    found = denoise_text(t5, TEXT, seed=1)
    return {one.kind: one for one in found.rows}, texts(found.pieces)


def test_every_objective_is_there_in_the_papers_order(t5):
    found = denoise_text(t5, TEXT)
    assert [one.kind for one in found.rows] == list(Denoising)
    assert found.cut == 0
    assert "".join(texts(found.pieces)).replace("␣", " ").strip() == TEXT


def test_nothing_of_the_text_is_lost_or_told_twice(rows):
    found, whole = rows
    for kind in (Denoising.REPLACE_SPANS, Denoising.DROP_TOKENS, Denoising.RANDOM_SPANS):
        row = found[kind]
        both = [one for one in (*row.inputs, *row.targets) if one.origin is Origin.TEXT]
        assert texts(sorted(both, key=lambda one: one.number)) == whole
        told = {one.number for one in row.targets if one.origin is Origin.TEXT}
        assert told == row.hidden
    prefix = found[Denoising.PREFIX]
    assert texts((*prefix.inputs, *prefix.targets)) == whole
    shuffled = found[Denoising.DESHUFFLING]
    assert sorted(texts(shuffled.inputs)) == sorted(whole)
    assert texts(shuffled.targets) == whole


def test_single_pieces_are_hidden_alike(rows):
    found, whole = rows
    single = (
        Denoising.BERT_STYLE,
        Denoising.MASK_TOKENS,
        Denoising.REPLACE_SPANS,
        Denoising.DROP_TOKENS,
    )
    assert len({found[kind].hidden for kind in single}) == 1
    masked = found[Denoising.MASK_TOKENS]
    assert len(masked.inputs) == len(whole)
    assert {at for at, one in enumerate(masked.inputs) if one.text == MASK} == masked.hidden


def test_targets_of_spans_end_with_one_sentinel_more(rows):
    found, _whole = rows
    for kind in (Denoising.REPLACE_SPANS, Denoising.RANDOM_SPANS):
        inputs = [one.number for one in found[kind].inputs if one.origin is Origin.SENTINEL]
        targets = [one.number for one in found[kind].targets if one.origin is Origin.SENTINEL]
        assert inputs == list(range(len(inputs)))
        assert targets == [*inputs, len(inputs)]


def test_random_tokens_come_from_the_vocabulary_and_are_rare(t5):
    random_tokens = 0
    known = set(t5.tokenizer.inner.get_vocab())
    for seed in range(40):
        row = denoise_text(t5, TEXT, seed=seed).rows[list(Denoising).index(Denoising.BERT_STYLE)]
        for position, one in enumerate(row.inputs):
            if one.origin is Origin.RANDOM:
                random_tokens += 1
                assert position in row.hidden
                assert one.text.replace("␣", "▁") in known
    assert 0 < random_tokens < 80


def test_a_long_text_is_cut_and_a_short_one_refused(t5):
    found = denoise_text(t5, "cat " * 200)
    assert len(found.pieces) == MOST_TOKENS
    assert found.cut > 0
    with pytest.raises(ConfigError):
        denoise_text(t5, "the")
