"""What each layer would have said."""

from dataclasses import replace

import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.hooks import capture
from core.models.architectures.bert import Bert
from core.tasks import (
    NoMaskError,
    NoSuchHeadError,
    NoSuchWordError,
    TopOutOfRangeError,
    fill_mask,
    logit_lens,
)
from core.tasks.fill_mask import mask_positions

LAYERS, HEADS = 3, 4
SENTENCE = "The [MASK] of France is [MASK]."


@pytest.mark.parametrize("off", [(), ((0, 1), (2, 3))])
def test_the_last_layer_says_what_the_model_says(
    tiny_checkpoint: Checkpoint, off: tuple[tuple[int, int], ...]
) -> None:
    lens = logit_lens(tiny_checkpoint, SENTENCE, mask_words=[2], top=7, off=off)
    said = fill_mask(tiny_checkpoint, SENTENCE, mask_words=[2], top=7, off=off)
    assert [one.predictions for one in lens.layers[-1]] == [m.predictions for m in said.masks]
    assert (lens.encoding, lens.texts) == (said.encoding, said.texts)
    for reading in lens.layers[-1]:
        assert (reading.rank, reading.final) == (1, reading.predictions[0].probability)


def test_every_layer_is_its_hidden_state_through_the_models_own_head(
    tiny_checkpoint: Checkpoint,
) -> None:
    lens = logit_lens(tiny_checkpoint, SENTENCE, top=100)
    model = tiny_checkpoint.model
    assert isinstance(model, Bert)
    sites = ["embedding.output", *(f"encoder.layers.{n}.output" for n in range(LAYERS))]
    with torch.inference_mode(), capture(sites) as trace:
        model(torch.tensor([lens.encoding.ids]), torch.tensor([lens.encoding.segments]))
    assert len(lens.layers) == LAYERS + 1
    masks = mask_positions(tiny_checkpoint, lens.encoding)
    firsts = [reading.predictions[0].token for reading in lens.layers[-1]]
    for site, readings in zip(sites, lens.layers, strict=True):
        assert len(readings) == 2
        for mask, first, reading in zip(masks, firsts, readings, strict=True):
            with torch.inference_mode():
                expected = model.score_words(trace[site][0, mask]).softmax(-1)
            for token, probability in reading.predictions:
                at = tiny_checkpoint.tokenizer.id(token)
                assert probability == pytest.approx(expected[at].item(), abs=1e-6)
            final = expected[tiny_checkpoint.tokenizer.id(first)]
            assert reading.final == pytest.approx(final.item(), abs=1e-6)
            assert reading.rank == (expected > final).sum() + 1
    assert len({readings[0].final for readings in lens.layers}) == LAYERS + 1


def test_an_ablated_head_leaves_the_layers_before_it_alone(tiny_checkpoint: Checkpoint) -> None:
    before = logit_lens(tiny_checkpoint, SENTENCE).layers
    after = logit_lens(tiny_checkpoint, SENTENCE, off=[(1, 0)]).layers
    for layer in (0, 1):
        assert [one.predictions for one in after[layer]] == [
            one.predictions for one in before[layer]
        ]
    for layer in (2, 3):
        assert after[layer] != before[layer]


def test_what_cannot_be_asked_is_refused(tiny_checkpoint: Checkpoint) -> None:
    with pytest.raises(NoMaskError):
        logit_lens(tiny_checkpoint, "the cat")
    with pytest.raises(NoSuchWordError):
        logit_lens(tiny_checkpoint, "the cat", mask_words=[2])
    with pytest.raises(NoSuchHeadError):
        logit_lens(tiny_checkpoint, SENTENCE, off=[(LAYERS, 0)])
    with pytest.raises(TopOutOfRangeError):
        logit_lens(tiny_checkpoint, SENTENCE, top=0)
    config = replace(tiny_checkpoint.config, heads=(Head.NEXT_SENTENCE,))
    with pytest.raises(MissingHeadError):
        logit_lens(replace(tiny_checkpoint, config=config), SENTENCE)
