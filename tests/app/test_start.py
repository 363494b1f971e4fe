"""The first page, run without a browser."""

import pytest

from app.sections.start.sentence import EXAMPLES
from app.settings import Settings
from app.state import link_query


def hidden_words(guess):
    return [part["word"] for part in guess["sentence"] if part["mask"]]


def sentence_of(guess):
    return "".join(part["mask"] or part["text"] for part in guess["sentence"])


def facts_of(page):
    return " ".join(html.proto.body for html in page.get("html") if "fact" in html.proto.body)


def messages(page):
    return [error.value.replace("\\", "") for error in page.error]


def assert_answered(page):
    assert not page.exception
    assert not page.error


def test_the_first_page_answers_before_anything_is_typed(open_page, shown):
    page = open_page()
    assert_answered(page)
    assert page.title[0].value == "See a transformer think"
    assert page.text_input(key="text").value == Settings.text
    assert "6 layers × 12 heads" in facts_of(page)
    assert ">16 tokens · " in facts_of(page)
    (drawn,) = shown(page, "canvas")["sets"]
    assert drawn["scales"].shape == (6, 12, 16)
    guess = shown(page, "word_guess")
    assert sentence_of(guess) == Settings.text.replace("tired", "[MASK]")
    assert len(guess["guesses"]) == 1
    assert len(guess["guesses"][0]["candidates"]) == 5


def test_a_text_of_ones_own_is_answered(open_page, shown):
    page = open_page()
    before = shown(page, "canvas")["sets"][0]["identity"]
    page.text_input(key="text").set_value("The cat sat.").run()
    assert_answered(page)
    assert ">6 tokens · " in facts_of(page)
    assert shown(page, "canvas")["sets"][0]["identity"] != before
    assert sentence_of(shown(page, "word_guess")) == "The cat [MASK]."


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_answered(open_page, shown, number):
    page = open_page()
    page.button(key=f"example-{number}").click().run()
    assert_answered(page)
    assert page.text_input(key="text").value == EXAMPLES[number].text
    assert shown(page, "word_guess")["guesses"]


@pytest.mark.parametrize(
    ("hide", "words"), [("0", [0]), ("4", [4]), ("4.1", [1, 4]), ("4.4.99", [4])]
)
def test_the_address_says_which_words_are_hidden(open_page, shown, hide, words):
    guess = shown(open_page({"hide": hide}), "word_guess")
    assert hidden_words(guess) == words


@pytest.mark.parametrize("hide", ["9999", "-3", "two", ""])
def test_a_word_that_does_not_exist_is_the_last_one(open_page, shown, hide):
    page = open_page({"hide": hide})
    assert_answered(page)
    assert sentence_of(shown(page, "word_guess")).endswith("too [MASK].")


def test_another_text_forgets_the_hidden_word(open_page, shown):
    page = open_page({"hide": "0"})
    page.text_input(key="text").set_value("The cat sat.").run()
    assert hidden_words(shown(page, "word_guess")) == [2]
    page.run()
    assert hidden_words(shown(page, "word_guess")) == [2]


def test_typed_masks_are_the_hidden_words(open_page, shown):
    page = open_page()
    text = "the man went to the [MASK] to buy a [MASK] of milk"
    page.text_input(key="text").set_value(text).run()
    guess = shown(page, "word_guess")
    assert sentence_of(guess) == text
    assert hidden_words(guess) == [5, 9]
    assert [one["label"] for one in guess["guesses"]] == ["Mask 1 of 2", "Mask 2 of 2"]


def test_a_word_of_several_pieces_becomes_as_many_masks(open_page, shown):
    page = open_page({"hide": "5"})
    page.text_input(key="text").set_value("i have a funny story about dinosours").run()
    guess = shown(page, "word_guess")
    pieces = len(guess["guesses"])
    assert pieces > 1
    assert hidden_words(guess) == [6]
    assert sentence_of(guess) == "i have a funny story about " + " ".join(["[MASK]"] * pieces)


