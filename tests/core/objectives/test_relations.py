"""Sentence order and three-way structure: classes, and nothing but the text tells them apart."""

import pytest
import torch

from core.errors import ConfigError
from core.objectives.inputs import Inputs
from core.objectives.pieces import Specials
from core.objectives.relations import Relation, WindowPairs
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import CorpusError, TokenCorpus

SPECIALS = Specials(classify=1, separator=2, mask=3, padding=0)
FIRST = 10  # token 10 + i stands at position i of the corpus


def corpus_of(documents: int = 60, sentences: int = 8) -> TokenCorpus:
    """Sentences of 3 to 12 tokens; every token says where it stands."""
    generator = torch.Generator().manual_seed(4)
    sizes = torch.randint(3, 13, (documents * sentences,), generator=generator)
    borders = torch.cat([torch.zeros(1, dtype=torch.long), sizes.cumsum(0)])
    tokens = torch.arange(FIRST, FIRST + int(borders[-1]), dtype=torch.int32)
    return TokenCorpus(tokens, borders, borders[::sentences].clone())


CORPUS = corpus_of()


def sampler_of(
    relation: Relation | None, corpus: TokenCorpus = CORPUS, seed: int = 0
) -> PairSampler:
    generator = torch.Generator().manual_seed(seed)
    return PairSampler(corpus, SPECIALS, generator, longest=64, relation=relation)


def halves(inputs: Inputs, row: int) -> tuple[list[int], list[int]]:
    """Positions in the corpus of both segments."""
    positions = [
        (inputs.ids[row][inputs.ordinary[row] & (inputs.segments[row] == one)] - FIRST).tolist()
        for one in (0, 1)
    ]
    return positions[0], positions[1]


def document_of(position: int) -> int:
    return int(torch.searchsorted(CORPUS.documents, position, right=True))


def true_relation(first: list[int], second: list[int]) -> str:
    if second[0] == first[-1] + 1 and document_of(second[0]) == document_of(first[0]):
        return "next"
    if first[0] == second[-1] + 1 and document_of(second[0]) == document_of(first[0]):
        return "previous"
    return "elsewhere" if document_of(second[0]) != document_of(first[0]) else "?"


@pytest.mark.parametrize(
    ("relation", "names"),
    [
        (Relation.ORDER, ["next", "previous"]),
        (Relation.STRUCTURE, ["next", "previous", "elsewhere"]),
    ],
)
@pytest.mark.parametrize("layout", ["pair", "short"])
def test_classes_say_how_the_halves_belong_together(
    relation: Relation, names: list[str], layout: str
) -> None:
    inputs = getattr(sampler_of(relation), layout)(3000, 64)
    borders = set(CORPUS.sentences.tolist())
    pairs = 0
    for row in range(3000):
        if inputs.follows[row] < 0:
            assert layout == "short"
            assert (inputs.segments[row] == 0).all()
            continue
        pairs += 1
        first, second = halves(inputs, row)
        assert true_relation(first, second) == names[int(inputs.follows[row])]
        for half in (first, second):
            assert half == list(range(half[0], half[-1] + 1))
            assert {half[0], half[-1] + 1} <= borders, "both are whole sentences"
        assert len(first) + len(second) <= 61
    assert pairs == 3000 if layout == "pair" else 1400 < pairs < 1600
    shares = inputs.follows[inputs.follows >= 0].bincount(minlength=relation.classes) / pairs
    assert shares.tolist() == pytest.approx([1 / relation.classes] * relation.classes, abs=0.03)


def test_out_of_place_is_swapped_or_from_elsewhere_equally_often() -> None:
    inputs = sampler_of(Relation.IN_PLACE).pair(3000, 64)
    found = {0: [], 1: []}  # type: dict[int, list[str]]
    for row in range(3000):
        found[int(inputs.follows[row])].append(true_relation(*halves(inputs, row)))
    assert set(found[0]) == {"next"}
    assert len(found[0]) / 3000 == pytest.approx(1 / 2, abs=0.03)
    assert set(found[1]) == {"previous", "elsewhere"}
    assert found[1].count("previous") / len(found[1]) == pytest.approx(1 / 2, abs=0.04)


def test_sizes_do_not_give_the_order_away() -> None:
    inputs = sampler_of(Relation.ORDER).pair(30_000, 64)
    sizes = (inputs.ordinary & (inputs.segments == 0)).sum(1).float()
    means = [sizes[inputs.follows == kind].mean().item() for kind in (0, 1)]
    assert means[0] == pytest.approx(means[1], rel=0.02)


def test_the_same_two_segments_come_in_both_orders() -> None:
    inputs = sampler_of(Relation.ORDER).pair(4000, 32)
    seen: dict[tuple[int, int, int], set[int]] = {}
    for row in range(4000):
        first, second = halves(inputs, row)
        middle = second[0] if inputs.follows[row] == 0 else first[0]
        total = len(first) + len(second)
        seen.setdefault((min(first + second), middle, total), set()).add(int(inputs.follows[row]))
    assert sum(len(orders) == 2 for orders in seen.values()) > 0.6 * len(seen)


def test_a_pair_by_hand() -> None:
    # Two documents of two sentences: 2 + 3 and 2 + 2 tokens.
    borders = torch.tensor([0, 2, 5, 7, 9])
    corpus = TokenCorpus(torch.arange(10, 19).int(), borders, torch.tensor([0, 5, 9]))
    windows = WindowPairs(corpus, torch.Generator().manual_seed(0))
    drawn = windows.draw(200, 16, Relation.ORDER)
    rows = {
        tuple(
            int(value[row])
            for value in (
                drawn.first,
                drawn.first_size,
                drawn.second,
                drawn.second_size,
                drawn.follows,
            )
        )
        for row in range(200)
    }
    assert rows == {(0, 2, 2, 3, 0), (2, 3, 0, 2, 1), (5, 2, 7, 2, 0), (7, 2, 5, 2, 1)}


def test_without_a_relation_there_are_single_sentences_only() -> None:
    sampler = sampler_of(None)
    assert (sampler.short(200, 64).follows == -1).all()
    with pytest.raises(ConfigError, match="relation"):
        sampler.pair(2, 64)


def test_sentences_that_are_all_too_long_are_refused() -> None:
    windows = WindowPairs(CORPUS, torch.Generator())
    with pytest.raises(CorpusError, match="fit into 2 tokens"):
        windows.draw(2, 5, Relation.ORDER)
