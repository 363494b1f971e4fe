"""One weight, taken apart."""

import math
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import AttentionConfig
from core.errors import SequenceTooLongError
from core.hooks import capture, name_hook_points
from core.models.blocks.attention import Attention
from core.models.blocks.masks import Mask
from core.tasks import (
    AttendResult,
    NoSuchHeadError,
    NoSuchTokenError,
    NotReadError,
    Weight,
    attend,
    break_down,
)
from core.tasks.break_down import weight_of
from tests.tiny_checkpoints import write_tiny

LAYERS, HEADS, SIZE = 3, 4, 8
SENTENCE = "The cat sat on the mat."
Opened = tuple[Checkpoint, AttendResult]
TEXTS = ("The dog sleeps in the garden.", "Der Hund schläft im Garten.")
POINTS = ("query", "key", "scores", "masked_scores", "pattern")


def unfold_text(
    checkpoint: Checkpoint, text: str = SENTENCE, pair: str | None = None, **where: int
) -> Weight:
    read = checkpoint.tokenizer.encode(text, pair)
    place: dict[str, Any] = where
    return break_down(checkpoint, read.ids, segments=read.segments, kind="encoder", **place)


def captured(checkpoint: Checkpoint, text: str, layer: int) -> dict[str, np.ndarray]:
    encoding = checkpoint.tokenizer.encode(text)
    sites = [f"encoder.layers.{layer}.attention.{point}" for point in POINTS]
    with torch.inference_mode(), capture(sites) as trace:
        checkpoint.model(torch.tensor([encoding.ids]), torch.tensor([encoding.segments]))
    return {
        point: trace[site][0].double().numpy() for point, site in zip(POINTS, sites, strict=True)
    }


@pytest.mark.parametrize(("layer", "head", "query", "key"), [(0, 0, 0, 0), (2, 3, 4, 7)])
def test_every_number_is_that_of_the_pass(
    tiny_checkpoint: Checkpoint, layer: int, head: int, query: int, key: int
) -> None:
    cell = unfold_text(tiny_checkpoint, layer=layer, head=head, query=query, key=key)
    maps = {name: value[head] for name, value in captured(tiny_checkpoint, SENTENCE, layer).items()}
    products = maps["query"][query] * maps["key"][key]
    score = products.sum() / math.sqrt(SIZE)
    row = maps["query"][query] @ maps["key"].T / math.sqrt(SIZE)
    exponentials = np.exp(row - row.max())

    np.testing.assert_allclose(cell.products, products, rtol=1e-6)
    assert cell.products.shape == (SIZE,)
    assert cell.dot == pytest.approx(products.sum(), rel=1e-9)
    assert cell.scale == SIZE**-0.5
    assert cell.bias is None
    assert cell.score == maps["scores"][query, key]
    assert cell.scale * cell.dot == pytest.approx(cell.score, abs=1e-5)
    assert cell.allowed
    assert cell.masked_score == cell.score == pytest.approx(score, abs=1e-5)
    assert cell.largest == pytest.approx(row.max(), abs=1e-5)
    assert cell.exponential == pytest.approx(exponentials[key], abs=1e-5)
    assert cell.total == pytest.approx(exponentials.sum(), abs=1e-4)
    assert cell.weight == maps["pattern"][query, key]
    assert cell.exponential / cell.total == pytest.approx(cell.weight, abs=1e-6)


def test_the_weight_is_the_one_in_the_picture(tiny_checkpoint: Checkpoint) -> None:
    texts = "The cat", "The mat"
    cell = unfold_text(tiny_checkpoint, *texts, layer=1, head=2, query=2, key=5)
    assert cell.weight == attend(tiny_checkpoint, *texts).patterns[1, 2, 2, 5]


def weights_of_block(
    mask: Mask | None = None, bias: Tensor | None = None
) -> tuple[dict[str, np.ndarray], list[list[Weight]]]:
    """Both heads' weights of the first of three tokens, all taken apart: `[head][key]`."""
    torch.manual_seed(3)
    attention = Attention(AttentionConfig(heads=2, head_size=4), width=8).eval()
    name_hook_points(attention)
    with torch.inference_mode(), capture(POINTS) as trace:
        attention(torch.randn(1, 3, 8), mask=mask, position_bias=bias)
    maps = {point: trace[point][0].numpy() for point in POINTS}
    weights = [
        [
            weight_of(
                maps["query"][head, 0],
                maps["key"][head],
                maps["scores"][head, 0],
                maps["masked_scores"][head, 0],
                maps["pattern"][head, 0],
                key=key,
                scale=attention.score.scale,
            )
            for key in range(3)
        ]
        for head in range(2)
    ]
    return maps, weights


def test_a_forbidden_key_has_a_score_and_no_weight() -> None:
    maps, heads = weights_of_block(mask=Mask.padding(torch.tensor([[True, False, True]])))
    for head, cells in enumerate(heads):
        assert [cell.allowed for cell in cells] == [True, False, True]
        assert cells[1].score == maps["scores"][head, 0, 1]
        assert cells[1].masked_score == np.finfo(np.float32).min
        assert cells[1].exponential == cells[1].weight == 0
        scores = maps["scores"][head, 0, [0, 2]].astype(np.float64)
        assert cells[0].largest == scores.max()
        assert cells[0].total == pytest.approx(np.exp(scores - scores.max()).sum(), rel=1e-9)
        assert sum(cell.weight for cell in cells) == pytest.approx(1, abs=1e-6)
        assert all(cell.bias is None for cell in cells)


