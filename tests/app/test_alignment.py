"""The page "Alignment", run without a browser."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.alignment.order import KEY as ORDER_KEY
from app.sections.alignment.scores import VECTORS
from app.sections.scenes import KEY as SCENE_KEYS
from app.sections.translate.picture import KEY
from app.settings import Settings
from app.state import link_query, read_query, write_value
from core.checkpoints import catalogue, load_checkpoint
from core.tasks.watch_translation import watch_translation
from tests.app.conftest import SHELL

BOOK = "The old man is reading a book."


@pytest.fixture
def open_alignment():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/alignment.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def markup(page):
    return " ".join(one.proto.body for one in page.get("html"))


def scores_of(page):
    """By kind, the scores at the ends of the workings."""
    cards = re.findall(r'data-kind="(\w+)">(.*?)</article>', markup(page), re.DOTALL)
    return {kind: re.findall(r"<b>(.*?)</b>", body) for kind, body in cards}


def test_the_page_opens_with_its_own_model_and_all_six_scores(open_alignment, shown):
    page = open_alignment()
    assert_answered(page)
    assert not page.info
    assert page.title[0].value == "Alignment"
    picture = shown(page, KEY)
    assert [one["title"] for one in picture["maps"]] == ["Alignment"]
    assert [one["text"] for one in picture["target"]] == picture["written"]
    assert picture["padding"] == 0
    scores = picture["scores"]
    assert scores.shape == (len(picture["target"]), len(picture["source"]))
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    (drawn,) = picture["maps"]
    assert drawn["weights"][0, 0] / 65_535 == pytest.approx(weights, abs=1e-4)
    assert scores_of(page) == {
        "content": ["0.6", "1", "−0.447"],
        "additive": ["0.023", "0.905", "−0.299"],
        "general": ["7", "1", "1"],
        "dot": ["3", "1", "−1"],
        "scaled_dot": ["2.121", "0.707", "−0.707"],
        "location": ["2", "0", "1"],
    }
    assert "eₜⱼ = v · tanh(W sₜ₋₁ + U hⱼ)" in markup(page)
    assert markup(page).count("the model’s") == 1
    assert "Tatoeba" in markup(page)


def test_vectors_are_the_readers_own(open_alignment):
    page = open_alignment(state="0 2", memory="3 4; 1 1")
    assert_answered(page)
    assert scores_of(page)["dot"] == ["8", "2"]
    # The location score's matrix has a row too many now; the others go on.
    assert "L is 3 × 2 here. These vectors need 2 × 2 numbers" in markup(page)
    page.text_input(key="weights_l").set_value("1 0; 0 1").run()
    assert scores_of(page)["location"] == ["0", "2"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("state", "one", "“one” is no number"),
        ("state", "1 0; 0 1", "s is 2 × 2 here"),
        ("memory", "1 0; 1", "The rows have different lengths: 2, 1."),
        ("memory", "1; 2; 3; 4; 5", "5 rows of 1 numbers are too many"),
        ("memory", "1 2 3", "h is 1 × 3 here"),
        ("memory", "", "“” is no number"),
    ],
)
def test_what_is_no_vector_is_named_and_the_translation_stays(
    open_alignment, shown, name, text, message
):
    page = open_alignment(text=BOOK)
    page.text_input(key=name).set_value(text).run()
    assert not page.exception
    assert page.error[0].value.replace("\\", "").startswith(message)
    assert shown(page, KEY)["texts"][-1] == "Der alte Mann liest ein Buch."


def test_a_wrong_matrix_is_named_in_its_card_alone(open_alignment):
    page = open_alignment(weights_w="1 <b>; 0 1")
    assert_answered(page)
    found = scores_of(page)
    assert (found["general"], found["additive"]) == ([], [])
    assert found["dot"] == ["3", "1", "−1"]
    assert "&lt;b&gt;" in markup(page)


def test_the_scores_can_come_first(open_alignment):
    page = open_alignment(text=BOOK)
    page.segmented_control(key=ORDER_KEY).set_value("scores").run()
    assert_answered(page)
    assert page.query_params["first"] in ("scores", ["scores"])
    order = [one.proto.body for one in page.main.get("html")]
    card = next(at for at, body in enumerate(order) if 'class="scores"' in body)
    formula = next(at for at, body in enumerate(order) if "alignment-formula" in body)
    assert card < formula


def test_an_error_of_the_translation_leaves_the_scores(open_alignment):
    page = open_alignment()
    page.text_input(key="text").set_value("").run()
    assert not page.exception
    assert page.error[0].value.startswith("There is no text yet")
    assert scores_of(page)["dot"] == ["3", "1", "−1"]


def test_without_a_model_there_is_a_way_on(open_alignment, monkeypatch, tmp_path):
    (tmp_path / "bert").symlink_to(catalogue.BUNDLED_FOLDER / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_alignment()
    assert not page.exception
    assert page.error
    assert any("Open your own" in one.label for one in page.get("page_link"))
    assert scores_of(page)["dot"] == ["3", "1", "−1"]


def test_a_transformer_is_named_and_not_shown(open_alignment):
    page = open_alignment(model="transformer", text=BOOK)
    assert_answered(page)
    assert "is no recurrent translator" in page.info[0].value.replace("\\", "")


def test_settings_of_the_vectors_are_widgets():
    assert {name: getattr(Settings, name) for name in VECTORS}["memory"] == "3 4; 1 0; -1 2"


@pytest.mark.parametrize("number", range(1, len(scenes_of("alignment")) + 1))
def test_the_link_of_a_scene_says_all_of_it(open_alignment, shown, number):
    settings = scenes_of("alignment")[number - 1].settings
    written = {name: write_value(value) for name, value in settings.items()}
    page = open_alignment(**link_query(read_query({**written, "scene": str(number)})))
    assert_answered(page)
    assert shown(page, SCENE_KEYS)["current"] == number
    assert settings["step"] < len(shown(page, KEY)["steps"])


@pytest.mark.parametrize(
    ("name", "piece", "source"),
    [
        ("one-alignment", "▁liest", "␣reading"),
        ("word-moved", "▁kaufen", "␣buy"),
        ("ending", "s", "␣car"),
    ],
)
def test_the_step_of_a_scene_looks_where_its_title_says(name, piece, source):
    settings: Any = next(one.settings for one in scenes_of("alignment") if one.name == name)
    found = watch_translation(load_checkpoint("seq2seq", device="cpu"), settings["text"])
    step = settings["step"]
    assert found.steps[step].token == piece
    row = found.attention["cross"].patterns[0, 0, step]
    assert found.source.pieces[int(row.argmax())] == source
    assert row.max() > 0.6


def test_twice_as_long_a_state_has_the_same_cosine_and_twice_the_product(open_alignment):
    longer = scores_of(open_alignment(memory="6 8; 1 0; -1 2"))
    plain = scores_of(open_alignment())
    assert longer["content"] == plain["content"]
    assert (plain["dot"][0], longer["dot"][0]) == ("3", "6")
