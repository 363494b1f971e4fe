"""Blanks of known sizes: how many, how large, where; and both sides put together again."""

from dataclasses import replace

import pytest
import torch

from core.errors import ConfigError
from core.objectives.layouts import Layout
from core.objectives.losses import IGNORED
from core.objectives.sized_blanks import (
    BLANK_LAYOUTS,
    FREE_BLANKS,
    FREE_LAYOUTS,
    LONG_BLANKS,
    LONG_LAYOUTS,
    BlankRule,
    Blanks,
    SizedBlanks,
    draw_blanks,
)
from core.objectives.texts import Texts, TextSampler
from core.training.corpora import TokenCorpus

END = 1
SENTINELS = torch.arange(999, 980, -1)
SIZES = torch.arange(700, 765)  # 700 + n says n words
WORD, PIECE = 10, 300  # below 300 tokens start a word, from 300 on they continue one
COMMA = 690


def draw(words: list[int], rule: BlankRule | None = None, seed: int = 0) -> Blanks:
    generator = torch.Generator().manual_seed(seed)
    return draw_blanks(torch.tensor(words), rule=rule or BlankRule(), generator=generator)


@pytest.mark.parametrize("words", [1, 2, 7, 20, 90, 400])
def test_blanks_stay_apart_within_the_text_and_its_share(words: int) -> None:
    blanks = draw([words] * 500)
    assert (blanks.sizes[:, 0] > 0).all(), "at least one"
    for starts, sizes in zip(blanks.starts.tolist(), blanks.sizes.tolist(), strict=True):
        reach = -1
        for start, size in zip(starts, sizes, strict=True):
            if size:
                assert start > reach, "a word between them"
                reach = start + size
        assert reach <= words
        assert sum(sizes) <= max(1, words // 2)
        assert max(sizes) <= 64


def test_a_long_text_has_one_to_ten_blanks_equally_often_in_sizes_of_all_scales() -> None:
    blanks = draw([400] * 6000)
    counts = (blanks.sizes > 0).sum(1)
    shares = counts.bincount(minlength=11) / 6000
    assert shares[0] == 0
    assert shares[1:].min() > 0.07
    assert shares[1:].max() < 0.13
    single = blanks.sizes[counts == 1, 0]
    for low, high in ((1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 64)):
        share = ((single >= low) & (single <= high)).float().mean().item()
        # Octaves of a logarithmic scale that ends at 65.
        expected = torch.tensor((high + 1) / low).log() / torch.tensor(65.0).log()
        assert share == pytest.approx(expected.item(), abs=0.06)


def test_blanks_may_be_anywhere() -> None:
    blanks = draw([12] * 8000, BlankRule(most=1, longest=2))
    covered = torch.zeros(12)
    for start, size in zip(blanks.starts[:, 0].tolist(), blanks.sizes[:, 0].tolist(), strict=True):
        covered[start : start + size] += 1
    assert covered.min() > 0.4 * covered.max()
    assert covered[3:9].min() > 0.85 * covered[3:9].max()


def objective(length: int = 64, rule: BlankRule | None = None) -> SizedBlanks:
    generator = torch.Generator().manual_seed(5)
    words = torch.randint(WORD, PIECE, (4000,), generator=generator)
    pieces = torch.rand(4000, generator=generator) < 0.3
    pieces[::16] = False  # every sentence of 16 tokens starts with a word
    tokens = torch.where(pieces, words + 300, words).int()
    corpus = TokenCorpus(tokens, torch.arange(0, 4001, 16), torch.arange(0, 4001, 160))
    sampler = TextSampler(corpus, torch.Generator().manual_seed(0), longest=256)
    continues = torch.zeros(1000, dtype=torch.bool)
    continues[PIECE:700] = True
    punctuation = torch.zeros(1000, dtype=torch.bool)
    punctuation[[COMMA, COMMA + 1]] = True
    return SizedBlanks(
        sampler, continues, punctuation, SENTINELS, SIZES, tokens=40 * length, rule=rule
    )


def words_of(tokens: list[int]) -> int:
    return sum(token < PIECE for token in tokens)


@pytest.mark.parametrize("layout", BLANK_LAYOUTS)
def test_sides_put_together_are_the_text_again_and_sizes_are_words(layout: Layout) -> None:
    task = objective()
    corpus = task.sampler.corpus.tokens.tolist()
    batch = task.batch_of(layout)
    assert batch.source_keep is not None
    seen = 0
    for row in range(len(batch.source)):
        source = batch.source[row][batch.source_keep[row]].tolist()
        labels = [label for label in batch.labels[row].tolist() if label != IGNORED]
        if not labels:  # its only blank did not fit
            continue
        assert source[-1] == END == labels[-1]
        text: list[int] = []
        blanks = 0
        for index, token in enumerate(source[:-1]):
            if token > 900:
                assert token == 999 - blanks
                start = labels.index(token) + 1
                blank = labels[start : labels.index(token - 1)]
                assert words_of(blank) == source[index + 1] - 700 > 0
                assert blank[0] < PIECE, "a blank begins with a word"
                follower = source[index + 2]
                assert follower < PIECE or follower == END, "and ends with one"
                text += blank
                blanks += 1
            elif token < 700:
                text.append(token)
        assert 1 <= blanks <= 10
        assert labels[-2] == 999 - blanks, "one sentinel more closes the targets"
        assert batch.inputs[row, : len(labels)].tolist() == [0, *labels[:-1]]
        first = next(at for at in range(0, 4000, 16) if corpus[at : at + len(text)] == text)
        assert len(text) == (16 if layout.short else layout.length)
        assert first >= 0
        seen += blanks
    assert seen > 2 * len(batch.source)


def test_a_text_by_hand() -> None:
    task = objective(rule=BlankRule(most=10, longest=1, share=0.25))
    #    four words: a, b ##b, c, d
    ids = torch.tensor([[20, 30, 330, 40, 50, 0, 0, 0]])
    seen = set()
    for seed in range(60):
        task.sampler.generator.manual_seed(seed)
        batch = task.cut_out(Texts(ids, torch.tensor([5])))
        assert batch.source_keep is not None
        source = batch.source[0][batch.source_keep[0]].tolist()
        labels = [label for label in batch.labels[0].tolist() if label != IGNORED]
        seen.add((tuple(source), tuple(labels)))
    assert seen == {
        ((999, 701, 30, 330, 40, 50, END), (999, 20, 998, END)),
        ((20, 999, 701, 40, 50, END), (999, 30, 330, 998, END)),
        ((20, 30, 330, 999, 701, 50, END), (999, 40, 998, END)),
        ((20, 30, 330, 40, 999, 701, END), (999, 50, 998, END)),
    }


def test_half_of_the_blanks_leave_the_punctuation_that_closes_them() -> None:
    task = objective(rule=BlankRule(most=1, longest=1, share=0.5))
    # The words: 20 ##310 ##comma ##comma, 30 ##comma ##330, comma alone (a word), 40
    comma = COMMA
    ids = torch.tensor([[20, 310, comma, comma + 1, 30, comma, 330, 40, comma, 0]])
    seen: dict[tuple[int, ...], int] = {}
    for seed in range(400):
        task.sampler.generator.manual_seed(seed)
        batch = task.cut_out(Texts(ids, torch.tensor([9])))
        labels = [label for label in batch.labels[0].tolist() if label != IGNORED]
        cut = tuple(labels[1:-2])
        seen[cut] = seen.get(cut, 0) + 1
        assert batch.source_keep is not None
        source = batch.source[0][batch.source_keep[0]].tolist()
        at = source.index(999)
        assert source[:at] + list(cut) + source[at + 2 : -1] == ids[0, :9].tolist()
    assert seen.keys() == {
        (20, 310, comma, comma + 1),
        (20, 310),  # both marks stay
        (30, comma, 330),  # a comma within a word does not
        (40, comma),
        (40,),
    }
    assert 0.35 < seen[40,] / (seen[40,] + seen[40, comma]) < 0.65


def test_long_blanks_ask_for_more_than_stays() -> None:
    blanks = draw([100] * 2000, LONG_BLANKS)
    assert (blanks.sizes.sum(1) <= 90).all()
    assert (blanks.sizes.sum(1) > 60).float().mean() > 0.1
    assert ((blanks.sizes > 0).sum(1) <= 2).all()
    batch = objective(128, LONG_BLANKS).batch_of(*LONG_LAYOUTS)
    assert (batch.labels != IGNORED).any(1).all(), "all fit into the targets"


def test_a_text_whose_only_blank_does_not_fit_is_not_asked_about() -> None:
    task = objective()
    # One word of seven pieces: more than the targets hold.
    ids = torch.tensor([[20, 330, 331, 332, 333, 334, 335, 0]])
    batch = task.cut_out(Texts(ids, torch.tensor([7])))
    assert (batch.labels == IGNORED).all()
    assert task.counts(batch)["target"].item() == 0


def test_free_blanks_say_no_size() -> None:
    task = objective(rule=FREE_BLANKS)
    task.size_ids = None
    task.rule = replace(task.rule, most=1)
    batch = task.batch_of(*FREE_LAYOUTS)
    said = (batch.source >= 700) & (batch.source < 765)
    assert not said.any()
    assert ((batch.source == 999).sum(1) == 1).all()
    lengths = (batch.labels != IGNORED).sum(1)
    assert len(lengths.unique()) > 3


def test_shapes_change_no_batch_and_steps_mix_layouts() -> None:
    plain, looked_at = objective(), objective()
    assert [tuple(batch.source.shape) for batch in looked_at.shapes()] == [
        (53, 59),
        (20, 139),
    ]
    widths = set()
    for step in range(8):
        one = plain.batch(step)
        assert torch.equal(one.source, looked_at.batch(step).source)
        widths.add(one.source.shape[1])
    assert widths == {59, 139}


def test_what_cannot_be_is_refused() -> None:
    task = objective()
    with pytest.raises(ConfigError, match="need 11 sentinels, not 10"):
        SizedBlanks(
            task.sampler,
            task.continuations,
            task.punctuation,
            SENTINELS[:10],
            SIZES,
            tokens=64,
        )
    for numbers in ({"most": 0}, {"longest": 0}, {"share": 1.1}):
        with pytest.raises(ConfigError, match="no rule"):
            BlankRule(**numbers)
