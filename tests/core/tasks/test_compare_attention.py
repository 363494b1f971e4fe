"""Two passes on the same rows and columns: by hand, and with real passes."""

from dataclasses import replace

import numpy as np
import pytest

from core.tasks import attend
from core.tasks.attend import AttendResult, AttentionMap
from core.tasks.compare_attention import (
    common_kinds,
    compare_attention,
    kinds_of,
    merge,
    partner_words,
    share_axis,
)
from core.tasks.errors import (
    NothingToCompareError,
    TranslationsDifferError,
    WordsDifferError,
)
from core.tokenisation import Encoding
from core.tokenisation.encoding import Word
from core.tokenisation.words import split_words

TEXT = "The cat sat on the mat."


def encoding_of(text, *pieces, special=("[CLS]",)):
    """Tokens that stand one after the other in a text; those in brackets are special."""
    spans = [Word(0, start, end) for start, end in split_words(text)]
    offsets: list[tuple[int, int]] = []
    words: list[int | None] = []
    at = 0
    for piece in pieces:
        if piece in special:
            offsets.append((0, 0))
            words.append(None)
            continue
        spelling = piece.removeprefix("##")
        start = text.index(spelling, at)
        at = start + len(spelling)
        offsets.append((start, at))
        words.append(next(n for n, span in enumerate(spans) if span.start <= start < span.end))
    count = len(pieces)
    return Encoding(
        ids=tuple(range(count)),
        tokens=pieces,
        pieces=pieces,
        offsets=tuple(offsets),
        special=tuple(word is None for word in words),
        words=tuple(words),
        segments=(0,) * count,
        cut=0,
        texts=(text,),
        spans=tuple(spans),
    )


def result_of(encoding, *heads, masked=None):
    """One layer with these maps."""
    patterns = np.array([heads], dtype=np.float32)
    unseen = np.zeros(patterns.shape[-2:], dtype=np.bool_) if masked is None else masked
    shown = AttentionMap("encoder", encoding, encoding, patterns, unseen)
    return AttendResult(encoding, (shown,), 0.0, "cpu")


def test_the_same_tokens_are_compared_cell_by_cell():
    encoding = encoding_of("a b", "[CLS]", "a", "b")
    left = result_of(encoding, [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]])
    right = result_of(encoding, [[0, 1, 0], [0.25, 0.5, 0.25], [0, 0, 1]])
    found = compare_attention(left, right)
    assert found.rows.by == "tokens"
    assert found.rows.left_labels == ("[CLS]", "a", "b")
    assert found.rows.special == (True, False, False)
    expected = np.array([[-1, 1, 0], [-0.25, 0, 0.25], [0, 0, 0]])
    np.testing.assert_allclose(found.difference((0, 0), (0, 0)), expected)
    # Of the three rows 1, 0.25 and nothing lie elsewhere.
    assert found.apart((0, 0), (0, 0)) == pytest.approx(1.25 / 3)


