"""One side of a comparison, and the words of two sides."""

import numpy as np
import pytest

from core.errors import MissingHeadError
from core.tasks import NoSuchHeadError, NotOneStackError, NotReadError, attend, fill_mask
from core.tasks.compare_guesses import compare_guesses
from core.tasks.fill_mask import Prediction
from core.tasks.read_side import Guess, SideReading, read_side

TEXT = "The cat sat on the mat."


def test_without_changes_it_is_what_attend_records(tiny_checkpoint, gpt, xlnet, t5):
    for checkpoint in (tiny_checkpoint, gpt, xlnet, t5):
        found, expected = read_side(checkpoint, TEXT).attention, attend(checkpoint, TEXT)
        assert [one.name for one in found.maps] == [one.name for one in expected.maps]
        for one, other in zip(found.maps, expected.maps, strict=True):
            np.testing.assert_allclose(one.patterns, other.patterns, atol=1e-6)
            np.testing.assert_array_equal(one.masked, other.masked)


def test_hidden_words_and_heads_that_are_off_are_those_of_fill_mask(tiny_checkpoint):
    off = ((0, 1), (1, 2))
    found = read_side(tiny_checkpoint, TEXT, mask_words=(1,), off=off)
    expected = fill_mask(tiny_checkpoint, TEXT, mask_words=[1], off=off, top=100, patterns=True)
    np.testing.assert_array_equal(found.attention.patterns, expected.patterns)
    assert [one.predictions for one in found.guesses] == [one.predictions for one in expected.masks]
    assert {one.word for one in found.guesses} == {1}
    whole = read_side(tiny_checkpoint, TEXT, mask_words=[1]).attention.patterns
    # The first layer has not heard of it yet.
    np.testing.assert_array_equal(found.attention.patterns[0], whole[0])
    assert not np.array_equal(found.attention.patterns[1], whole[1])


def test_a_model_that_continues_expects_the_next_piece(gpt):
    found = read_side(gpt, TEXT)
    assert [(one.position, one.word) for one in found.guesses] == [
        (len(found.attention.encoding) - 1, None)
    ]
    shares = [share for _, share in found.guesses[0].predictions]
    assert shares == sorted(shares, reverse=True)
    assert 0 < sum(shares) <= 1 + 1e-6
    assert read_side(gpt, TEXT, off=[(0, 0)]).guesses != found.guesses


def test_an_encoder_decoder_writes_the_language_that_is_asked_for(transformer):
    for language in ("de", "fr"):
        found = read_side(transformer, TEXT, language=language).attention
        expected = attend(transformer, TEXT, language=language)
        assert found.encoding == expected.encoding
        assert found.target == expected.target
        assert found.encoding.tokens[0] == f">>{language}<<"


def test_what_a_model_cannot_do_is_refused(gpt, t5, xlnet, tiny_checkpoint):
    with pytest.raises(MissingHeadError):
        read_side(gpt, TEXT, mask_words=[1])
    with pytest.raises(NotOneStackError):
        read_side(t5, TEXT, off=[(0, 0)])
    with pytest.raises(NotReadError):
        read_side(tiny_checkpoint, TEXT, language="de")
    with pytest.raises(NoSuchHeadError):
        read_side(tiny_checkpoint, TEXT, off=[(99, 0)])
    assert read_side(xlnet, TEXT).guesses == ()
    assert read_side(tiny_checkpoint, TEXT).guesses == ()


def side(attention, marks_spaces, **predictions):
    pieces = tuple(Prediction(piece, share) for piece, share in predictions.items())
    return SideReading(attention, (Guess(0, 0, pieces),), False, marks_spaces)


@pytest.fixture
def attention(tiny_checkpoint):
    return attend(tiny_checkpoint, TEXT)


def test_words_of_one_vocabulary_are_matched_as_they_are(attention):
    left = side(attention, False, he=0.6, she=0.3, it=0.1)
    right = side(attention, False, she=0.7, they=0.2, he=0.05)
    found = compare_guesses(
        left, left.guesses[0], right, right.guesses[0], same_vocabulary=True, top=2
    )
    assert [one.word for one in found] == ["she", "he", "they"]
    assert found[0].change == pytest.approx(0.4)
    assert found[1].change == pytest.approx(-0.55)
    # Not among those listed on the left: less than the least of them.
    assert (found[2].left, found[2].left_listed, found[2].change) == (0.1, False, None)


def test_words_of_two_vocabularies_are_matched_as_they_are_read(attention):
    left = side(attention, False, **{"he": 0.6, "##s": 0.3, ".": 0.1})
    right = side(attention, True, **{"▁He": 0.4, "▁he": 0.3, "s": 0.2, ".": 0.1})
    found = compare_guesses(left, left.guesses[0], right, right.guesses[0], same_vocabulary=False)
    assert {one.word: pytest.approx((one.left, one.right)) for one in found} == {
        "he": (0.6, 0.7),
        "##s": (0.3, 0.2),
        ".": (0.1, 0.1),
    }
