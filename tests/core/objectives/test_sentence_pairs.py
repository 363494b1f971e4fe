import pytest
import torch

from core.errors import ConfigError
from core.objectives.pieces import Specials
from core.objectives.sentence_pairs import SHORTEST, PairSampler
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


@pytest.mark.parametrize("words", [3, 9, 60])
def test_the_shortest_inputs_still_have_two_segments(words):
    sampler = PairSampler(
        make_corpus(words=words), SPECIALS, torch.Generator().manual_seed(0), longest=SHORTEST
    )
    for inputs in (sampler.pair(300, SHORTEST), sampler.short(300, SHORTEST)):
        both = inputs.follows >= 0
        for number in (0, 1):
            there = (inputs.ordinary & (inputs.segments == number)).any(1)
            assert there[both].all()
    with pytest.raises(ConfigError, match=f"at least {SHORTEST} tokens, not {SHORTEST - 1}"):
        PairSampler(make_corpus(), SPECIALS, torch.Generator(), longest=SHORTEST - 1)


def test_the_second_segment_has_the_true_successor_where_it_is_said_to(sampler):
    inputs = sampler.short(2_000, 32)
    assert set(inputs.follows.tolist()) == {-1, 0, 1}
    two = inputs.follows >= 0
    assert inputs.follows[two].float().mean() == pytest.approx(0.5, abs=0.06)
    assert (inputs.segments[~two] == 0).all()


def test_every_sentence_with_room_after_it_is_drawn():
    corpus = make_corpus(documents=3, sentences=4)
    sampler = PairSampler(corpus, SPECIALS, torch.Generator().manual_seed(0), longest=32)
    starts = set(((sampler.text(3_000, 32).ids[:, 1] - 10) // 9).tolist())
    assert starts == {sentence for sentence in range(12) if sentence * 9 + 32 <= 108}


def test_inputs_repeat_with_their_seed(sampler):
    again = PairSampler(make_corpus(), SPECIALS, torch.Generator().manual_seed(0), longest=64)
    other = PairSampler(make_corpus(), SPECIALS, torch.Generator().manual_seed(1), longest=64)
    ids = sampler.pair(20, 64).ids
    assert torch.equal(ids, again.pair(20, 64).ids)
    assert not torch.equal(ids, other.pair(20, 64).ids)
