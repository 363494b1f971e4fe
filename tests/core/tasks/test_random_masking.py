"""Random masking of one text, draw by draw."""

from collections import Counter
from dataclasses import replace

import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.objectives.masking import MaskingRule, mask_tokens
from core.objectives.pieces import ordinary_ids
from core.tasks import Corruption, EpochsOutOfRangeError, random_masking

LONG = "The cat sat on the mat and the animal didn't cross the street. " * 3


def test_what_the_model_reads_is_what_training_would_have_hidden(
    tiny_checkpoint: Checkpoint,
) -> None:
    result = random_masking(tiny_checkpoint, LONG, "The cats.", seed=5, epochs=3)
    tokenizer, encoding = tiny_checkpoint.tokenizer, result.encoding
    generator = torch.Generator().manual_seed(5)
    for epoch in result.epochs:
        masked = mask_tokens(
            torch.tensor([encoding.ids]),
            ~torch.tensor([encoding.special]),
            rule=MaskingRule(),
            mask_id=tokenizer.mask_id,
            ordinary_ids=ordinary_ids(tokenizer),
            generator=generator,
        )
        positions = sorted(masked.positions[masked.weights.bool()].tolist())
        assert [one.position for one in epoch.chosen] == positions
        pieces = dict(enumerate(encoding.tokens)) | {
            one.position: one.piece for one in epoch.chosen
        }
        assert [tokenizer.id(pieces[at]) for at in range(len(encoding))] == masked.ids[0].tolist()


def test_the_smallest_uniforms_are_chosen_and_the_draw_decides_the_corruption(
    tiny_checkpoint: Checkpoint,
) -> None:
    result = random_masking(tiny_checkpoint, LONG, epochs=40)
    ordinary = result.encoding.special.count(False)
    corruptions: Counter[Corruption] = Counter()
    for epoch in result.epochs:
        uniforms = {at: uniform for at, uniform in enumerate(epoch.uniforms) if uniform is not None}
        assert len(uniforms) == ordinary
        assert len(epoch.chosen) == round(0.15 * ordinary)
        smallest = sorted(uniforms, key=uniforms.__getitem__)[: len(epoch.chosen)]
        assert [one.position for one in epoch.chosen] == sorted(smallest)
        for one in epoch.chosen:
            masks, kept = one.draw < 0.8, one.draw >= 0.9
            assert one.corruption is (
                Corruption.MASK if masks else Corruption.KEPT if kept else Corruption.RANDOM
            )
            if masks:
                assert one.piece == result.mask_token == "[MASK]"
            if kept:
                assert one.piece == result.encoding.tokens[one.position]
            assert 0 <= one.draw < 1
            corruptions[one.corruption] += 1
    assert corruptions.keys() == set(Corruption)
    assert corruptions[Corruption.MASK] / corruptions.total() == pytest.approx(0.8, abs=0.06)


def test_probabilities_are_those_of_the_corrupted_text(tiny_checkpoint: Checkpoint) -> None:
    result = random_masking(tiny_checkpoint, "The cat sat on the mat", "a café", epochs=9, seed=2)
    tokenizer, encoding = tiny_checkpoint.tokenizer, result.encoding
    assert len({one.corruption for epoch in result.epochs for one in epoch.chosen}) > 1
    for epoch in result.epochs:
        ids = list(encoding.ids)
        for one in epoch.chosen:
            ids[one.position] = tokenizer.id(one.piece)
        with torch.inference_mode():
            output = tiny_checkpoint.model(torch.tensor([ids]), torch.tensor([encoding.segments]))
        for one in epoch.chosen:
            expected = output.logits[0, one.position].softmax(-1)
            original = expected[encoding.ids[one.position]].item()
            assert one.probability == pytest.approx(original, abs=1e-6)
            assert one.guess.probability == pytest.approx(expected.max().item(), abs=1e-6)
            assert tokenizer.id(one.guess.token) == expected.argmax()


def test_static_masking_is_one_draw_and_dynamic_masking_many(tiny_checkpoint: Checkpoint) -> None:
    static = random_masking(tiny_checkpoint, LONG, epochs=6, dynamic=False)
    dynamic = random_masking(tiny_checkpoint, LONG, epochs=6)
    assert len(static.epochs) == len(dynamic.epochs) == 6
    assert set(static.epochs) == {static.epochs[0]}
    positions = [tuple(one.position for one in epoch.chosen) for epoch in dynamic.epochs]
    assert len(set(positions)) == 6
    assert [one.draw for one in dynamic.epochs[0].chosen] == [
        one.draw for one in static.epochs[0].chosen
    ]
    assert dynamic.epochs[0].uniforms == static.epochs[0].uniforms


def test_a_seed_repeats_and_more_epochs_begin_alike(tiny_checkpoint: Checkpoint) -> None:
    few = random_masking(tiny_checkpoint, LONG, seed=3, epochs=2)
    again = random_masking(tiny_checkpoint, LONG, seed=3, epochs=5)
    assert [epoch.uniforms for epoch in few.epochs] == [
        epoch.uniforms for epoch in again.epochs[:2]
    ]
    other = random_masking(tiny_checkpoint, LONG, seed=4, epochs=2)
    assert few.epochs[0].uniforms != other.epochs[0].uniforms
    assert random_masking(tiny_checkpoint, "the cat", seed=-(10**30)).epochs[0].chosen


def test_masks_that_were_typed_are_left_alone(tiny_checkpoint: Checkpoint) -> None:
    result = random_masking(tiny_checkpoint, "the [MASK] sat", epochs=20)
    at = result.encoding.tokens.index("[MASK]")
    assert all(epoch.uniforms[at] is None for epoch in result.epochs)
    assert {len(epoch.chosen) for epoch in result.epochs} == {1}
    assert at not in {one.position for epoch in result.epochs for one in epoch.chosen}
    assert random_masking(tiny_checkpoint, "[MASK]").epochs[0].chosen == ()


@pytest.mark.parametrize("epochs", [0, -1, 41])
def test_the_number_of_epochs_is_bounded(tiny_checkpoint: Checkpoint, epochs: int) -> None:
    with pytest.raises(EpochsOutOfRangeError):
        random_masking(tiny_checkpoint, "the cat", epochs=epochs)


def test_a_model_without_the_head_says_so(tiny_checkpoint: Checkpoint) -> None:
    config = replace(tiny_checkpoint.config, heads=(Head.NEXT_SENTENCE,))
    with pytest.raises(MissingHeadError):
        random_masking(replace(tiny_checkpoint, config=config), "the cat")
