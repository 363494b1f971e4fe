"""Orders of reading: how much is predicted, in which spans, and who sees whom."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from core.errors import ConfigError
from core.objectives.permutation_orders import OrderRule, Orders, draw_orders, order_masks

FREE = torch.ones(800, 128, dtype=torch.bool)
FREE[:, -2:] = False


def draw(ordinary: Tensor, rule: OrderRule | None = None, seed: int = 0) -> Orders:
    generator = torch.Generator().manual_seed(seed)
    return draw_orders(ordinary, rule=rule or OrderRule(), generator=generator)


def runs(positions: list[int]) -> list[int]:
    """Sizes of runs of neighbours."""
    sizes = [1]
    for left, right in pairwise(positions):
        if right == left + 1:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return sizes


def test_exactly_one_token_in_six_is_predicted() -> None:
    found = draw(FREE)
    assert (found.weights.sum(1) == round(126 / 6)).all()
    assert FREE.gather(1, found.targets)[found.weights > 0].all()
    sparse = draw(FREE, OrderRule(one_in=3))
    assert (sparse.weights.sum(1) == round(126 / 3)).all()


def test_predicted_tokens_form_short_spans_of_one_to_five() -> None:
    found = draw(FREE)
    sizes = [size for row in range(800) for size in runs(found.targets[row].tolist())]
    # Shares of 1/n over 1 to 5: a mean of 5 / (1 + 1/2 + 1/3 + 1/4 + 1/5) = 2.19. Spans that touch
    # and the single tokens that fill up the number blur it.
    assert sum(sizes) / len(sizes) == pytest.approx(2.19, abs=0.25)
    single = draw(FREE, OrderRule(longest=1))
    lone = [size for row in range(800) for size in runs(single.targets[row].tolist())]
    assert sum(lone) / len(lone) < 1.25


def test_every_position_is_predicted_equally_often() -> None:
    counts = torch.zeros(128)
    for seed in range(6):
        found = draw(FREE, seed=seed)
        counts += found.targets[found.weights > 0].bincount(minlength=128)
    shares = counts[:126] / (6 * 800)
    assert counts[126:].sum() == 0
    assert shares[6:-6].min() > 0.8 / 6
    assert shares[6:-6].max() < 1.2 / 6
    assert shares.min() > 0.4 / 6


def test_predictions_see_what_comes_before_them_in_a_random_order() -> None:
    found = draw(FREE[:40])
    for row in range(40):
        targets = found.targets[row]
        rank = found.rank[row]
        context = torch.ones(128, dtype=torch.bool)
        context[targets] = False
        assert (rank[context] == -1).all()
        among = found.before[row][targets][:, targets]
        assert torch.equal(among, rank[targets][None, :] < rank[targets][:, None])
        assert among.sum() == 21 * 20 / 2, "a full order"
        assert found.before[row][targets][:, context].all()
        assert not found.before[row][context][:, targets].any()
        inside = found.before[row][context][:, context]
        assert torch.equal(inside, ~torch.eye(107, dtype=torch.bool))


def test_orders_of_predictions_are_evenly_random() -> None:
    found = draw(FREE)
    first = found.rank.gather(1, found.targets).argmin(1)  # which target comes first
    assert first.bincount(minlength=21).float().std() < 3 * (800 / 21) ** 0.5
    ascending = found.rank.gather(1, found.targets).diff(dim=1) > 0
    assert ascending.float().mean().item() == pytest.approx(0.5, abs=0.02)


def test_a_closed_context_is_the_formula_of_the_paper() -> None:
    found = draw(FREE[:20], OrderRule(open_context=False))
    for row in range(20):
        rank = found.rank[row]
        assert rank.sort().values.tolist() == list(range(128))
        assert torch.equal(found.before[row], rank[None, :] < rank[:, None])
        assert rank[found.targets[row]].min() == 128 - 21, "the last ones of the order"


def test_four_tokens_by_hand() -> None:
    expected = {
        # Of a b c d and a separator, d then b are predicted.
        "d b": [
            [0, 0, 1, 0, 1],
            [1, 0, 1, 1, 1],
            [1, 0, 0, 0, 1],
            [1, 0, 1, 0, 1],
            [1, 0, 1, 0, 0],
        ],
    }
    rule = OrderRule(one_in=2, longest=1)
    ordinary = torch.tensor([[True, True, True, True, False]])
    for seed in range(300):
        found = draw(ordinary, rule, seed)
        assert found.weights.sum() == 2
        if found.targets[0].tolist() == [1, 3] and found.rank[0, 3] < found.rank[0, 1]:
            assert found.before[0].int().tolist() == expected["d b"]
            break
    else:
        pytest.fail("this order never came")


def test_short_texts_have_at_least_one_position_and_none_in_the_padding() -> None:
    ordinary = torch.zeros(3, 30, dtype=torch.bool)
    ordinary[0, :1], ordinary[1, :9] = True, True
    found = draw(ordinary)
    assert found.weights.sum(1).tolist() == [1, 2, 0]
    real = found.weights > 0
    assert ordinary.gather(1, found.targets)[real].all()
    for row in range(3):
        assert len(set(found.targets[row].tolist())) == found.targets.shape[1]


@pytest.mark.parametrize("numbers", [{"one_in": 1}, {"longest": 0}])
def test_rules_that_are_none_are_refused(numbers: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="no rule"):
        OrderRule(**numbers)  # type: ignore[arg-type]


def test_both_streams_see_what_comes_before_in_the_order():
    found = order_masks((0, 3, 1, 2))  # 1-4-2-3
    query = [[0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 1], [1, 0, 0, 0]]
    assert found.query.int().tolist() == query
    content = [[1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1], [1, 0, 0, 1]]
    assert found.content.int().tolist() == content


@pytest.mark.parametrize("order", [(0, 0, 1), (1, 2), (0, 2)])
def test_an_order_names_every_position_once(order):
    with pytest.raises(ConfigError, match="every position once"):
        order_masks(order)
