"""Words as a person sees them."""

import pytest

from core.tokenisation.words import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  ", []),
        ("I don't, 3.5!", ["I", "don't", ",", "3.5", "!"]),
        ("'tis the dogs' ’n’", ["'", "tis", "the", "dogs", "'", "’", "n", "’"]),
        ("well-known (yes)", ["well", "-", "known", "(", "yes", ")"]),
        ("1,000.5. a.b", ["1,000.5", ".", "a", ".", "b"]),
        ("cafe\u0301 na\u0308ive", ["cafe\u0301", "na\u0308ive"]),
        ("cafe\u0301's", ["cafe\u0301's"]),
        ("\u0301a", ["a"]),
        ("l’homme", ["l’homme"]),
        ("猫坐 고양이가", ["猫", "坐", "고양이가"]),
        ("👨‍👩‍👧 ok👍🏽", ["👨‍👩‍👧", "ok", "👍🏽"]),
        ("नमस्ते", ["नमस्ते"]),
        ("می\u200cروم", ["می\u200cروم"]),
        ("a\x00b", ["a\x00b"]),
        ("...", [".", ".", "."]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[start:end] for start, end in split_words(text)] == words
