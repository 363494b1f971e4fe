"""The page about positions, run without a browser."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.positions.shuffled import EXAMPLES
from app.sections.scenes import KEY as SCENE_KEYS
from app.settings import Settings
from app.state import link_query, read_query, write_value
from core.analysis.positions import principal_components, sinusoids
from core.checkpoints import catalogue, load_checkpoint
from core.tasks.position_codes import constant_position_scores, position_table
from core.tasks.shuffle_words import shuffle_words
from tests.app.conftest import SHELL
from tests.tiny_checkpoints import write_all


@pytest.fixture
def open_positions():
    def open_at(**query):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in query.items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/positions.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def source_of(page):
    (found,) = [h.proto.body for h in page.get("html") if 'class="position-source"' in h.proto.body]
    return found


def strip_of(page):
    (found,) = [h.proto.body for h in page.get("html") if 'class="shuffle-strip"' in h.proto.body]
    return re.findall(r'class="slot[^"]*"><bdi>(.*?)</bdi>', found)


def table_of(page, shown):
    return shown(page, "position_view")["table"]["values"]


def test_the_page_opens_with_the_fifty_positions_of_the_paper(open_positions, shown):
    page = open_positions()
    assert_answered(page)
    assert page.title[0].value == "Positional encodings"
    assert table_of(page, shown) == pytest.approx(sinusoids(50, 128), abs=1e-7)
    assert source_of(page).count("By formula") == 1
    assert shown(page, SCENE_KEYS)["current"] == 0


def test_sizes_order_and_first_position_are_those_of_the_link(open_positions, shown):
    page = open_positions(positions="20", dimensions="7", start="900", halves="true")
    assert_answered(page)
    expected = sinusoids(20, 7, start=900, halves=True)
    assert table_of(page, shown) == pytest.approx(expected, abs=1e-7)
    page.number_input(key="start").set_value(0).run()
    page.toggle(key="halves").set_value(False).run()
    assert table_of(page, shown) == pytest.approx(sinusoids(20, 7), abs=1e-7)


def test_learned_rows_are_the_models_and_end(open_positions, shown):
    page = open_positions(code="learned", positions="12", start="3")
    assert_answered(page)
    bert = load_checkpoint("bert", device="cpu")
    assert np.array_equal(table_of(page, shown), position_table(bert, 12, start=3).rows)
    assert "512 rows in all" in source_of(page)
    page.number_input(key="start").set_value(501).run()
    assert not page.exception
    assert "a row for each: 0 to 511. For position 512" in page.info[0].value
    page.number_input(key="start").set_value(500).run()
    assert not page.info


def curve_of(page, shown, name):
    """The points of a figure's table ``[position, component]``, and its first column."""
    cells = shown(page, f"curve-{name}-values")["cells"]
    return np.array(cells[1:]).T, cells[0]


def test_sinusoids_and_learned_rows_stand_side_by_side_by_their_components(open_positions, shown):
    page = open_positions(positions="12", start="3")
    assert not page.get("plotly_chart")  # fetched where it is asked for
    page.toggle(key="space").set_value(True).run()
    assert_answered(page)
    rows = position_table(load_checkpoint("bert", device="cpu"), 12, start=3).rows
    waves = sinusoids(12, rows.shape[1], start=3)
    for name, table in (("learned", rows), ("made", waves)):
        points, positions = curve_of(page, shown, name)
        assert positions == list(range(3, 15))
        assert points == pytest.approx(principal_components(table).points, abs=1e-9)
    # Where the table has no row, the formula stands alone, as wide as is chosen above.
    page.number_input(key="start").set_value(505).run()
    assert_answered(page)
    expected = principal_components(sinusoids(12, Settings.dimensions, start=505))
    assert curve_of(page, shown, "made")[0] == pytest.approx(expected.points, abs=1e-9)
    assert not [one for one in page.get("plotly_chart") if "curve-learned" in one.proto.id]
    assert "it has 512" in " ".join(one.value for one in page.caption)
    # A code of distances has no row a position.
    assert not open_positions(code="t5", space="true").get("plotly_chart")


def test_rotary_is_said_to_be_a_formula_and_takes_pairs(open_positions, shown):
    page = open_positions(code="rotary", dimensions="9")
    assert_answered(page)
    assert table_of(page, shown).shape == (50, 8)
    assert "By formula, no model here has it" in source_of(page)


@pytest.mark.parametrize("code", ["t5", "xlnet", "hammer"])
def test_what_is_not_bundled_is_one_quiet_line(open_positions, shown, code, monkeypatch, tmp_path):
    (tmp_path / "bert").symlink_to(catalogue.BUNDLED_FOLDER / "bert")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    page = open_positions(code=code)
    assert_answered(page)
    assert table_of(page, shown).shape == (50, 128)
    (line,) = [one.value for one in page.caption if "as soon as these are bundled" in one.value]
    assert "T5’s bias and Transformer-XL." in line


