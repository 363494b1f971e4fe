"""One weight of an encoder and a decoder, taken apart."""

import pytest

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.tasks import NoSuchHeadError, NoSuchTokenError, attend
from core.tasks.attend import AttendResult
from core.tasks.errors import NotReadError
from core.tasks.unfold_sides import unfold_sides
from tests.tiny_checkpoints import write_tiny

KINDS = ("encoder", "decoder", "cross")
TEXTS = ("The dog sleeps in the garden.", "Der Hund schläft im Garten.")


@pytest.fixture(scope="module", params=["transformer", "t5"])
def opened(request, tmp_path_factory) -> tuple[Checkpoint, AttendResult]:
    folder = tmp_path_factory.mktemp("models")
    write_tiny(request.param, folder / "mine")
    checkpoint = load_checkpoint("mine", policy=LoadPolicy((folder,)))
    return checkpoint, attend(checkpoint, TEXTS[0], target=TEXTS[1])


def taken_apart(opened, kind, **where):
    checkpoint, result = opened
    place = {"layer": 1, "head": 2, "query": 3, "key": 2, **where}
    return unfold_sides(checkpoint, result.encoding.ids, result.target.ids, kind=kind, **place)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_lead_to_the_weight_of_the_map(opened, kind):
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


def test_what_is_not_written_yet_may_not_be_looked_at(opened):
    ahead = taken_apart(opened, "decoder", query=1, key=3)
    assert not ahead.allowed
    assert ahead.weight == 0
    assert taken_apart(opened, "encoder", query=1, key=3).allowed


def test_places_are_those_of_the_right_text(opened):
    _checkpoint, result = opened
    queries, keys = result["cross"].patterns.shape[2:]
    taken_apart(opened, "cross", query=queries - 1, key=keys - 1)
    for beyond in ({"query": queries}, {"key": keys}):
        with pytest.raises(NoSuchTokenError):
            taken_apart(opened, "cross", **beyond)
    with pytest.raises(NoSuchHeadError):
        taken_apart(opened, "decoder", layer=2)
    with pytest.raises(ValueError, match="kind"):
        taken_apart(opened, "content")


def test_a_model_of_one_text_is_refused(tiny_checkpoint: Checkpoint):
    ids = tiny_checkpoint.tokenizer.encode(TEXTS[0]).ids
    with pytest.raises(NotReadError):
        unfold_sides(tiny_checkpoint, ids, ids, kind="cross", layer=0, head=0, query=0, key=0)
