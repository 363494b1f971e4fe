"""Every head ablated by itself, in a few passes: the same as one pass a head."""

from importlib import import_module

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.engine.errors import CallCancelledError
from core.engine.progress import heard_by, stop_when
from core.errors import HeadlightError
from core.tasks import (
    NoMaskError,
    NoSuchMaskError,
    NoSuchWordError,
    TooManyAblationsError,
    TopOutOfRangeError,
    ablate_each,
    fill_mask,
)
from core.tasks.fill_mask import hide_words, mask_positions
from core.tasks.forward import forward

SENTENCE = "The capital of France is Paris."
WORDS = (1, 5)


def log_probabilities(checkpoint: Checkpoint, mask: int, *off: tuple[int, int]) -> torch.Tensor:
    """Of every piece in one pass with some heads ablated, ``[vocabulary]``."""
    encoding = hide_words(checkpoint, SENTENCE, WORDS)
    ran = forward(checkpoint, encoding, off=off, head=checkpoint.model.word_site)
    logits = ran.logits[mask_positions(checkpoint, encoding)[mask]]
    return logits.float().log_softmax(dim=-1)


def test_it_is_what_one_pass_for_each_head_says(tiny_checkpoint: Checkpoint) -> None:
    mask = 1
    found = ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS, mask=mask, top=7)
    stack = tiny_checkpoint.config.encoder
    assert stack is not None
    shape = (stack.depth, stack.layer.attention.heads)
    number = tiny_checkpoint.tokenizer.id
    every = log_probabilities(tiny_checkpoint, mask)
    for one in found.pieces:
        assert one.after.shape == shape
        assert one.before == pytest.approx(float(every[number(one.token)]), abs=1e-5)
    for at in np.ndindex(*shape):
        without = log_probabilities(tiny_checkpoint, mask, (at[0], at[1]))
        for one in found.pieces:
            assert float(one.after[at]) == pytest.approx(
                float(without[number(one.token)]), abs=1e-5
            )
    # Every head of these weights does something, and no two the same.
    changes = found.pieces[0].after - found.pieces[0].before
    assert np.abs(changes).min() > 1e-5
    assert len(np.unique(changes.round(5))) > changes.size // 2


def test_the_likeliest_words_are_followed_and_what_is_hidden(tiny_checkpoint: Checkpoint) -> None:
    found = ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS, top=3)
    said = fill_mask(tiny_checkpoint, SENTENCE, mask_words=WORDS, top=3)
    mask = said.masks[0]
    assert found.position == mask.position
    assert found.texts == said.texts
    likeliest = [one.token for one in mask.predictions]
    assert [one.token for one in found.pieces][:3] == likeliest
    [original] = [one for one in found.pieces if one.original]
    assert original.token == mask.piece
    assert len(found.pieces) == 3 + (mask.piece not in likeliest)
    assert np.exp(original.before) == pytest.approx(mask.probability, rel=1e-5)
    typed = ablate_each(tiny_checkpoint, said.texts[0], top=3)
    assert [one.token for one in typed.pieces] == likeliest
    assert not any(one.original for one in typed.pieces)


def test_it_tells_how_far_it_is_and_can_be_stopped(tiny_checkpoint: Checkpoint) -> None:
    told: list[tuple[int, int]] = []
    with heard_by(lambda done, wanted: told.append((done, wanted))):
        ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS)
    stack = tiny_checkpoint.config.encoder
    assert stack is not None
    assert told == [(done, stack.depth) for done in range(1, stack.depth + 1)]
    told.clear()
    with (
        pytest.raises(CallCancelledError),
        heard_by(lambda done, wanted: told.append((done, wanted))),
        stop_when(lambda: len(told) == 1),
    ):
        ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"mask": 2}, NoSuchMaskError),
        ({"mask": -1}, NoSuchMaskError),
        ({"mask_words": ()}, NoMaskError),
        ({"mask_words": (99,)}, NoSuchWordError),
        ({"top": 0}, TopOutOfRangeError),
    ],
)
def test_what_cannot_be_ablated_is_named(
    tiny_checkpoint: Checkpoint, asked: dict[str, object], error: type[HeadlightError]
) -> None:
    with pytest.raises(error):
        ablate_each(tiny_checkpoint, SENTENCE, **{"mask_words": WORDS, **asked})  # type: ignore[arg-type]


def test_a_text_is_as_long_as_the_limit_allows(
    tiny_checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS)
    heads, tokens = found.pieces[0].after.size, len(found.encoding)
    module = import_module("core.tasks.ablate_each")
    monkeypatch.setattr(module, "MAX_ABLATED", heads * tokens)
    ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS)
    monkeypatch.setattr(module, "MAX_ABLATED", heads * tokens - 1)
    with pytest.raises(TooManyAblationsError, match=f"at most {tokens - 1} tokens, not {tokens}"):
        ablate_each(tiny_checkpoint, SENTENCE, mask_words=WORDS)