def test_distances_of_bundled_models_are_drawn_head_by_head(
    open_positions, shown, monkeypatch, tmp_path
):
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", write_all(tmp_path))
    page = open_positions(code="t5", positions="40")
    assert_answered(page)
    picture = shown(page, "position_view")
    assert (picture["table"], picture["count"], len(picture["maps"])) == (None, 40, 4)
    assert all(one["properties"][1]["holds"] for one in picture["maps"])
    page = open_positions(code="xlnet", text="The keeper mends his boat.")
    assert_answered(page)
    picture = shown(page, "position_view")
    assert [one["name"] for one in picture["maps"]][4] == "layer 1, head 0"
    assert not [one for one in page.number_input if one.key == "positions"]
    assert not [one for one in page.caption if "bundled" in one.value]
    # RoBERTa counts its rows from the padding on, and is shuffled all the same.
    for model in ("roberta", "albert", "electra-generator"):
        page = open_positions(code="learned", model=model, text="The keeper mends his boat.")
        assert_answered(page)
        assert "permutation of itself" in " ".join(one.value for one in page.caption)


def test_a_part_of_xlnets_term_is_the_same_in_every_text(
    open_positions, shown, monkeypatch, tmp_path
):
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", write_all(tmp_path))
    page = open_positions(code="xlnet", term="any", positions="9")
    assert_answered(page)
    picture = shown(page, "position_view")
    checkpoint = load_checkpoint("xlnet", device="cpu")
    expected = constant_position_scores(checkpoint, 9).scores
    assert len(picture["maps"]) == expected.shape[0] * expected.shape[1]
    for one, scores in zip(picture["maps"], expected.reshape(-1, 9, 9), strict=True):
        assert [prop["holds"] for prop in one["properties"]][1]
        assert one["means"] == pytest.approx(scores[0])
        assert one["before"] == pytest.approx(scores[:, 0])
    page.text_input(key="text").set_value("The keeper mends his boat.").run()
    again = shown(page, "position_view")
    for one, before in zip(again["maps"], picture["maps"], strict=True):
        for name in ("means", "least", "most", "before"):
            np.testing.assert_array_equal(one[name], before[name])


def test_xlnets_waves_are_those_of_distances(open_positions, shown, monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", write_all(tmp_path))
    page = open_positions(code="xlnet", term="waves", positions="9")
    assert_answered(page)
    width = load_checkpoint("xlnet", device="cpu").config.embedding.width
    assert table_of(page, shown) == pytest.approx(sinusoids(9, width, halves=True), abs=1e-7)
    picture = shown(page, "position_view")
    assert picture["strings"]["zoom"] == "distances shown"
    assert picture["strings"]["matrixCell"].startswith("distance {position}")
    page.segmented_control(key="position-term").set_value("text").run()
    assert_answered(page)
    assert page.query_params["term"] == "text"
    assert "tokens of the sentence below" in source_of(page)
    page = open_positions(code="xlnet", term="hammer")
    assert_answered(page)
    assert "tokens of the sentence below" in source_of(page)


def test_words_are_shuffled_as_the_seed_says(open_positions):
    page = open_positions(seed="5", text="She is eating a green apple.")
    assert_answered(page)
    bert = load_checkpoint("bert", device="cpu")
    found = shuffle_words(bert, "She is eating a green apple.", mask_words=(5,), seed=5)
    assert strip_of(page) == list(found.shuffled.pieces)
    page.button(key="shuffle-again").click().run()
    again = shuffle_words(bert, "She is eating a green apple.", mask_words=(5,), seed=6)
    assert strip_of(page) == list(again.shuffled.pieces)
    page.selectbox(key="hidden-word").set_value(2).run()
    assert_answered(page)
    assert page.query_params["hide"] in ("2", ["2"])
    assert "eating" not in strip_of(page)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_shuffled(open_positions, number):
    page = open_positions()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == EXAMPLES[number].text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text yet."),
        ("word " * 200, "The text has 200 words"),
        ("word " * 600, "The text has 602 tokens"),
    ],
)
def test_a_text_that_cannot_be_shuffled_is_named_and_the_codes_stay(
    open_positions, shown, text, message
):
    page = open_positions()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert [one.value.replace("\\", "").startswith(message) for one in page.error] == [True]
    assert table_of(page, shown).shape == (50, 128)


def test_masks_and_markup_in_the_text_are_text(open_positions):
    page = open_positions(text="the <b>man</b> went to the [MASK] & left")
    assert_answered(page)
    assert {"&lt;", "&gt;", "&amp;", "[MASK]"} <= set(strip_of(page))


def test_settings_out_of_bounds_are_the_defaults(open_positions, shown):
    page = open_positions(positions="1", dimensions="99999", start="-1", halves="maybe")
    assert_answered(page)
    assert table_of(page, shown).shape == (Settings.positions, Settings.dimensions)


@pytest.mark.parametrize("number", range(1, len(scenes_of("positions")) + 1))
def test_the_link_of_a_scene_says_all_of_it(open_positions, shown, number):
    settings = scenes_of("positions")[number - 1].settings
    written = {name: write_value(value) for name, value in settings.items()}
    page = open_positions(**link_query(read_query({**written, "scene": str(number)})))
    assert_answered(page)
    assert shown(page, SCENE_KEYS)["current"] == number
    assert not page.info
