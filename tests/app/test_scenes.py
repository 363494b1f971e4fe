"""Scenes: what their files may say, and that each shows what its title says."""

import json

import numpy as np
import pytest

from app import scenes
from app.scenes import KEPT, TITLES, scene_number, scenes_of
from app.settings import FIELDS
from app.state import heads_of, numbers_of
from core.checkpoints import load_checkpoint
from core.tasks import attend, fill_mask

PAGES = (
    "attention",
    "fill_mask",
    "schedules",
    "warm_up",
    "findings",
    "compare",
    "positions",
    "replaced",
    "family",
    "next_word",
    "translate",
    "alignment",
    "spans",
    "pairs",
)


@pytest.fixture(scope="module")
def checkpoint():
    return load_checkpoint("bert")


def settings_of(page, name):
    return next(scene.settings for scene in scenes_of(page) if scene.name == name)


@pytest.fixture(scope="module")
def transformer():
    return load_checkpoint("transformer")


@pytest.fixture
def pictures(checkpoint, transformer):
    """What the model says of the sentences of a scene."""

    def run(name):
        settings = settings_of("attention", name)
        if settings["model"] == "transformer":
            return settings, attend(transformer, settings["text"], language=settings["to"])
        return settings, attend(checkpoint, settings["text"], settings["pair"] or None)

    return run


@pytest.fixture
def fillings(checkpoint):
    """What the model fills in: `fillings(name, text=..., off=())`."""

    def run(name, **changes):
        settings = settings_of("fill_mask", name)
        off = heads_of(changes.get("off", settings["off"]))
        text = changes.get("text", settings["text"])
        words = numbers_of(settings["hide"])
        return fill_mask(checkpoint, text, mask_words=words, off=off).masks

    return run


def cells(patterns, offset):
    """Weights of the cells whose key stands `offset` tokens after their query: [.., query]."""
    return np.diagonal(patterns, offset, axis1=-2, axis2=-1)


@pytest.mark.parametrize("page", PAGES)
def test_every_scene_has_a_title_and_all_settings(page):
    found = scenes_of(page)
    assert 5 <= len(found) <= 9
    assert len({scene.name for scene in found}) == len(found)
    for scene in found:
        assert scene.title
        assert scene.settings.keys() == FIELDS.keys() - set(KEPT)


def test_no_title_is_left_over():
    pages = (*PAGES, "model")  # which has a scene for each model that comes along
    assert {scene.name for page in pages for scene in scenes_of(page)} == TITLES.keys()


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ({"name": "pronoun", "settings": {"colour": "red"}}, "cannot set 'colour'"),
        ({"name": "pronoun", "settings": {"lang": "ko"}}, "cannot set 'lang'"),
        ({"name": "pronoun", "settings": {"scene": "1"}}, "cannot set 'scene'"),
        ({"name": "pronoun", "settings": {"layer": -1}}, "sets 'layer' to -1"),
        ({"name": "pronoun", "settings": {"layer": "1"}}, "sets 'layer' to '1'"),
        ({"name": "pronoun", "settings": {"hide": "x" * 3000}}, "sets 'hide'"),
        ({"name": "nobody", "settings": {}}, "has no title"),
    ],
)
def test_a_scene_that_makes_no_sense_is_refused(tmp_path, monkeypatch, scene, message):
    (tmp_path / "wrong.json").write_text(json.dumps([scene]))
    monkeypatch.setattr(scenes, "SAMPLES", tmp_path)
    with pytest.raises(ValueError, match=message):
        scenes_of("wrong")


@pytest.mark.parametrize(
    ("written", "number"),
    [("1", 1), ("9", 9), ("10", 0), ("0", 0), ("-1", 0), ("", 0), ("01", 0), ("pronoun", 0)],
)
def test_the_address_names_a_scene_by_its_number(written, number):
    assert scene_number("attention", written) == number


def test_every_token_of_a_scene_exists(pictures):
    for scene in scenes_of("attention"):
        settings, result = pictures(scene.name)
        shown = result[settings["set"]] if settings["set"] else result.maps[0]
        layers, heads, queries, keys = shown.patterns.shape
        assert settings["layer"] < layers
        assert {settings["head"], *numbers_of(settings["heads"])} <= set(range(heads))
        assert settings["token"] < queries
        assert settings["key"] < keys


def test_one_token_back(pictures):
    settings, result = pictures("one-token-back")
    assert cells(result.patterns[settings["layer"], settings["head"]], -1).min() > 0.9