def test_a_row_without_an_allowed_key_is_uniform_and_says_so() -> None:
    _, heads = weights_of_block(mask=Mask.padding(torch.zeros(1, 3, dtype=torch.bool)))
    for cell in heads[0]:
        assert not cell.allowed
        assert (cell.exponential, cell.total) == (1, 3)
        assert cell.weight == pytest.approx(1 / 3)


def test_what_a_position_adds_is_told_apart_from_the_product() -> None:
    bias = torch.tensor([[0.0, 1.5, -2.0]]).expand(2, 3, 3)[None]
    for cells in weights_of_block(bias=bias)[1]:
        assert [cell.bias for cell in cells] == pytest.approx([0, 1.5, -2], abs=1e-5)
        for cell in cells:
            assert cell.bias is not None
            assert cell.scale * cell.dot + cell.bias == pytest.approx(cell.score, abs=1e-6)


@pytest.mark.parametrize("head", [(-1, 0), (0, -1), (LAYERS, 0), (0, HEADS)])
def test_a_head_outside_the_model_is_refused(
    tiny_checkpoint: Checkpoint, head: tuple[int, int]
) -> None:
    with pytest.raises(NoSuchHeadError):
        unfold_text(tiny_checkpoint, layer=head[0], head=head[1], query=0, key=0)


@pytest.mark.parametrize(("query", "key", "wrong"), [(-1, 0, -1), (0, 4, 4), (10**9, 0, 10**9)])
def test_a_position_outside_the_text_is_refused(
    tiny_checkpoint: Checkpoint, query: int, key: int, wrong: int
) -> None:
    with pytest.raises(NoSuchTokenError, match="from 0 to 3") as caught:
        unfold_text(tiny_checkpoint, "the cat", layer=0, head=0, query=query, key=key)
    assert (caught.value.token, caught.value.tokens) == (wrong, 4)


def test_what_the_model_does_not_read_is_refused(tiny_checkpoint: Checkpoint) -> None:
    ids = tiny_checkpoint.tokenizer.encode(SENTENCE).ids
    where: dict[str, Any] = {"layer": 0, "head": 0, "query": 0, "key": 0}
    with pytest.raises(NotReadError):
        break_down(tiny_checkpoint, ids, ids, kind="cross", **where)
    for kind in ("cross", "decoder", "content", "elsewhere"):
        with pytest.raises(ValueError, match=f"no attention '{kind}'"):
            break_down(tiny_checkpoint, ids, kind=kind, **where)
    with pytest.raises(SequenceTooLongError):
        break_down(tiny_checkpoint, ids * 100, kind="encoder", **where)


@pytest.fixture(scope="module", params=["transformer", "t5"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("models")
    write_tiny(request.param, folder / "mine")
    checkpoint = load_checkpoint("mine", policy=LoadPolicy((folder,)))
    return checkpoint, attend(checkpoint, TEXTS[0], target=TEXTS[1])


def taken_apart(opened: Opened, kind: str, **where: int) -> Weight:
    checkpoint, result = opened
    assert result.target is not None
    place: dict[str, Any] = {"layer": 1, "head": 2, "query": 3, "key": 2, **where}
    return break_down(checkpoint, result.encoding.ids, result.target.ids, kind=kind, **place)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_of_two_sides_the_numbers_lead_to_the_weight_of_the_map(opened: Opened, kind: str) -> None:
    system, patterns = opened[0].config.system, opened[1][kind].patterns
    found = taken_apart(opened, kind)
    assert found.weight == patterns[1, 2, 3, 2]
    assert found.products.sum() == pytest.approx(found.dot, abs=1e-5)
    added = found.scale * found.dot + (found.bias or 0)
    assert added == pytest.approx(found.score, abs=1e-5)
    assert found.exponential / found.total == pytest.approx(found.weight, abs=1e-6)
    # T5 adds a bias for the distance within a text and does not scale; nobody does so between two.
    assert (found.bias is not None) == (system == "t5" and kind != "cross")
    assert (found.scale == 1) == (system == "t5")


def test_what_is_not_written_yet_may_not_be_looked_at(opened: Opened) -> None:
    ahead = taken_apart(opened, "decoder", query=1, key=3)
    assert not ahead.allowed
    assert ahead.weight == 0
    assert taken_apart(opened, "encoder", query=1, key=3).allowed


def test_positions_are_those_of_the_right_text(opened: Opened) -> None:
    checkpoint, result = opened
    queries, keys = result["cross"].patterns.shape[2:]
    taken_apart(opened, "cross", query=queries - 1, key=keys - 1)
    for beyond in ({"query": queries}, {"key": keys}):
        with pytest.raises(NoSuchTokenError):
            taken_apart(opened, "cross", **beyond)
    with pytest.raises(NoSuchHeadError):
        taken_apart(opened, "decoder", layer=2)
    with pytest.raises(ValueError, match="no attention 'content'"):
        taken_apart(opened, "content")
    ids = result.encoding.ids
    for kind, refused in (("decoder", True), ("cross", True), ("encoder", False)):
        with pytest.raises(NoSuchTokenError) if refused else nullcontext():
            break_down(checkpoint, ids, kind=kind, layer=0, head=0, query=0, key=0)
