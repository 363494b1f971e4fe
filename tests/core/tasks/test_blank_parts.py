"""Words become blanks, and blanks words."""

import pytest

from core.tasks.blank_parts import PartKind, text_parts, with_blank, without_blank
from core.tasks.fill_spans import find_blanks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I love peanut butter and ___ sandwiches.",
        "a ___8___, b",
        "______ and ___12___",
        "a ___*___ b ___* c",
        "__ no blank _ here",
        "it's well-known: 3.5 % of “naïve” words",
        "  two   spaces ",
        "\ud800 lone",
    ],
)
def test_nothing_of_a_text_is_left_out(text):
    parts = text_parts(text)
    assert "".join(one.text for one in parts) == text
    assert [text[one.start : one.end] for one in parts] == [one.text for one in parts]


def test_blanks_are_those_that_are_filled():
    text = "a ___8___, b ___ c ____4____d ___*___"
    blanks = [one for one in text_parts(text) if one.kind is PartKind.BLANK]
    assert tuple(one.words for one in blanks) == find_blanks(text).sizes == (8, 1, 4, None)


def test_words_keep_their_apostrophes_and_give_up_their_punctuation():
    words = [one.text for one in text_parts("It's a well-known word.") if one.kind is PartKind.WORD]
    assert words == ["It's", "a", "well-known", "word"]


def test_a_word_becomes_a_blank_and_comes_back():
    text = "I love peanut butter."
    (part,) = [one for one in text_parts(text) if one.text == "peanut"]
    one, eight = with_blank(text, part, 1), with_blank(text, part, 8)
    assert (one, eight) == ("I love ___ butter.", "I love ___8___ butter.")
    (blank,) = [one for one in text_parts(eight) if one.kind is PartKind.BLANK]
    assert with_blank(eight, blank, 2) == "I love ___2___ butter."
    assert with_blank(eight, blank, None) == "I love ___*___ butter."
    assert without_blank(eight, blank, "peanut") == text
    assert without_blank(eight, blank, "") == "I love butter."


def test_blanks_side_by_side_stay_two():
    text = "___ 12"
    word = text_parts(text)[-1]
    assert find_blanks(with_blank(text, word, 3)).sizes == (1, 3)
    glued = "___x"
    assert find_blanks(with_blank(glued, text_parts(glued)[-1], 2)).sizes == (1, 2)
    glued = "x___"
    assert find_blanks(with_blank(glued, text_parts(glued)[0], 2)).sizes == (2, 1)