def test_three_heads_of_one_layer_look_ahead_back_and_at_themselves(pictures):
    settings, result = pictures("three-heads")
    heads = (settings["head"], *numbers_of(settings["heads"]))
    ordinary = np.flatnonzero(~np.array(result.encoding.special))
    # As the picture shows them: without special tokens.
    patterns = result.patterns[settings["layer"]][:, ordinary][:, :, ordinary]
    for head, offset in zip(heads, (1, -1, 0), strict=True):
        largest = patterns[head].argmax(axis=-1)
        aims = np.arange(len(ordinary)) + offset
        inside = (aims >= 0) & (aims < len(ordinary))
        assert (largest[inside] == aims[inside]).mean() > 0.75


def test_a_head_rests_on_its_first_token_and_something_is_left_without_it(pictures):
    settings, result = pictures("resting-place")
    pattern = result.patterns[settings["layer"], settings["head"]]
    assert result.encoding.pieces[0] == "[CLS]"
    assert pattern[:, 0].mean() > 0.7
    without, _ = pictures("what-is-left")
    assert (without["layer"], without["head"]) == (settings["layer"], settings["head"])
    assert without["sink"]
    left = pattern[:, 1:] >= without["least"] / 1000
    assert 5 <= left.sum() <= 60


def test_the_pronoun_looks_at_the_animal(pictures):
    settings, result = pictures("pronoun")
    pieces = result.encoding.pieces
    assert (pieces[settings["token"]], pieces[settings["key"]]) == ("it", "animal")
    row = result.patterns[settings["layer"], settings["head"], settings["token"]]
    assert row[1:-1].argmax() + 1 == settings["key"]
    assert row[settings["key"]] > 0.3


def test_the_second_sentence_looks_at_the_first(pictures):
    settings, result = pictures("second-to-first")
    pieces, segments = result.encoding.pieces, result.encoding.segments
    token, key = settings["token"], settings["key"]
    assert (pieces[token], pieces[key]) == ("he", "dog")
    assert (segments[token], segments[key], settings["part"]) == (1, 0, "ba")
    row = result.patterns[settings["layer"], settings["head"], token]
    assert row.argmax() == key


FRENCH = "La petite fille a un chat noir et un chien blanc".split()
ENGLISH = "The little girl has a cat black and a dog white".split()


@pytest.mark.parametrize(
    ("name", "ahead", "least"), [("word-for-word", 0, 0.6), ("one-word-ahead", 1, 0.55)]
)
def test_a_french_word_or_the_one_before_it_looks_at_its_english_one(pictures, name, ahead, least):
    settings, result = pictures(name)
    shown = result[settings["set"]]
    source = [piece.removeprefix("\N{OPEN BOX}") for piece in shown.key.pieces]
    target = [piece.removeprefix("\N{OPEN BOX}") for piece in shown.query.pieces]
    assert target == ["<pad>", *FRENCH, "."]
    assert sorted(ENGLISH) == sorted(source[1:-2])
    rows = shown.patterns[settings["layer"], settings["head"]]
    # Each word behind the first one; the row of a piece is that of the step that writes the next.
    for position, word in enumerate(ENGLISH[1:], start=2):
        row = rows[position - ahead]
        assert source[row.argmax()] == word
        assert row.max() > least
    chosen = target[settings["token"] + ahead], source[settings["key"]]
    assert chosen == ("noir", "black")
    assert rows[settings["token"], settings["key"]] > 0.95


def test_the_hidden_word_is_found(fillings):
    (mask,) = fillings("one-word")
    assert mask.predictions[0][0] == "london"


def test_two_words_are_hidden(fillings):
    assert len(fillings("two-words")) == 2


def test_one_word_becomes_several_masks(fillings):
    masks = fillings("several-pieces")
    assert len(masks) > 1
    assert len({mask.word for mask in masks}) == 1


def test_one_changed_word_changes_the_first_guess(fillings):
    settings = settings_of("fill_mask", "one-word-changed")
    words = settings["text"].split(), settings["edit"].split()
    assert sum(before != after for before, after in zip(*words, strict=True)) == 1
    (before,) = fillings("one-word-changed")
    (after,) = fillings("one-word-changed", text=settings["edit"])
    assert (before.predictions[0][0], after.predictions[0][0]) == ("he", "she")


def test_without_four_heads_another_word_comes_first(fillings):
    settings = settings_of("fill_mask", "heads-off")
    assert len(heads_of(settings["off"])) == 4
    (whole,) = fillings("heads-off", off="")
    (without,) = fillings("heads-off")
    assert whole.predictions[0][0] == "married"
    assert without.predictions[0][0] != "married"
