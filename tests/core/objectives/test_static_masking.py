from collections import Counter

import pytest
import torch

from core.errors import ConfigError
from core.objectives.inputs import Inputs
from core.objectives.masking import MaskingRule, mask_tokens
from core.objectives.static_masking import FixedTexts, StaticMasking

MASK, ORDINARY = 4, torch.arange(5, 105)
IDS = torch.randint(5, 105, (30, 64), generator=torch.Generator().manual_seed(1))
FREE = torch.ones_like(IDS, dtype=torch.bool)


def fixed(copies: int = 10) -> StaticMasking:
    return StaticMasking(
        IDS,
        FREE,
        copies=copies,
        mask_id=MASK,
        ordinary_ids=ORDINARY,
        generator=torch.Generator().manual_seed(0),
    )


def test_in_40_epochs_each_of_10_masks_is_seen_4_times() -> None:
    static = fixed()
    for text in range(3):
        seen = Counter(
            tuple(static.masked(torch.tensor([text]), epoch).ids[0].tolist()) for epoch in range(40)
        )
        assert len(seen) == 10
        assert set(seen.values()) == {4}


def test_dynamic_masks_are_new_in_every_epoch() -> None:
    generator = torch.Generator().manual_seed(0)
    seen = {
        tuple(
            mask_tokens(
                IDS[:1],
                FREE[:1],
                rule=MaskingRule(),
                mask_id=MASK,
                ordinary_ids=ORDINARY,
                generator=generator,
            )
            .ids[0]
            .tolist()
        )
        for _ in range(40)
    }
    assert len(seen) == 40


def test_a_text_keeps_its_mask_whatever_texts_stand_beside_it() -> None:
    static = fixed()
    together = static.masked(torch.tensor([7, 3, 20]), epoch=12)
    alone = static.masked(torch.tensor([3]), epoch=2)
    assert torch.equal(together.ids[1], alone.ids[0])
    assert torch.equal(together.positions[1], alone.positions[0])
    restored = together.ids.scatter(1, together.positions, together.labels)
    assert torch.equal(restored, IDS[[7, 3, 20]])
    assert (together.weights.sum(1) == round(0.15 * 64)).all()


def test_no_copy_at_all_is_refused() -> None:
    with pytest.raises(ConfigError, match="not 0"):
        fixed(copies=0)


def texts(rows: int) -> FixedTexts:
    inputs = Inputs(IDS, torch.zeros_like(IDS), FREE, None, torch.full((30,), -1))
    return FixedTexts(inputs, fixed(), rows=rows, generator=torch.Generator().manual_seed(3))


def test_an_epoch_reads_every_text_once_in_a_new_order_under_its_own_masks() -> None:
    task = texts(rows=10)
    orders = []
    for epoch in range(2):
        batches = [task.batch(3 * epoch + part).masked for part in range(3)]
        originals = torch.cat([one.ids.scatter(1, one.positions, one.labels) for one in batches])
        numbers = [(original == IDS).all(1).nonzero().item() for original in originals]
        assert sorted(numbers) == list(range(30))
        expected = fixed().masked(torch.tensor(numbers), epoch)
        assert torch.equal(torch.cat([one.ids for one in batches]), expected.ids)
        orders.append(numbers)
    assert orders[0] != orders[1]


def test_a_batch_depends_on_its_step_only() -> None:
    assert torch.equal(texts(10).batch(17).masked.ids, texts(10).batch(17).masked.ids)


def test_too_few_texts_are_refused() -> None:
    with pytest.raises(ConfigError, match="30 texts are too few for a batch of 31"):
        texts(rows=31)
