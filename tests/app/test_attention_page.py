"""The page with every head, run without a browser."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.scenes import scenes_of
from app.sections.attention.sentence import EXAMPLES
from app.sections.scenes import KEY as SCENE_KEYS
from app.settings import Settings
from app.state import link_query, read_query, write_value
from tests.app.conftest import SHELL


@pytest.fixture
def open_attention():
    def open_at(query=None):
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in (query or {}).items():
            page.query_params[name] = value
        return page.run().switch_page("../pages/attention.py").run()

    return open_at


def assert_answered(page):
    assert not page.exception
    assert not page.error


def facts_of(page):
    return " ".join(html.proto.body for html in page.get("html") if "fact" in html.proto.body)


def test_the_page_answers_before_anything_is_typed(open_attention, shown):
    page = open_attention()
    assert_answered(page)
    assert page.title[0].value == "Attention heads"
    assert page.text_input(key="text").value == Settings.text
    assert page.text_input(key="pair").value == ""
    assert "6 layers × 12 heads" in facts_of(page)
    assert ">16 tokens · " in facts_of(page)
    assert "every token sees every token; no padding" in facts_of(page)
    (drawn,) = shown(page, "explorer")["sets"]
    assert drawn["scales"].shape == (6, 12, 16)
    assert shown(page, "attention-channel")["channel"] == "attention-channel"
    assert shown(page, SCENE_KEYS)["current"] == 0


def test_special_tokens_that_were_read_as_plain_text_are_named(open_attention):
    page = open_attention()
    assert "plain text" not in facts_of(page)
    page.text_input(key="text").set_value("my dog [SEP] is <b>").run()
    assert "[SEP] is read as plain text" in facts_of(page)
    page.text_input(key="pair").set_value("[PAD] he [SEP]").run()
    assert "[SEP], [PAD] are read as plain text" in facts_of(page)


def test_a_second_sentence_is_read_too(open_attention, shown):
    page = open_attention()
    before = shown(page, "explorer")["sets"][0]["identity"]
    page.text_input(key="text").set_value("my dog is cute").run()
    page.text_input(key="pair").set_value("he likes playing").run()
    assert_answered(page)
    assert ">11 tokens · " in facts_of(page)
    assert shown(page, "explorer")["sets"][0]["identity"] != before


@pytest.mark.parametrize("pair", [" ", "\t"])
def test_a_blank_second_sentence_is_none(open_attention, pair):
    page = open_attention()
    page.text_input(key="pair").set_value(pair).run()
    assert_answered(page)
    assert ">16 tokens · " in facts_of(page)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_attention, number):
    page = open_attention({"pair": "Something else."})
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == EXAMPLES[number].text
    assert page.text_input(key="pair").value == EXAMPLES[number].pair


@pytest.mark.parametrize(
    ("text", "pair", "message"),
    [
        ("", "", "There is no text yet. Type a sentence."),
        ("word " * 600, "", "The text has 602 tokens, but this model reads at most 512. Shorten"),
        ("word " * 300, "word " * 300, "The text has 603 tokens, but this model reads"),
    ],
)
def test_texts_that_cannot_be_read_are_named_and_kept(open_attention, text, pair, message):
    page = open_attention()
    page.text_input(key="pair").set_value(pair)
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert [one.value.replace("\\", "").startswith(message) for one in page.error] == [True]
    assert page.text_input(key="text").value == text


def test_as_many_tokens_as_the_model_reads_are_drawn(open_attention, shown):
    page = open_attention()
    page.text_input(key="text").set_value("word " * 510).run()
    assert_answered(page)
    assert ">512 tokens · " in facts_of(page)
    assert len(shown(page, "explorer")) < 5_000_000


@pytest.mark.parametrize("tool", ["heads", "model"])
def test_bertviz_draws_where_the_address_says_so(open_attention, tool):
    page = open_attention({"tool": tool})
    assert_answered(page)
    keys = [one.proto.id for one in page.get("bidi_component")]
    assert not [key for key in keys if key.endswith("-explorer")]
    assert any("BertViz" in one.value for one in page.caption)


def test_a_tool_that_does_not_exist_is_ours(open_attention, shown):
    page = open_attention({"tool": "hammer"})
    assert_answered(page)
    assert shown(page, "explorer")["sets"]


def test_another_tool_is_chosen_and_left_again(open_attention, shown):
    page = open_attention()
    control: Any = page.segmented_control(key="attention-tool")
    control.set_value("heads").run()
    assert_answered(page)
    assert page.query_params["tool"] == "heads"
    control.set_value("").run()
    assert shown(page, "explorer")["sets"]


@pytest.mark.parametrize("number", range(1, len(scenes_of("attention")) + 1))
def test_the_link_of_a_scene_says_all_of_it(open_attention, shown, number):
    settings = scenes_of("attention")[number - 1].settings
    written = {name: write_value(value) for name, value in settings.items()}
    query = link_query(read_query({**written, "scene": str(number)}))
    page = open_attention(query)
    assert_answered(page)
    assert shown(page, SCENE_KEYS)["current"] == number
    assert page.text_input(key="text").value == settings["text"]
    # A model of two sides has its target where the others have a second sentence.
    second = "target" if settings["model"] in ("transformer", "t5") else "pair"
    assert page.text_input(key=second).value == settings[second]


def test_the_copied_link_starts_where_the_canvas_does(open_attention, shown):
    page = open_attention({"scene": "2"})
    page.text_input(key="text").set_value("The cat sat.").run()
    link = shown(page, "copy_link")["settings"]
    assert {"v": "1", **link} == link_query(Settings(text="The cat sat.", token=1, scene="2"))


def test_a_pair_can_be_checked(open_attention):
    page = open_attention({"text": "my dog is cute", "pair": "he likes playing"})
    page.button(key="check").click().run()
    assert_answered(page)
    assert any("on these 11 tokens" in caption.value for caption in page.caption)


def test_the_numbers_can_be_had_as_a_file(open_attention):
    page = open_attention({"text": "The cat sat."})
    (button,) = page.get("download_button")
    proto: Any = button.proto
    assert "Numbers (.npz)" in proto.label
