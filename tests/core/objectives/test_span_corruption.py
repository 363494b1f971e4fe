"""T5's spans: how many, how long, in which positions; both sides by hand."""

from collections import Counter

import pytest
import torch

from core.errors import ConfigError
from core.objectives.losses import IGNORED
from core.objectives.span_corruption import (
    CorruptionRule,
    SpanCorruption,
    divide,
    draw_corruption,
)
from core.objectives.splicing import Spliced, splice
from core.objectives.texts import TextSampler
from core.training.corpora import TokenCorpus

X, Y, Z, END = 101, 102, 103, 1
MARKS = torch.tensor([[[X], [Y], [Z]]])


def test_77_tokens_in_26_spans_of_512() -> None:
    assert CorruptionRule().counts(512) == (77, 26)
    assert CorruptionRule().counts(2) == (1, 1)
    assert CorruptionRule().counts(10) == (2, 1)
    assert CorruptionRule(share=0.9, mean=1).counts(10) == (9, 1), "text between all spans"
    with pytest.raises(ConfigError, match="too short"):
        CorruptionRule().counts(1)


def test_divisions_are_all_equally_likely() -> None:
    parts = divide(6000, 5, 3, torch.Generator().manual_seed(0))
    seen = Counter(tuple(row) for row in parts.tolist())
    assert set(seen) == {(1, 1, 3), (1, 3, 1), (3, 1, 1), (1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert [count / 6000 for count in seen.values()] == pytest.approx([1 / 6] * 6, abs=0.02)
    assert divide(2, 4, 1, torch.Generator()).tolist() == [[4], [4]]
    assert divide(2, 3, 3, torch.Generator()).tolist() == [[1, 1, 1]] * 2


def test_text_and_spans_take_turns_and_text_comes_first() -> None:
    spans = draw_corruption(
        300, 512, rule=CorruptionRule(), generator=torch.Generator().manual_seed(0)
    )
    assert ((spans > 0).sum(1) == 77).all()
    assert (spans.amax(1) == 26).all()
    assert (spans[:, 0] == 0).all()
    assert (spans[:, -1] == 26).all()
    sizes = torch.stack([(spans == number).sum(1) for number in range(1, 27)], 1)
    assert sizes.min() == 1
    assert sizes.float().mean().item() == pytest.approx(77 / 26)
    number = spans[spans > 0].view(300, 77)
    assert (number.diff(dim=1) >= 0).all()
    begins = ((spans > 0) & (torch.nn.functional.pad(spans, (1, 0))[:, :-1] == 0)).sum(1)
    assert (begins == 26).all(), "no two spans touch"


def spliced(spans: list[int], size: int, **widths: int) -> Spliced:
    ids = torch.tensor([[10, 11, 12, 13, 14]])
    return splice(
        ids,
        torch.tensor([size]),
        torch.tensor([spans]),
        MARKS,
        end_id=END,
        padding_id=0,
        **{"source_width": 8, "target_width": 8, **widths},
    )


def test_both_sides_by_hand() -> None:
    both = spliced([0, 1, 1, 0, 2], size=5)
    assert both.source.tolist() == [[10, X, 13, Y, END, 0, 0, 0]]
    assert both.targets.tolist() == [[X, 11, 12, Y, 14, Z, END, 0]], "two spans, three sentinels"
    assert both.source_sizes.tolist() == [5]
    assert both.target_sizes.tolist() == [7]


def test_spans_may_touch_each_other_and_the_borders() -> None:
    both = spliced([1, 2, 2, 0, 0], size=4)
    assert both.source.tolist() == [[X, Y, 13, END, 0, 0, 0, 0]]
    assert both.targets.tolist() == [[X, 10, Y, 11, 12, Z, END, 0]]
    nothing = spliced([0, 0, 0, 0, 0], size=2)
    assert nothing.source.tolist() == [[10, 11, END, 0, 0, 0, 0, 0]]
    assert nothing.targets.tolist() == [[X, END, 0, 0, 0, 0, 0, 0]]


def test_what_does_not_fit_is_lost_and_hurts_nobody() -> None:
    both = spliced([0, 1, 1, 0, 2], size=5, source_width=3, target_width=4)
    assert both.source.tolist() == [[10, X, 13]]
    assert both.targets.tolist() == [[X, 11, 12, Y]]
    assert both.source_sizes.tolist() == [3]
    assert both.target_sizes.tolist() == [4]


def objective(length: int = 40) -> SpanCorruption:
    tokens = torch.arange(200, 800, dtype=torch.int32)
    corpus = TokenCorpus(tokens, torch.arange(0, 601, 8), torch.arange(0, 601, 40))
    sampler = TextSampler(corpus, torch.Generator().manual_seed(0), longest=length)
    sentinels = torch.arange(199, 99, -1)  # ids run down, as in T5
    return SpanCorruption(sampler, sentinels, tokens=10 * length, length=length)


def test_sides_put_together_are_the_text_again() -> None:
    batch = objective().batch(0)
    assert batch.source_keep is None
    assert batch.source.shape == (10, 40 - 6 + 2 + 1)
    assert batch.labels.shape == (10, 6 + 2 + 2)
    for row in range(10):
        source, labels = batch.source[row].tolist(), batch.labels[row].tolist()
        assert IGNORED not in labels
        assert batch.inputs[row].tolist() == [0, *labels[:-1]]
        assert [token for token in source if 100 <= token < 200] == [199, 198]
        assert [token for token in labels if 100 <= token < 200] == [199, 198, 197]
        assert source[-1] == END == labels[-1]
        text = []
        for token in source[:-1]:
            if token < 200:
                start = labels.index(token) + 1
                text += labels[start : labels.index(token - 1)]
            else:
                text.append(token)
        assert text == list(range(text[0], text[0] + 40))


def test_batches_repeat_and_looking_at_their_shape_changes_none() -> None:
    plain, looked_at = objective(), objective()
    assert len(looked_at.shapes()) == 1
    assert torch.equal(plain.batch(0).source, looked_at.batch(0).source)


def test_too_few_sentinels_are_refused() -> None:
    task = objective()
    with pytest.raises(ConfigError, match="26 spans and a closing need 27 sentinels, not 26"):
        SpanCorruption(task.sampler, torch.arange(26), tokens=512, length=512)


@pytest.mark.parametrize("numbers", [{"share": 0.0}, {"share": 1.0}, {"mean": 0.5}])
def test_rules_that_are_none_are_refused(numbers: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="cannot be cut out"):
        CorruptionRule(**numbers)