def test_other_pieces_are_added_up_as_keys_and_averaged_as_queries():
    left = result_of(
        encoding_of("the cats", "the", "ca", "##ts"),
        [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]],
    )
    right = result_of(
        encoding_of("the cats", "[CLS]", "the", "cats"),
        [[1, 0, 0], [0.2, 0.2, 0.6], [0, 0.5, 0.5]],
    )
    found = compare_attention(left, right)
    assert found.rows.by == "words"
    assert found.rows.left_labels == ("the", "cats") == found.rows.right_labels
    assert (found.rows.left, found.rows.right) == (((0,), (1, 2)), ((1,), (2,)))
    np.testing.assert_allclose(found.left[0, 0], [[0.5, 0.5], [0.25, 0.75]], atol=1e-6)
    # Its special token is left out, so the first row adds up to less than 1.
    np.testing.assert_allclose(found.right[0, 0], [[0.2, 0.6], [0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(
        found.difference((0, 0), (0, 0)), [[-0.3, 0.1], [0.25, -0.25]], atol=1e-6
    )


def test_words_that_one_piece_holds_together_are_one():
    left = encoding_of("so 3.5! ok", "so", "3.5", "!", "ok")
    right = encoding_of("so 3.5! ok", "so", "3", ".5!", "ok")
    axis = share_axis(left, right)
    assert axis.left_labels == ("so", "3.5!", "ok")
    assert (axis.left, axis.right) == (((0,), (1, 2), (3,)), ((0,), (1, 2), (3,)))


def test_a_vocabulary_that_holds_words_together_numbers_them_differently():
    apart = encoding_of("so ok! go", "so", "ok", "!", "go")
    together = encoding_of("so ok! go", "so", "ok!", "go")
    # As the tokenizer numbers them: what one piece holds is one word.
    together = replace(
        together, words=(0, 1, 2), spans=(Word(0, 0, 2), Word(0, 3, 6), Word(0, 7, 9))
    )
    assert share_axis(apart, together).right_labels == ("so", "ok!", "go")
    assert partner_words(apart, together, [3]) == (2,)
    assert partner_words(apart, together, [1]) == (1,)
    assert partner_words(together, apart, [1]) == (1, 2)
    assert partner_words(together, apart, []) == ()


def test_masks_are_one_word_however_they_are_written():
    left = encoding_of("a [MASK] b", "a", "[MASK]", "b")
    right = encoding_of("a <mask> b", "a", "<mask>", "b")
    axis = share_axis(left, right)
    assert (axis.by, axis.replaced) == ("words", ())
    assert (axis.left, axis.right) == (((0,), (1,), (2,)),) * 2
    assert (axis.left_labels[1], axis.right_labels[1]) == ("[MASK]", "<mask>")


def test_a_replaced_word_keeps_its_place():
    left = encoding_of("it was tired .", "it", "was", "tired", ".")
    right = encoding_of("it was wide .", "it", "was", "wide", ".")
    axis = share_axis(left, right)
    assert (axis.by, axis.replaced) == ("tokens", (2,))
    assert (axis.left_labels[2], axis.right_labels[2]) == ("tired", "wide")

    pieces = encoding_of("it was wide .", "it", "was", "wi", "##de", ".")
    axis = share_axis(left, pieces)
    assert (axis.by, axis.replaced) == ("words", (2,))
    assert axis.right == ((0,), (1,), (2, 3), (4,))


def test_case_alone_replaces_nothing():
    axis = share_axis(encoding_of("The cat", "The", "cat"), encoding_of("the cat", "the", "cat"))
    assert (axis.by, axis.replaced) == ("words", ())


@pytest.mark.parametrize(
    ("first", "second", "facts"),
    [
        ("a cat sat", "a black cat sat", (3, 4, 3, "cat", "black")),
        ("a cat", "a cat sat", (2, 3, 0, "", "sat")),
        ("a cat sat", "one dog sat", (3, 3, 2, "a", "one")),
    ],
)
def test_texts_of_other_words_are_refused_with_the_reason(first, second, facts):
    with pytest.raises(WordsDifferError) as caught:
        share_axis(encoding_of(first, *first.split()), encoding_of(second, *second.split()))
    error = caught.value
    left, right, replaced, one, other = facts
    assert (error.left, error.right, error.first, error.second) == (left, right, one, other)
    if left == right:
        assert error.replaced == replaced
        assert "of which 2 differ" in str(error)


def translation_of(source, target):
    """One layer of one head from a text to itself, and from what was written to it."""
    maps = []
    for name, query, key in (
        ("encoder", source, source),
        ("decoder", target, target),
        ("cross", target, source),
    ):
        shape = len(query), len(key)
        weights = np.full((1, 1, *shape), 1 / len(key), dtype=np.float32)
        maps.append(AttentionMap(name, query, key, weights, np.zeros(shape, dtype=np.bool_)))
    return AttendResult(source, tuple(maps), 0.0, "cpu", target=target, written=True)


def test_texts_that_models_wrote_are_refused_for_what_they_are():
    source = encoding_of("a cat", "a", "cat")
    left = translation_of(source, encoding_of("une chatte", "une", "chatte"))
    right = translation_of(source, encoding_of("un petit chat", "un", "petit", "chat"))
    for kind in ("target", "cross"):
        with pytest.raises(TranslationsDifferError) as caught:
            compare_attention(left, right, kind=kind)
        assert (caught.value.left, caught.value.right) == (2, 3)
        assert (caught.value.first, caught.value.second) == ("une", "un")
    assert compare_attention(left, right, kind="text").rows.left_labels == ("a", "cat")
    # What was typed is no translation.
    other = result_of(encoding_of("one two three", "one", "two", "three"), np.eye(3))
    with pytest.raises(WordsDifferError) as typed:
        compare_attention(left, other)
    assert not isinstance(typed.value, TranslationsDifferError)


def test_from_a_translation_to_a_text_rows_and_columns_are_different_words():
    source = encoding_of("a cat", "a", "cat")
    left = translation_of(source, encoding_of("un chat", "un", "chat"))
    right = translation_of(source, encoding_of("un chat", "un", "ch", "##at"))
    found = compare_attention(left, right, kind="cross")
    assert (found.rows.by, found.columns.by) == ("words", "words")
    assert found.rows.left_labels == ("un", "chat")
    assert found.columns.left_labels == ("a", "cat")
    np.testing.assert_allclose(found.right[0, 0], np.full((2, 2), 0.5))


def test_merging_keeps_the_sum_of_rows():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=(2, 3, 5)).astype(np.float32)
    merged = merge(weights, ((0, 1), (2,), (3, 4)), ((0,), (1, 2, 3), (4,)))
    assert merged.shape == (2, 3, 3, 3)
    np.testing.assert_allclose(merged.sum(axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(
        merged[1, 2, 0, 1], weights[1, 2, :2, 1:4].sum(axis=-1).mean(), atol=1e-6
    )


def test_a_masked_cell_of_words_is_one_of_which_nothing_is_seen():
    encoding = encoding_of("the cats", "the", "ca", "##ts")
    causal = np.triu(np.ones((3, 3), dtype=np.bool_), 1)
    left = result_of(encoding, np.tril(np.ones((3, 3))), masked=causal)
    right = result_of(encoding, np.ones((3, 3)))
    tokens = compare_attention(left, right)
    np.testing.assert_array_equal(tokens.left_masked, causal)
    words = compare_attention(left, right, by_words=True)
    # From "cats" its first piece does not see its second one, yet it sees itself.
    assert words.left_masked.tolist() == [[False, True], [False, False]]
    assert not words.right_masked.any()


def test_other_counts_of_heads_are_compared_pair_by_pair():
    encoding = encoding_of("a b", "a", "b")
    left = result_of(encoding, [[1, 0], [0, 1]], [[0, 1], [1, 0]])
    right = result_of(encoding, [[0.5, 0.5], [0, 1]])
    found = compare_attention(left, right)
    assert found.left.shape[:2] != found.right.shape[:2]
    expected = np.array([[0.5, -0.5], [-1.0, 1.0]])
    np.testing.assert_allclose(found.difference((0, 1), (0, 0)), expected)
    alone = compare_attention(left, right, heads=((0, 1), (0, 0)))
    assert alone.left.shape == (1, 1, 2, 2)
    np.testing.assert_array_equal(
        alone.difference((0, 0), (0, 0)), found.difference((0, 1), (0, 0))
    )


def test_models_are_compared_in_what_they_have_in_common(gpt, t5, transformer, xlnet):
    one, both, other = attend(gpt, TEXT), attend(t5, TEXT), attend(transformer, TEXT)
    assert tuple(kinds_of(one)) == ("text",)
    assert common_kinds(one, both) == ("text",)
    assert common_kinds(both, other) == ("text", "target", "cross")
    for left, right in ((one, both), (attend(xlnet, TEXT), one)):
        found = compare_attention(left, right)
        assert found.rows.by == "words"
        # Whatever pieces a vocabulary holds together, all of the text is there.
        assert "".join(found.rows.left_labels) == TEXT.replace(" ", "")
        assert found.rows.left_labels == found.rows.right_labels
        assert found.left.shape[2:] == found.right.shape[2:] == (len(found.rows),) * 2
    # A decoder's row of the first word has nothing after it.
    assert compare_attention(one, both).left_masked[0, 1]
    assert both.target is not None
    same = compare_attention(both, both, kind="cross")
    assert (len(same.rows), len(same.columns)) == (len(both.target), len(both.encoding))
    assert same.apart((0, 0), (0, 0)) == 0
    assert same.apart((0, 0), (1, 1)) > 0


def test_nothing_in_common_is_refused(gpt, t5):
    left = attend(gpt, TEXT)
    cross = AttendResult(
        left.encoding, (attend(t5, TEXT)["cross"],), 0.0, "cpu", target=left.encoding
    )
    with pytest.raises(NothingToCompareError):
        compare_attention(left, cross)
    with pytest.raises(NothingToCompareError):
        compare_attention(left, left, kind="cross")
