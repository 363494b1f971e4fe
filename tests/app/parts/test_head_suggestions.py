"""What the atlas offers as worth a look, in words."""

import numpy as np
import pytest

from app.parts.head_suggestions import LABELS, MOST, suggest_heads
from core.analysis.roles import NotableHead
from core.tokenisation import Encoding, Word


def encoding_of(*words):
    """A text whose words are tokens, between [CLS] and [SEP]."""
    pieces = ("[CLS]", *words, "[SEP]")
    count = len(pieces)
    return Encoding(
        ids=tuple(range(count)),
        tokens=pieces,
        pieces=pieces,
        offsets=((0, 0),) * count,
        special=(True, *[False] * len(words), True),
        words=(None, *range(len(words)), None),
        segments=(0,) * count,
        cut=0,
        texts=(" ".join(words),),
        spans=(Word(0, 0, 1),) * len(words),
    )


def looking(*targets):
    """One layer, one head a list of targets: each row looks at its target alone."""
    return np.stack([np.eye(len(columns))[list(columns)] for columns in targets])[None]


def test_labels_say_what_a_head_looks_at_in_this_text():
    encoding = encoding_of("she", "is", "green", ".")
    patterns = looking([5, 5, 1, 2, 3, 4], [0, 0, 0, 0, 0, 0], [4, 4, 4, 4, 4, 4])
    found = [
        (one.label, one.share, one.layer, one.head) for one in suggest_heads(patterns, encoding)
    ]
    assert found == [
        ("looks one token back", "1.00", 0, 0),
        ("looks at [CLS]", "1.00", 0, 1),
        ("looks at “.”", "1.00", 0, 2),
    ]


def test_several_marks_are_called_punctuation():
    patterns = looking([5, 2, 4, 2, 4, 2, 4])
    labels = [one.label for one in suggest_heads(patterns, encoding_of("a", ",", "b", ".", "c"))]
    assert labels == ["looks at punctuation"]


def test_no_more_are_offered_than_two_lines_hold(monkeypatch):
    every = [NotableHead(role, 0, 0, 0.9) for role in LABELS]
    monkeypatch.setattr("app.parts.head_suggestions.notable_heads", lambda *_: every)
    encoding = encoding_of("she", "is", "green", ".")
    assert len(suggest_heads(looking([0] * 6), encoding)) == MOST < len(LABELS)


@pytest.mark.parametrize("role", LABELS)
def test_every_role_has_words(role):
    assert LABELS[role](encoding_of("she", "is", "green", ".")).startswith("looks ")
