"""The objectives of table 3 in Raffel et al. 2020, on the sentence that the table uses."""

import pytest
import torch

from core.errors import ConfigError
from core.objectives.denoising import (
    Denoising,
    Marks,
    NoiseDraw,
    denoise,
    draw_noise,
    replace_spans,
)
from core.objectives.span_corruption import CorruptionRule

TEXT = "Thank you for inviting me to your party last week .".split()
MARKS = Marks("<M>", lambda number: f"<{'XYZ'[number]}>")
IID = tuple(word in ("for", "inviting", "last") for word in TEXT)
SPANS = tuple(word in ("for", "inviting", "me", "your", "party", "last") for word in TEXT)
DRAWN = NoiseDraw(
    split=4,
    order=(7, 4, 6, 2, 5, 10, 8, 1, 3, 9, 0),
    noise=IID,
    random_tokens={8: 0.5},
    spans=SPANS,
)
WHOLE = " ".join(TEXT)


@pytest.mark.parametrize(
    ("kind", "inputs", "targets"),
    [
        (Denoising.PREFIX, "Thank you for inviting", "me to your party last week ."),
        (Denoising.BERT_STYLE, "Thank you <M> <M> me to your party apple week .", WHOLE),
        (Denoising.DESHUFFLING, "party me your for to . last you inviting week Thank", WHOLE),
        (Denoising.MASK_TOKENS, "Thank you <M> <M> me to your party <M> week .", WHOLE),
        (
            Denoising.REPLACE_SPANS,
            "Thank you <X> me to your party <Y> week .",
            "<X> for inviting <Y> last <Z>",
        ),
        (Denoising.DROP_TOKENS, "Thank you me to your party week .", "for inviting last"),
        (
            Denoising.RANDOM_SPANS,
            "Thank you <X> to <Y> week .",
            "<X> for inviting me <Y> your party last <Z>",
        ),
    ],
)
def test_the_rows_of_the_table(kind: Denoising, inputs: str, targets: str) -> None:
    found = denoise(kind, TEXT, DRAWN, marks=MARKS, vocabulary=["pear", "apple"])
    assert [" ".join(side) for side in found] == [inputs, targets]


def test_ids_work_as_well_as_words() -> None:
    noise = [False, True, True, True]
    assert replace_spans([5, 6, 7, 8], noise, lambda k: 99 - k) == ([5, 99], [99, 6, 7, 8, 98])
    assert replace_spans([5, 6], [True, False], lambda k: 99 - k) == ([99, 6], [99, 5, 98])


def drawn(seed: int, length: int = 40) -> NoiseDraw:
    return draw_noise(length, generator=torch.Generator().manual_seed(seed))


def test_tokens_are_hidden_at_their_rate_and_a_tenth_of_them_replaced() -> None:
    draws = [drawn(seed) for seed in range(400)]
    hidden = sum(sum(one.noise) for one in draws)
    assert hidden / (400 * 40) == pytest.approx(0.15, abs=0.01)
    replaced = sum(len(one.random_tokens) for one in draws)
    assert replaced / hidden == pytest.approx(0.1, abs=0.02)
    assert all(one.noise[position] for one in draws for position in one.random_tokens)
    assert {sum(one.spans) for one in draws} == {6}, "spans hide a number that is fixed"


def test_splits_and_orders_are_evenly_random() -> None:
    draws = [drawn(seed, length=5) for seed in range(2000)]
    splits = torch.tensor([one.split for one in draws]).bincount(minlength=5) / 2000
    assert splits.tolist() == pytest.approx([0, 0.25, 0.25, 0.25, 0.25], abs=0.03)
    assert all(sorted(one.order) == [0, 1, 2, 3, 4] for one in draws)
    first = torch.tensor([one.order[0] for one in draws]).bincount(minlength=5) / 2000
    assert first.tolist() == pytest.approx([0.2] * 5, abs=0.03)


@pytest.mark.parametrize("length", [2, 3, 7])
def test_something_is_hidden_in_the_shortest_text(length: int) -> None:
    for seed in range(30):
        one = drawn(seed, length)
        assert sum(one.noise) >= 1
        assert 1 <= sum(one.spans) < length
        assert 1 <= one.split < length


def test_another_rule_hides_more() -> None:
    rule = CorruptionRule(share=0.5, mean=5)
    one = draw_noise(40, rule=rule, generator=torch.Generator().manual_seed(0))
    assert sum(one.spans) == 20
    with pytest.raises(ConfigError, match="1 tokens is too short"):
        draw_noise(1, generator=torch.Generator())
