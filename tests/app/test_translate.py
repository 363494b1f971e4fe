"""The page "Translate, one word at a time", run without a browser."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.scenes import KEY as SCENE_KEYS
from app.sections.translate.picture import KEY
from app.sections.translate.sentence import EXAMPLES, LANGUAGE_KEY, PADDING_KEY, SEARCH_KEY
from app.settings import Settings
from app.state import link_query, read_query, write_value
from core.checkpoints import catalogue, load_checkpoint
from core.tasks.watch_translation import watch_translation
from tests.app.conftest import SHELL
from tests.tiny_checkpoints import write_all

BOOK = "The old man is reading a book."


@pytest.fixture
def open_translate():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/translate.py").run()

    return open_at


@pytest.fixture
def picture(shown):
    return lambda page: shown(page, KEY)


def assert_answered(page):
    assert not page.exception
    assert not page.error


def markup(page):
    return " ".join(one.proto.body for one in page.get("html"))


def test_the_page_opens_with_its_own_model(open_translate, picture, shown):
    page = open_translate()
    assert_answered(page)
    assert not page.info
    assert page.title[0].value == "Translate, one word at a time"
    assert page.text_input(key="text").value == Settings.text
    assert page.segmented_control(key=LANGUAGE_KEY).value == "de"
    header = picture(page)
    assert [one["name"] for one in header["maps"]] == ["encoder", "decoder", "cross"]
    assert [len(one["candidates"]) for one in header["steps"]] == [10] * len(header["steps"])
    assert header["padding"] == Settings.padded
    assert shown(page, SCENE_KEYS)["current"] == 0
    assert "Tatoeba" in markup(page)


def test_language_search_and_padding_are_those_of_the_link(open_translate, picture):
    page = open_translate(text=BOOK, to="fr", beams="1", padded="4")
    assert_answered(page)
    header = picture(page)
    assert header["texts"][-1] == "Le vieil homme lit un livre."
    assert header["source"][0]["text"] == ">>fr<<"
    assert header["padding"] == 4
    assert len(header["found"]) == 1
    assert len(header["tree"]) == len(header["steps"])
    assert {step["rank"] for step in header["steps"]} == {0}


def test_choices_stand_in_the_address(open_translate, picture):
    page = open_translate(text=BOOK)
    page.segmented_control(key=LANGUAGE_KEY).set_value("fr").run()
    page.selectbox(key=SEARCH_KEY).set_value(2).run()
    page.selectbox(key=PADDING_KEY).set_value(0).run()
    assert_answered(page)
    written = {name: page.query_params[name] for name in ("to", "beams", "padded")}
    assert {name: one if isinstance(one, str) else one[0] for name, one in written.items()} == {
        "to": "fr",
        "beams": "2",
        "padded": "0",
    }
    header = picture(page)
    assert len(header["found"]) == 2
    assert header["padding"] == 0


def test_another_result_is_watched(open_translate, picture):
    page = open_translate(text=BOOK, followed="1")
    assert_answered(page)
    header = picture(page)
    assert header["followed"] == 1
    assert header["texts"][-1] == header["found"][1]["text"] != header["found"][0]["text"]
    page.segmented_control(key=LANGUAGE_KEY).set_value("fr").run()
    assert picture(page)["followed"] == 0
    # A number beyond the last one is the last one.
    assert picture(open_translate(text=BOOK, followed="15"))["followed"] == 3


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_translated(open_translate, picture, number):
    page = open_translate(followed="2")
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == EXAMPLES[number].text
    assert picture(page)["followed"] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text yet."),
        ("word " * 400, "The text has"),
    ],
)
def test_a_text_that_cannot_be_translated_is_named(open_translate, text, message):
    page = open_translate()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert page.error[0].value.replace("\\", "").startswith(message)


def test_a_model_of_another_kind_is_named_and_not_shown(open_translate, picture):
    page = open_translate(model="structbert", text=BOOK)
    assert_answered(page)
    assert "is no Transformer that translates" in page.info[0].value.replace("\\", "")
    assert picture(page)["texts"][-1] == "Der alte Mann liest ein Buch."


def test_without_a_model_there_is_a_way_on(open_translate, monkeypatch, tmp_path):
    (tmp_path / "bert").symlink_to(catalogue.BUNDLED_FOLDER / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_translate()
    assert not page.exception
    assert page.error
    assert any("Open your own" in one.label for one in page.get("page_link"))


def test_tiny_models_of_all_systems_are_there(open_translate, picture, monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", write_all(tmp_path))
    page = open_translate(text="<b>The dog</b> & I")
    assert_answered(page)
    assert picture(page)["source"][0]["text"] == ">>de<<"


@pytest.mark.parametrize("number", range(1, len(scenes_of("translate")) + 1))
def test_the_link_of_a_scene_says_all_of_it(open_translate, shown, picture, number):
    settings = scenes_of("translate")[number - 1].settings
    written = {name: write_value(value) for name, value in settings.items()}
    page = open_translate(**link_query(read_query({**written, "scene": str(number)})))
    assert_answered(page)
    assert shown(page, SCENE_KEYS)["current"] == number
    assert settings["step"] < len(picture(page)["steps"])


@pytest.fixture(scope="module")
def scene():
    checkpoint = load_checkpoint("transformer", device="cpu")

    def watch(name):
        settings: Any = next(one.settings for one in scenes_of("translate") if one.name == name)
        found = watch_translation(
            checkpoint,
            settings["text"],
            language=settings["to"],
            beams=settings["beams"],
            padding=settings["padded"],
        )
        return settings, found

    return watch


@pytest.mark.parametrize(
    ("name", "piece", "source"),
    [
        ("one-step", "▁liest", "␣reading"),
        ("word-order", "▁gelesen", "␣read"),
        ("places-changed", "▁rouge", "␣red"),
    ],
)
def test_the_step_of_a_scene_looks_at_the_word_it_translates(scene, name, piece, source):
    settings, found = scene(name)
    step = settings["step"]
    assert found.steps[step].token == piece
    cross = found.attention["cross"].patterns
    # The default head, as far as the model has so many layers.
    row = cross[min(settings["layer"], len(cross) - 1), settings["head"], step]
    assert found.source.pieces[int(row.argmax())] == source
    assert row.max() > 0.9


def test_argmax_and_four_beams_begin_otherwise(scene):
    _settings, argmax = scene("always-likeliest")
    _settings, beams = scene("several-beams")
    assert {step.rank for step in argmax.steps} == {0}
    assert beams.steps[0].rank == 1
    assert beams.found[0].score > argmax.found[0].score


def test_the_likelier_translation_is_the_wrong_one(scene):
    _settings, found = scene("beam-mistake")
    assert found.text.endswith("une pomme vert.")
