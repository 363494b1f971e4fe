import pytest
import torch

from core.errors import ConfigError
from core.objectives.masking import MaskingRule, draw_masking, mask_tokens

MASK, ORDINARY = 4, torch.arange(5, 105)


def hide(ids, ordinary, seed=0, rule=None):
    return mask_tokens(
        ids,
        ordinary,
        rule=rule or MaskingRule(),
        mask_id=MASK,
        ordinary_ids=ORDINARY,
        generator=torch.Generator().manual_seed(seed),
    )


@pytest.fixture
def long_batch():
    ids = torch.randint(5, 105, (2000, 128), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -1] = 2, 3
    ordinary = torch.ones_like(ids, dtype=torch.bool)
    ordinary[:, [0, -1]] = False
    return ids, ordinary


def test_exactly_fifteen_per_cent_of_the_ordinary_tokens_are_predicted(long_batch):
    masked = hide(*long_batch)
    assert (masked.weights.sum(1) == round(0.15 * 126)).all()


def test_of_these_80_10_10_are_masked_replaced_and_kept(long_batch):
    ids, ordinary = long_batch
    masked = hide(ids, ordinary)
    real = masked.weights.bool()
    seen = masked.ids.gather(1, masked.positions)[real]
    labels = masked.labels[real]
    shares = [
        (seen == MASK).float().mean(),
        ((seen != MASK) & (seen != labels)).float().mean(),
        (seen == labels).float().mean(),
    ]
    # 38,000 positions; a hundredth of the random pieces happens to equal the original.
    assert shares == pytest.approx([0.8, 0.1 * 0.99, 0.1 + 0.1 * 0.01], abs=0.008)


def test_replacements_are_spread_over_all_ordinary_tokens(long_batch):
    masked = hide(*long_batch)
    seen = masked.ids.gather(1, masked.positions)
    swapped = seen[(seen != MASK) & (seen != masked.labels) & masked.weights.bool()]
    counts = swapped.bincount(minlength=105)
    assert counts[:5].sum() == 0
    assert counts[5:].min() > 0
    assert counts[5:].max() < 3 * counts[5:].float().mean()


def test_special_tokens_and_padding_are_never_touched(long_batch):
    ids, ordinary = long_batch
    ordinary[:, 40:] = False  # short texts, padded
    masked = hide(ids, ordinary)
    assert torch.equal(masked.ids[~ordinary], ids[~ordinary])
    real = masked.weights.bool()
    assert ordinary.gather(1, masked.positions)[real].all()
    assert (real.sum(1) == round(0.15 * 39)).all()


def test_labels_are_the_original_tokens_and_nothing_else_changes(long_batch):
    ids, ordinary = long_batch
    masked = hide(ids, ordinary)
    assert torch.equal(masked.labels, ids.gather(1, masked.positions))
    restored = masked.ids.scatter(1, masked.positions, masked.labels)
    assert torch.equal(restored, ids)


def test_one_word_still_has_one_position():
    ids = torch.tensor([[2, 50, 3, 0, 0, 0]])
    masked = hide(ids, torch.tensor([[False, True, False, False, False, False]]))
    assert masked.weights.sum() == 1
    assert masked.positions[masked.weights.bool()].tolist() == [1]


def test_masks_are_drawn_anew_and_repeat_with_their_seed(long_batch):
    ids, ordinary = long_batch
    first, again, other = hide(ids, ordinary), hide(ids, ordinary), hide(ids, ordinary, seed=1)
    assert torch.equal(first.ids, again.ids)
    assert torch.equal(first.positions, again.positions)
    assert not torch.equal(first.ids, other.ids)


def test_positions_are_equally_likely(long_batch):
    ids, ordinary = long_batch
    counts = torch.zeros(128)
    for seed in range(10):
        masked = hide(ids, ordinary, seed)
        counts += masked.positions[masked.weights.bool()].bincount(minlength=128)
    expected = 10 * 2000 * 19 / 126
    assert counts[1:-1].min() > 0.9 * expected
    assert counts[1:-1].max() < 1.1 * expected


def test_short_texts_beside_long_ones_each_have_their_share():
    sizes = [1, 3, 10, 30, 60]
    ordinary = torch.zeros(len(sizes), 64, dtype=torch.bool)
    for row, size in enumerate(sizes):
        ordinary[row, 1 : size + 1] = True
    ids = torch.full(ordinary.shape, 50)
    masked = hide(ids, ordinary)
    assert masked.weights.sum(1).tolist() == [1, 1, 2, 4, 9]
    assert masked.positions.shape == (5, round(0.15 * 64))


def test_the_positions_of_a_text_are_all_different(long_batch):
    masked = hide(*long_batch)
    assert (masked.positions.sort(1).values.diff(dim=1) > 0).all()


def test_a_text_without_an_ordinary_token_has_no_position():
    masked = hide(torch.tensor([[2, 3, 0]]), torch.zeros(1, 3, dtype=torch.bool))
    assert masked.weights.sum() == 0
    assert masked.ids.tolist() == [[2, 3, 0]]


def test_another_rule_has_other_shares(long_batch):
    ids, ordinary = long_batch
    masked = hide(ids, ordinary, rule=MaskingRule(share=0.4, masked=1.0, replaced=0.0))
    assert (masked.weights.sum(1) == round(0.4 * 126)).all()
    assert (masked.ids.gather(1, masked.positions)[masked.weights.bool()] == MASK).all()


@pytest.mark.parametrize(
    "shares", [{"share": 0.0}, {"share": 1.5}, {"masked": -0.1}, {"masked": 0.8, "replaced": 0.3}]
)
def test_shares_that_are_none_are_refused(shares):
    with pytest.raises(ConfigError):
        MaskingRule(**shares)


def test_a_draw_says_why_each_token_is_what_it_is(long_batch):
    ids, ordinary = long_batch
    drawn = draw_masking(
        ordinary,
        rule=MaskingRule(),
        ordinary_ids=ORDINARY,
        generator=torch.Generator().manual_seed(0),
    )
    masked = drawn.apply(ids, rule=MaskingRule(), mask_id=MASK)
    assert torch.equal(masked.ids, hide(ids, ordinary).ids)
    assert torch.equal(masked.positions, drawn.positions)
    seen = masked.ids.gather(1, drawn.positions)
    expected = torch.where(drawn.corruption_draws < 0.8, MASK, drawn.random_ids)
    expected = torch.where(drawn.corruption_draws < 0.9, expected, masked.labels)
    assert torch.equal(seen[drawn.real], expected[drawn.real])
    largest = drawn.uniforms.gather(1, drawn.positions).masked_fill(~drawn.real, 0).amax(1)
    assert ((drawn.uniforms <= largest[:, None]).sum(1) == drawn.real.sum(1)).all()
