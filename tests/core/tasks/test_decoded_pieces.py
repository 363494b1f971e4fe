"""Texts that are cut into given pieces again, or said not to exist."""

import pytest

from core.checkpoints import Checkpoint
from core.tasks.decoded_pieces import text_with

TEXT = "The cat didn't  sit, on the mat"


def spelled(checkpoint: Checkpoint, text: str, **pieces: str) -> str | None:
    """The text with other pieces, given as `at3="cat"`."""
    tokenizer = checkpoint.tokenizer
    encoding = tokenizer.encode(text)
    ids = list(encoding.ids)
    for place, piece in pieces.items():
        ids[int(place.removeprefix("at"))] = tokenizer.id(piece)
    found = text_with(encoding, ids, tokenizer)
    assert found is None or list(tokenizer.encode(found).ids) == ids
    return found


def test_what_stays_is_written_as_it_was_typed(tiny_checkpoint: Checkpoint) -> None:
    assert spelled(tiny_checkpoint, TEXT) == TEXT
    assert spelled(tiny_checkpoint, TEXT, at2="mat") == TEXT.replace("cat", "mat")


def test_a_word_in_the_place_of_a_mark_is_set_apart(tiny_checkpoint: Checkpoint) -> None:
    text = "The cat's mat"
    encoding = tiny_checkpoint.tokenizer.encode(text)
    assert encoding.tokens[2:5] == ("cat", "'", "s")
    assert spelled(tiny_checkpoint, text, at3="mat") == "The cat mat s mat"


def test_pieces_that_no_text_is_cut_into_have_none(tiny_checkpoint: Checkpoint) -> None:
    continuation = next(
        piece for piece in tiny_checkpoint.tokenizer.inner.get_vocab() if piece.startswith("##")
    )
    assert spelled(tiny_checkpoint, "cat mat", at1=continuation) is None
    assert spelled(tiny_checkpoint, "cat mat", at1="[UNK]") in (None, "[UNK] mat")


@pytest.mark.parametrize("text", ["cat", " cat mat ", "mat\u0301 cat"])
def test_nothing_changed_is_the_text_itself(tiny_checkpoint: Checkpoint, text: str) -> None:
    assert spelled(tiny_checkpoint, text) == text
