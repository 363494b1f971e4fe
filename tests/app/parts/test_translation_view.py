"""What the browser is told of a translation."""

import numpy as np
import pytest

from app.sections.translate import translation_view
from app.sections.translate.translation_view import LEVELS, percent_of, translation_payload
from core.checkpoints import LoadPolicy, load_checkpoint
from core.tasks.errors import TooManyWeightsError
from core.tasks.watch_translation import watch_translation
from tests.tiny_checkpoints import write_tiny
from tests.wire import unpack

TEXT = "The dog sleeps in the garden."


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    found = {}
    for name in ("transformer", "seq2seq"):
        folder = write_tiny(name, tmp_path_factory.mktemp(name))
        policy = LoadPolicy(roots=(folder,))
        found[name] = load_checkpoint(str(folder), policy=policy, device="cpu")
    return found


@pytest.fixture(scope="module")
def watched(checkpoints):
    transformer = watch_translation(checkpoints["transformer"], TEXT, language="de", padding=3)
    return {"transformer": transformer, "seq2seq": watch_translation(checkpoints["seq2seq"], TEXT)}


def test_every_weight_arrives_to_half_a_level(watched):
    found = watched["transformer"]
    picture = unpack(translation_payload(found))
    assert [one["name"] for one in picture["maps"]] == ["encoder", "decoder", "cross"]
    for one, original in zip(picture["maps"], found.attention.maps, strict=True):
        assert np.abs(one["weights"] / LEVELS - original.patterns).max() <= 0.5 / LEVELS + 1e-7
    kinds = [one["kind"] for one in picture["source"]]
    assert kinds[0] == "language"
    assert kinds[-3:] == ["padding"] * 3
    assert "padding" not in kinds[:-3]


def test_steps_and_tree_fit_together(watched):
    picture = unpack(translation_payload(watched["transformer"]))
    steps = len(picture["steps"])
    assert steps == len(picture["written"]) == len(picture["texts"]) == len(picture["target"])
    assert [picture["tree"][node]["step"] for node in picture["path"]] == list(range(steps))
    assert [picture["tree"][node]["piece"] for node in picture["path"]] == picture["written"]
    parents = [picture["tree"][node]["parent"] for node in picture["path"]]
    assert parents == [-1, *picture["path"][:-1]]


def test_a_recurrent_models_scores_come_along(watched):
    found = watched["seq2seq"]
    picture = unpack(translation_payload(found))
    assert [(one["layers"], one["heads"]) for one in picture["maps"]] == [(1, 1)]
    np.testing.assert_array_equal(picture["scores"], found.scores)


def test_another_text_has_another_identity(checkpoints, watched):
    model = checkpoints["transformer"]
    identities = {
        unpack(translation_payload(one))["identity"]
        for one in (
            watched["transformer"],
            watch_translation(model, TEXT, language="fr", padding=3),
            watch_translation(model, TEXT, language="de", padding=2),
            watch_translation(model, "The dog", language="de", padding=3),
        )
    }
    assert len(identities) == 4


def test_more_than_a_browser_should_wait_for_is_refused(watched, monkeypatch):
    monkeypatch.setattr(translation_view, "MOST_WEIGHTS", 100)
    with pytest.raises(TooManyWeightsError):
        translation_payload(watched["transformer"])


@pytest.mark.parametrize(
    ("share", "said"), [(0.57, "57\u00a0%"), (0.029, "2.9\u00a0%"), (0.0001, "< 1\u00a0%")]
)
def test_small_probabilities_have_a_digit_more(share, said):
    assert percent_of(float(np.log(share))) == said
