"""The pairs of the lab: right, distinct, and the same every time."""

import pytest

from core.lab.tasks import (
    END,
    HELD_OUT_PAIRS,
    PADDING,
    TRAINED_PAIRS,
    WIDTH,
    Task,
    english,
    german,
    pairs_of,
)

RULES = {
    Task.COPY: lambda letters: letters,
    Task.REVERSE: lambda letters: letters[::-1],
    Task.SORT: lambda letters: tuple(sorted(letters)),
}


@pytest.mark.parametrize(
    ("number", "ours", "theirs"),
    [
        (7, "seven", "sieben"),
        (16, "sixteen", "sechzehn"),
        (30, "thirty", "dreißig"),
        (101, "one hundred one", "ein hundert eins"),
        (21_000, "twenty one thousand", "ein und zwanzig tausend"),
        (
            999_999,
            "nine hundred ninety nine thousand nine hundred ninety nine",
            "neun hundert neun und neunzig tausend neun hundert neun und neunzig",
        ),
    ],
)
def test_numbers_in_words(number, ours, theirs):
    assert " ".join(english(number)) == ours
    assert " ".join(german(number)) == theirs


def test_every_number_is_written_in_its_own_way():
    numbers = range(1, 30_000)
    assert len({english(number) for number in numbers}) == len(numbers)
    assert len({german(number) for number in numbers}) == len(numbers)


@pytest.mark.parametrize("task", Task)
def test_pairs_are_distinct_and_none_is_held_out_and_trained(task):
    pairs = pairs_of(task)
    assert (len(pairs.trained), len(pairs.held_out)) == (TRAINED_PAIRS, HELD_OUT_PAIRS)
    assert len({*pairs.trained, *pairs.held_out}) == TRAINED_PAIRS + HELD_OUT_PAIRS
    assert len(set(pairs.words)) == len(pairs.words)


@pytest.mark.parametrize("task", RULES)
def test_the_rule_holds(task):
    assert all(RULES[task](source) == target for source, target in pairs_of(task).trained)


@pytest.mark.parametrize("task", Task)
def test_all_pairs_stand_in_one_table_a_side(task):
    pairs = pairs_of(task)
    tables = pairs.as_tables(pairs.held_out)
    (sources,), (sizes,) = tables.sources, tables.source_sizes
    assert sources.shape == (HELD_OUT_PAIRS, WIDTH)
    first = sources[0, : int(sizes[0])].tolist()
    assert [pairs.words[number] for number in first[:-1]] == list(pairs.held_out[0][0])
    assert first[-1] == END
    assert set(sources[0, int(sizes[0]) :].tolist()) <= {PADDING}
