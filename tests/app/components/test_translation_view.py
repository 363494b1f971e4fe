"""What the browser is told of a translation."""

import json
import struct

import numpy as np
import pytest

from app.components import translation_view
from app.components.translation_view import LEVELS, percent_of, translation_payload
from core.checkpoints import LoadPolicy, load_checkpoint
from core.tasks.errors import TooManyWeightsError
from core.tasks.watch_translation import watch_translation
from tests.app.components.test_position_view import floats
from tests.tiny_checkpoints import write_tiny

TEXT = "The dog sleeps in the garden."


def opened(blob):
    magic, version, length = struct.unpack_from("<4sII", blob)
    assert (magic, version) == (translation_view.MAGIC, translation_view.VERSION)
    start = 12 + length
    return json.loads(blob[12:start]), blob[start:]


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
    header, body = opened(translation_payload(found))
    assert [one["name"] for one in header["maps"]] == ["encoder", "decoder", "cross"]
    for one, original in zip(header["maps"], found.attention.maps, strict=True):
        patterns = original.patterns
        levels = np.frombuffer(body, "<u2", patterns.size, one["weights"]).reshape(patterns.shape)
        assert np.abs(levels / LEVELS - patterns).max() <= 0.5 / LEVELS + 1e-7
    kinds = [one["kind"] for one in header["source"]]
    assert kinds[0] == "language"
    assert kinds[-3:] == ["padding"] * 3
    assert "padding" not in kinds[:-3]


def test_steps_and_tree_fit_together(watched):
    header, _body = opened(translation_payload(watched["transformer"]))
    steps = len(header["steps"])
    assert steps == len(header["written"]) == len(header["texts"]) == len(header["target"])
    assert [header["tree"][node]["step"] for node in header["path"]] == list(range(steps))
    assert [header["tree"][node]["piece"] for node in header["path"]] == header["written"]
    parents = [header["tree"][node]["parent"] for node in header["path"]]
    assert parents == [-1, *header["path"][:-1]]


def test_a_recurrent_models_scores_come_along(watched):
    found = watched["seq2seq"]
    header, body = opened(translation_payload(found))
    assert [(one["layers"], one["heads"]) for one in header["maps"]] == [(1, 1)]
    scores = floats(body, header["scores"], found.scores.size).reshape(found.scores.shape)
    assert np.array_equal(scores, found.scores)


def test_another_text_has_another_identity(checkpoints, watched):
    model = checkpoints["transformer"]
    identities = {
        opened(translation_payload(one))[0]["identity"]
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
