import pytest
import torch

from core.objectives.sentence_pairs import PairSampler, Specials
from core.training.corpora import CorpusError, TokenCorpus

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)


def make_corpus(documents=40, sentences=12, words=9):
    """Tokens that say where they stand: 10 + their index."""
    total = documents * sentences * words
    return TokenCorpus(
        torch.arange(10, 10 + total, dtype=torch.int32),
        torch.arange(0, total + 1, words),
        torch.arange(0, total + 1, sentences * words),
    )


@pytest.fixture
def sampler():
    return PairSampler(make_corpus(), SPECIALS, torch.Generator().manual_seed(0), longest=64)


def segments_of(row, inputs):
    """The two segments of a row, without special tokens."""
    ids, ordinary = inputs.ids[row], inputs.ordinary[row]
    return [ids[ordinary & (inputs.segments[row] == number)] for number in (0, 1)]


def document_of(token):
    return (int(token) - 10) // (12 * 9)


def test_running_text_fills_the_length_from_a_sentence_start(sampler):
    inputs = sampler.text(50, 32)
    assert inputs.keep is None
    assert (inputs.ids[:, 0] == 1).all()
    assert (inputs.ids[:, -1] == 2).all()
    assert ((inputs.ids[:, 1] - 10) % 9 == 0).all()
    assert (inputs.ids[:, 1:-1].diff(dim=1) == 1).all()
    assert (inputs.segments == 0).all()
    assert (inputs.follows == -1).all()


def test_pairs_follow_each_other_or_come_from_another_document(sampler):
    inputs = sampler.pair(400, 64)
    assert (inputs.ids == 2).sum(1).eq(2).all()
    assert (inputs.ids[:, -1] == 2).all()
    for row in range(400):
        first, second = segments_of(row, inputs)
        assert first.diff().eq(1).all()
        assert second.diff().eq(1).all()
        assert (first[-1] - 9) % 9 == 0, "the first segment ends with a whole sentence"
        assert (second[0] - 10) % 9 == 0, "the second begins with one"
        if inputs.follows[row] == 0:
            assert second[0] == first[-1] + 1
            assert document_of(second[0]) == document_of(first[-1])
        else:
            assert document_of(second[0]) != document_of(first[-1])


def test_half_of_the_pairs_are_random(sampler):
    follows = sampler.pair(4000, 64).follows
    # A random sentence of the same document (1 in 40) is replaced by the true successor.
    assert follows.float().mean() == pytest.approx(0.5 * 39 / 40, abs=0.025)


def test_segment_numbers_change_after_the_first_separator(sampler):
    inputs = sampler.pair(20, 64)
    for row in range(20):
        separator = int((inputs.ids[row] == 2).nonzero()[0])
        assert (inputs.segments[row, : separator + 1] == 0).all()
        assert (inputs.segments[row, separator + 1 :] == 1).all()


def test_short_inputs_are_whole_sentences_padded(sampler):
    inputs = sampler.short(400, 32)
    single = inputs.follows == -1
    assert single.float().mean() == pytest.approx(0.5, abs=0.1)
    assert inputs.keep is not None
    assert (inputs.ids[~inputs.keep] == 0).all()
    assert (inputs.ids[inputs.keep] != 0).all()
    assert (inputs.keep.sum(1)[single] == 9 + 2).all()
    assert (inputs.keep.sum(1)[~single] == 9 + 9 + 3).all()
    for row in (~single).nonzero()[:, 0].tolist():
        first, second = segments_of(row, inputs)
        assert len(first) == len(second) == 9
        assert (second[0] == first[-1] + 1) == (inputs.follows[row] == 0)


def test_a_long_first_sentence_keeps_its_end():
    sampler = PairSampler(
        make_corpus(words=60), SPECIALS, torch.Generator().manual_seed(0), longest=64
    )
    inputs = sampler.short(100, 32)
    pairs = (inputs.follows == 0).nonzero()[:, 0].tolist()
    assert pairs
    for row in pairs:
        first, second = segments_of(row, inputs)
        assert second[0] == first[-1] + 1


def test_a_corpus_without_enough_text_is_refused():
    with pytest.raises(CorpusError, match="two documents"):
        PairSampler(make_corpus(documents=1), SPECIALS, torch.Generator(), longest=64)
    with pytest.raises(CorpusError, match="shorter than one input of 512"):
        PairSampler(make_corpus(2, 3, 9), SPECIALS, torch.Generator())
