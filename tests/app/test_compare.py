"""The page that compares, with a tiny model of every system."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.parts.model_picker import KEY as MODEL_KEY
from app.scenes import scenes_of
from app.sections.compare import maps
from app.sections.compare.sides import CONTRAST_KEY, OTHER_MODEL_KEY
from app.sections.translate.sentence import LANGUAGE_KEY
from app.settings import Settings
from app.state import heads_of
from core.checkpoints import LoadPolicy, catalogue, load_checkpoint
from core.tasks import attend
from core.tasks.compare_attention import compare_attention
from core.tasks.read_side import read_side
from tests.tiny_checkpoints import CAUSAL, CHECKPOINTS, write_all

TEXT = "The dog sleeps in the garden."
OTHER = "The man sleeps in the garden."
SAME_PIECES = {"electra", "electra-generator", "distilbert", "spanbert", "structbert", "mtdnn"}
NO_GUESSES = {"electra", "xlnet", "t5", "transformer", *CAUSAL}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    return write_all(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def shipped(written, monkeypatch) -> Path:
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", written)
    return written


@pytest.fixture
def open_compare(open_page):
    def open_at(**query):
        return open_page(query).switch_page("../pages/compare.py").run()

    return open_at


def tables(page):
    return " ".join(
        one.proto.body for one in page.get("html") if 'class="mask-card"' in one.proto.body
    )


def facts(page):
    return " ".join(one.proto.body for one in page.get("html") if '"fact"' in one.proto.body)


def test_two_texts_are_compared_cell_by_cell(open_compare, shown, written):
    page = open_compare(text=TEXT, other_text=OTHER, hide="5")
    assert not page.exception
    assert not page.error
    assert "cell by cell" in facts(page)
    assert "dog / man" in facts(page)
    picture = shown(page, maps.KEY)
    model = load_checkpoint(str(written / "bert"), policy=LoadPolicy(roots=(written,)))
    sides = [read_side(model, text, mask_words=[5]) for text in (TEXT, OTHER)]
    expected = compare_attention(sides[0].attention, sides[1].attention)
    for name, weights in (("left", expected.left), ("right", expected.right)):
        np.testing.assert_array_equal(picture[name]["weights"], weights)
    assert "What could stand there" in tables(page)
    likeliest = sides[0].guesses[0].predictions[0]
    assert f"{likeliest.probability:.3f}" in tables(page)


def test_the_same_tokens_can_be_compared_by_words_too(open_compare, shown):
    page = open_compare(text=TEXT, other_text=OTHER, hide="-")
    tokens = shown(page, maps.KEY)
    assert tokens["rows"]["left"][0] == "[CLS]"
    page.toggle(key=maps.WORDS_KEY).set_value(True).run()
    assert not page.exception
    words = shown(page, maps.KEY)
    assert words["rows"]["left"] == ["The", "dog", "sleeps", "in", "the", "garden", "."]
    assert words["rows"]["right"][1] == "man"
    assert any("Click a word to hide it" in one.value for one in page.caption)


def test_the_chart_of_a_long_difference_says_what_it_leaves_out(open_compare):
    text = "the dog sleeps in the garden " * 15
    page = open_compare(text=text, other_text=text, hide="-")
    assert not any("are drawn" in one.value for one in page.caption)
    page.toggle(key="difference").set_value(True).run()
    assert not page.exception
    [said] = [one.value for one in page.caption if "are drawn" in one.value]
    assert said.startswith("The first 64 of ")


def test_other_words_are_refused_with_the_reason_and_a_way_out(open_compare, shown):
    page = open_compare(text=TEXT, other_text="One two.")
    assert "part at “The” and “One”" in page.error[0].value.replace("\\", "")
    # Each text has a picture of its own all the same.
    assert page.button(key="open-left").label == ":primary[Left in all views]"
    assert page.button(key="open-right").label == ":primary[Right in all views]"
    page.button(key="same-text").click().run()
    assert not page.error
    assert page.text_input(key="other_text").value == TEXT
    assert any("Both texts are the same" in one.value for one in page.caption)


@pytest.mark.parametrize("other", sorted(CHECKPOINTS.keys() - {"bert", "seq2seq"}))
def test_every_model_is_compared_with_another_one(open_compare, shown, other):
    page = open_compare(contrast="models", other_model=other, text=TEXT)
    assert not page.exception
    assert not page.error
    assert page.selectbox(key=OTHER_MODEL_KEY).value == other
    picture = shown(page, maps.KEY)
    assert [picture["left"]["title"], picture["right"]["title"]] == ["bert", other]
    assert ("cell by cell" in facts(page)) == (other in SAME_PIECES)
    said = any("does not guess hidden words" in one.value for one in page.caption)
    assert said == (other in NO_GUESSES)
    assert (f"<bdi>{other}</bdi>" in tables(page)) == (other not in NO_GUESSES)


def test_models_without_a_common_kind_of_attention_are_refused(open_compare):
    page = open_compare(contrast="models", other_model="seq2seq", text=TEXT)
    assert "no kind of attention in common" in page.error[0].value
    # Each side is there all the same, on its own page.
    assert page.button(key="open-left").label == ":primary[Left in all views]"
    assert page.button(key="open-right").label == ":primary[Right, step by step]"


def test_of_two_translators_the_kind_is_chosen(open_compare, shown):
    page = open_compare(contrast="models", model="t5", other_model="transformer", text=TEXT)
    assert not page.error
    kinds = page.selectbox(key=maps.KIND_KEY)
    assert kinds.value == "text"
    assert len(kinds.options) == 3


@pytest.mark.parametrize(
    ("language", "written"),
    [("de", "Er gab mir das rote Auto."), ("fr", "Il m'a donné la voiture")],
)
def test_a_translator_writes_the_language_that_is_chosen(
    open_compare, shown, monkeypatch, language, written
):
    monkeypatch.undo()  # the bundled models
    text = "He gave me the red car."
    page = open_compare(model="transformer", to=language, set="cross", text=text, other_text=text)
    assert not page.error
    assert page.segmented_control(key=LANGUAGE_KEY).value == language
    picture = shown(page, maps.KEY)
    read = "".join(picture["rows"]["left"]).replace("\N{OPEN BOX}", " ")
    assert read.startswith(f"<pad> {written}")


def test_translations_of_other_words_are_refused_and_the_kind_can_be_changed(
    open_compare, shown, monkeypatch
):
    monkeypatch.undo()
    page = open_compare(
        model="transformer", to="de", set="cross",
        text="He gave me the red car.", other_text="He did the last red car.",
    )  # fmt: skip
    assert "have written texts that part at" in page.error[0].value
    assert page.button(key="open-right").label == ":primary[Right in all views]"
    page.selectbox(key=maps.KIND_KEY).set_value("text").run()
    assert not page.error
    picture = shown(page, maps.KEY)
    assert "\N{OPEN BOX}gave" in picture["rows"]["left"]


def test_two_models_that_go_on_with_a_text_are_compared_in_what_comes_next(open_compare):
    page = open_compare(model="gpt", text=TEXT, other_text=OTHER)
    assert not page.error
    assert "What comes next" in tables(page)


def test_heads_that_are_off_change_the_layers_after_them(open_compare, shown):
    page = open_compare(contrast="heads", text=TEXT, off="0-1.0-2.9-9", hide="5")
    assert not page.exception
    picture = shown(page, maps.KEY)
    assert picture["right"]["title"] == "Without 2 heads"
    left, right = (picture[name]["weights"] for name in ("left", "right"))
    np.testing.assert_array_equal(left[0], right[0])
    assert np.abs(left[1:] - right[1:]).max() > 1e-3
    none_off = open_compare(contrast="heads", text=TEXT)
    assert any("No head is off yet" in one.value for one in none_off.caption)


def test_of_a_long_text_the_pair_in_the_address_comes(open_compare, shown, monkeypatch):
    monkeypatch.setattr(maps, "fits_at_once", lambda *_shapes: False)
    page = open_compare(
        text=TEXT, other_text=OTHER, layer="1", head="2", other_layer="0", other_head="77"
    )
    picture = shown(page, maps.KEY)
    assert (picture["left"]["only"], picture["right"]["only"]) == ([1, 2], [0, 3])


def test_without_a_second_model_the_page_says_so(open_compare, tmp_path, written, monkeypatch):
    (tmp_path / "bert").symlink_to(written / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_compare(contrast="models")
    assert not page.exception
    assert "No second model has come yet" in page.info[0].value
    page.segmented_control(key=CONTRAST_KEY).set_value("texts").run()
    assert not page.info
    assert not page.error
    assert page.selectbox(key=MODEL_KEY).value == "bert"


def test_scenes_show_what_their_titles_say(monkeypatch):
    monkeypatch.undo()  # the bundled model
    model = load_checkpoint("bert")
    first: dict[str, Any] = {scene.name: scene.settings for scene in scenes_of("compare")}

    settings = first["tired-or-wide"]
    texts = settings["text"], settings["other_text"]
    assert texts == (Settings.text, Settings.other_text)
    found = compare_attention(*(attend(model, text) for text in texts))
    head = settings["layer"], settings["head"]
    rows = found.rows.left_labels
    it, animal = rows.index("it"), rows.index("animal")
    # An animal may be tired; a street is wide.
    assert found.left[head][it, animal] > found.right[head][it, animal] + 0.05

    settings = first["misspelt"]
    found = compare_attention(*(attend(model, settings[one]) for one in ("text", "other_text")))
    assert found.rows.replaced == tuple(range(7, 10))  # the pieces of the last word
    head = settings["layer"], settings["head"]
    assert found.apart(head, head) > 0.1

    settings = first["doctor-or-nurse"]
    sides = [
        read_side(model, settings[one], mask_words=[int(settings["hide"])])
        for one in ("text", "other_text")
    ]
    shares = [dict(side.guesses[0].predictions) for side in sides]
    assert shares[0]["he"] > shares[1]["he"]
    assert shares[0]["she"] < shares[1]["she"]

    for name in ("four-heads-less", "a-layer-less"):
        settings = first[name]
        off = heads_of(settings["off"])
        whole, less = (read_side(model, settings["text"], off=one) for one in ((), off))
        maps_of = compare_attention(whole.attention, less.attention)
        head = settings["layer"], settings["head"]
        assert maps_of.apart(head, head) > 0.02
        assert settings["layer"] > min(layer for layer, _ in off)
