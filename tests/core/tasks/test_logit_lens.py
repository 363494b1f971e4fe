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
    assert list(lens.layers[-1]) == [mask.predictions for mask in said.masks]
    assert (lens.encoding, lens.texts) == (said.encoding, said.texts)
    for mask, followed in zip(said.masks, lens.followed, strict=True):
        last = [(one.token, one.probabilities[-1]) for one in followed[:7]]
        assert last == [tuple(one) for one in mask.predictions]
        assert [one.ranks[-1] for one in followed[:7]] == [1, 2, 3, 4, 5, 6, 7]
        originals = [(one.token, one.ranks[-1]) for one in followed if one.original]
        assert originals == ([] if mask.piece is None else [(mask.piece, mask.rank)])
        assert len(followed) == 7 + (mask.rank is not None and mask.rank > 7)


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
    tokenizer = tiny_checkpoint.tokenizer
    for layer, (site, readings) in enumerate(zip(sites, lens.layers, strict=True)):
        assert len(readings) == 2
        for mask, followed, predictions in zip(masks, lens.followed, readings, strict=True):
            with torch.inference_mode():
                expected = model.score_words(trace[site][0, mask]).softmax(-1)
            for token, probability in predictions:
                assert probability == pytest.approx(expected[tokenizer.id(token)].item(), abs=1e-6)
            for one in followed:
                here = expected[tokenizer.id(one.token)]
                assert one.probabilities[layer] == pytest.approx(here.item(), abs=1e-6)
                assert one.ranks[layer] == (expected > here).sum() + 1
    assert len(set(lens.followed[0][0].probabilities)) == LAYERS + 1


def test_what_a_mask_hides_is_followed_last_and_a_typed_mask_hides_nothing(
    tiny_checkpoint: Checkpoint,
) -> None:
    typed, word, also_typed = logit_lens(tiny_checkpoint, SENTENCE, mask_words=[2], top=1).followed
    assert [one.original for one in typed + also_typed] == [False, False]
    assert [one.token for one in word if one.original] == ["of"]
    assert word[-1].original


def test_an_ablated_head_leaves_the_layers_before_it_alone(tiny_checkpoint: Checkpoint) -> None:
    before = logit_lens(tiny_checkpoint, SENTENCE).layers
    after = logit_lens(tiny_checkpoint, SENTENCE, off=[(1, 0)]).layers
    for layer in (0, 1):
        assert after[layer] == before[layer]
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
