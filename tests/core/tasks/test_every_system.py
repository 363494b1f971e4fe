"""The tasks of the pages with a tiny checkpoint of every system that they are offered for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.tasks import (
    NoSuchHeadError,
    ablate_each,
    attend,
    break_down,
    compare_masks,
    fill_mask,
    logit_lens,
    random_masking,
)
from core.tokenisation import MissingTokenError
from tests.tiny_checkpoints import CAUSAL, CHECKPOINTS, write_tiny

TEXT = "The keeper of the lighthouse mends his old boat."
PAIR = "He will need it in spring."
TWO_SIDED = ("t5", "transformer", "seq2seq")
WITHOUT_GUESSES = ("electra", *CAUSAL, *TWO_SIDED)
WITHOUT_MASKS = ("xlnet", *WITHOUT_GUESSES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module", params=CHECKPOINTS)
def checkpoint(request: Any, folder: Path) -> Checkpoint:
    path = write_tiny(request.param, folder / request.param)
    return load_checkpoint(str(path), device="cpu", policy=LoadPolicy(roots=(folder,)))


def is_one_of(checkpoint: Checkpoint, names: tuple[str, ...]) -> bool:
    return Path(checkpoint.name).name in names


def test_a_weight_is_taken_apart_as_it_stands_on_the_map(checkpoint: Checkpoint) -> None:
    """Whatever the position and the mask add, the numbers lead to the weight that is shown."""
    where: dict[str, Any] = {"layer": 1, "head": 2, "query": 5, "key": 3}
    if is_one_of(checkpoint, TWO_SIDED):
        found = attend(checkpoint, TEXT)
        if checkpoint.model.recurrent:
            assert found.target is not None
            with pytest.raises(NoSuchHeadError):
                break_down(checkpoint, found.encoding.ids, found.target.ids, kind="cross", **where)
        return  # the others: tests/core/tasks/test_break_down.py
    found = attend(checkpoint, TEXT, PAIR)
    read, kind = found.encoding, found.maps[0].name
    where["head"] = min(2, found.patterns.shape[1] - 1)
    for key in (3, 7):
        shown = found.patterns[1, where["head"], 5, key]
        cell = break_down(
            checkpoint, read.ids, segments=read.segments, kind=kind, **(where | {"key": key})
        )
        assert cell.weight == pytest.approx(float(shown), abs=1e-7)
        assert cell.exponential / cell.total == pytest.approx(cell.weight, abs=1e-6)
        added = 0.0 if cell.bias is None else cell.bias
        assert cell.scale * cell.dot + added == pytest.approx(cell.score, abs=1e-4)
        assert cell.allowed == (not checkpoint.model.causal or key <= 5)
        assert (cell.bias is not None) == (checkpoint.config.system == "xlnet")


def test_hidden_words_are_guessed_by_every_model_with_that_head(checkpoint: Checkpoint) -> None:
    has_head = Head.MASKED_LANGUAGE in checkpoint.config.heads
    assert has_head != is_one_of(checkpoint, WITHOUT_MASKS)
    if is_one_of(checkpoint, WITHOUT_GUESSES):
        with pytest.raises((MissingHeadError, MissingTokenError)):
            fill_mask(checkpoint, TEXT, mask_words=[1])
        return
    found = fill_mask(checkpoint, TEXT, mask_words=[1], patterns=True, off=[(1, 0)])
    assert found.patterns is not None
    with_all_heads = fill_mask(checkpoint, TEXT, mask_words=[1])
    assert with_all_heads.masks[0].predictions != found.masks[0].predictions
    assert (with_all_heads.patterns, with_all_heads.masked) == (None, None)
    if found.streams:  # nothing is put in the word's place
        assert found.texts == (TEXT,)
        return
    mask = checkpoint.tokenizer.mask_token
    assert found.texts[0].startswith(f"The {mask}")
    again = fill_mask(checkpoint, found.texts[0], off=[(1, 0)])
    assert [mask.predictions[0] for mask in again.masks] == [
        pytest.approx(one, abs=1e-6) if isinstance(one, float) else one
        for one in (mask.predictions[0] for mask in found.masks)
    ]


def test_every_layer_is_read_by_the_head_and_the_last_one_is_the_model(
    checkpoint: Checkpoint,
) -> None:
    if is_one_of(checkpoint, WITHOUT_MASKS):
        return
    found = logit_lens(checkpoint, TEXT, mask_words=[1, 7])
    final = fill_mask(checkpoint, TEXT, mask_words=[1, 7])
    stack = checkpoint.config.encoder
    assert stack is not None
    assert len(found.layers) == stack.depth + 1
    # Read from the stream itself, the last layer says what the model says.
    assert list(found.layers[-1]) == [mask.predictions for mask in final.masks]
    for mask, followed in zip(final.masks, found.followed, strict=True):
        (original,) = [one for one in followed if one.original]
        assert (original.token, original.ranks[-1]) == (mask.piece, mask.rank)
        assert all(np.isfinite(one.probabilities).all() for one in followed)


def test_masks_are_compared_and_drawn_at_random(checkpoint: Checkpoint) -> None:
    if is_one_of(checkpoint, WITHOUT_MASKS):
        return
    found = compare_masks(checkpoint, TEXT, mask_words=[1], off=[(0, 0), (1, 1)])
    assert 0 < found.moved < 1
    drawn = random_masking(checkpoint, TEXT, seed=1, epochs=2)
    assert len(drawn.epochs) == 2


def test_every_head_is_ablated_as_it_is_by_itself(checkpoint: Checkpoint) -> None:
    if is_one_of(checkpoint, WITHOUT_MASKS):
        return
    found = ablate_each(checkpoint, TEXT, mask_words=[1], top=100)
    for off in ((0, 0), (1, 1)):
        alone = fill_mask(checkpoint, TEXT, mask_words=[1], top=100, off=[off])
        without = {one.token: float(one.after[off]) for one in found.pieces}
        known = [one for one in alone.masks[0].predictions if one.token in without]
        assert len(known) > 10
        for token, probability in known:
            assert without[token] == pytest.approx(np.log(probability), abs=1e-4)