def test_a_sentence_without_letters_hides_its_last_sign(open_page, shown):
    page = open_page()
    page.text_input(key="text").set_value("?!").run()
    assert_answered(page)
    assert sentence_of(shown(page, "word_guess")) == "?[MASK]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no text yet. Type a sentence."),
        ("  \t ", "There is no text yet. Type a sentence."),
        ("\x00\x01\u200b", "There is no text yet. Type a sentence."),
        (
            "word " * 600,
            "The text has 602 tokens, but this model reads at most 512. Shorten the text.",
        ),
        (
            "x" * 100_000,
            "The text has 100000 characters, but at most 20000 are read. Shorten the text.",
        ),
    ],
)
def test_a_text_that_cannot_be_read_is_named_and_kept(open_page, shown, text, message):
    page = open_page()
    page.text_input(key="text").set_value(text).run()
    assert not page.exception
    assert messages(page) == [message]
    assert page.text_input(key="text").value == text
    page.text_input(key="text").set_value("The cat sat.").run()
    assert_answered(page)


@pytest.mark.parametrize(
    "text",
    [
        "</script><img src=x onerror=window.hacked=1>",
        "I ❤️ cafe\u0301 👩‍👩‍👧‍👦 z̷a̸l̵g̶o",
        "مرحبا بالعالم and שלום עולם",
        "你好 ∀x∈ℝ",
        "a\x00b\x1b[31m c",
        " ".join(["[MASK]"] * 300),
        "[CLS] [SEP] [PAD] [UNK]",
        "**bold** $x^2$ :red[x] [link](http://example.org)",
        "x" * 5_000,
    ],
)
def test_any_other_text_is_answered_as_it_was_typed(open_page, shown, text):
    page = open_page()
    page.text_input(key="text").set_value(text).run()
    assert_answered(page)
    guess = shown(page, "word_guess")
    assert "".join(part["text"] for part in guess["sentence"]) == text
    assert guess["guesses"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nope", "There is no model called “nope”. These come with Headlight: albert, bert"),
        ("../..", "“../..” may not be opened here. Headlight opens its own models,"),
        ("/etc", "“/etc” may not be opened here. Headlight opens its own models,"),
        ("</script><img src=x>", "“</script><img src=x>” may not be opened here."),
        ("owner/name", "“owner/name” may not be opened here."),
        ("", "There is no model called “”. These come with Headlight: albert, bert"),
    ],
)
def test_a_model_that_cannot_be_opened_is_named_and_there_is_a_way_back(open_page, name, message):
    page = open_page({"model": name, "text": "The cat sat."})
    assert not page.exception
    assert [one.startswith(message) for one in messages(page)] == [True]
    page.button(key="default-model").click().run()
    assert_answered(page)
    assert "model" not in page.query_params


def test_a_text_that_cannot_be_read_offers_no_other_model(open_page):
    page = open_page()
    page.text_input(key="text").set_value("").run()
    assert "default-model" not in [button.key for button in page.button]


def test_a_model_of_ones_own_is_used(open_page, shown, tiny_checkpoint_folder, monkeypatch):
    monkeypatch.setenv("HEADLIGHT_MODELS", str(tiny_checkpoint_folder.parent))
    page = open_page({"model": tiny_checkpoint_folder.name})
    assert_answered(page)
    assert "<b>tiny</b> · 3 layers × 4 heads" in facts_of(page)


def test_the_copied_link_holds_what_the_page_shows(open_page, shown):
    page = open_page({"hide": "0"})
    page.text_input(key="text").set_value("The cat sat.").run()
    link = shown(page, "copy_link")
    assert link["version"] == "1"
    wanted = link_query(Settings(text="The cat sat.", token=1))
    assert {"v": "1", **link["settings"]} == wanted
    assert (wanted["hide"], wanted["token"], wanted["specials"]) == ("", "1", "true")


def test_the_picture_can_be_checked(open_page):
    page = open_page()
    page.button(key="check").click().run()
    assert_answered(page)
    assert any("Largest difference from Hugging Face" in caption.value for caption in page.caption)
