"""Shuffled words come back in order when the model knows what stands where."""

from dataclasses import replace

import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import Head
from core.errors import MissingHeadError
from core.models.architectures.bert import Bert
from core.models.body import Inputs, Reading
from core.models.registry import build
from core.tasks import TooManyWordsError, TopOutOfRangeError, restore_order
from core.tasks.restore_order import MOST_WORDS
from core.tokenisation import EmptyTextError, Tokenizer

RIGHT = "The cat sat on the mat; it was open."


class Knows(Bert):
    """Expects the pieces of one text at their positions, whatever it reads."""

    expected: tuple[int, ...] = ()

    def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
        ids = inputs.ids
        logits = torch.zeros(*ids.shape, self.config.embedding.vocabulary)
        for position, piece in enumerate(self.expected[: ids.shape[1]]):
            logits[0, position, piece] = 5.0
        assert self.masked_language is not None
        return Reading(self.encode(ids, inputs.segments), self.masked_language.logits(logits))


def knowing(checkpoint: Checkpoint, text: str) -> Checkpoint:
    model = build(checkpoint.config).eval()
    model.__class__ = Knows
    model.expected = checkpoint.tokenizer.encode(text).ids  # type: ignore[assignment]
    return replace(checkpoint, model=model)


@pytest.mark.parametrize(
    "given",
    [
        "The cat sat on the mat; it was open.",
        "The the on cat mat sat; was open it.",
        "open. was it; the on sat cat The mat",
        ". ; open was it mat The the cat on sat",
    ],
)
def test_every_word_goes_where_it_is_expected(tiny_checkpoint: Checkpoint, given: str) -> None:
    found = restore_order(knowing(tiny_checkpoint, RIGHT), given)
    assert found.settled
    assert found.restored.replace(" ;", ";").replace(" .", ".").lower() == RIGHT.lower()
    assert sorted(found.orders[-1]) == list(range(len(found.encoding.spans)))
    assert len(found.orders) <= 2


def test_a_text_in_order_stays_as_it_is_typed(tiny_checkpoint: Checkpoint) -> None:
    typed = "  The  cat sat (on the mat); it was well-open."
    found = restore_order(knowing(tiny_checkpoint, typed), typed)
    assert found.restored == typed.strip()
    assert found.orders == (tuple(range(len(found.encoding.spans))),)
    assert found.settled


def test_tokens_tell_what_the_model_reads_in_the_text_as_given(tiny_checkpoint: Checkpoint) -> None:
    checkpoint = knowing(tiny_checkpoint, "The cat sat.")
    found = restore_order(checkpoint, "sat The cat.", top=2)
    assert [one.token for one in found.tokens] == ["sat", "the", "cat", "."]
    assert [one.position for one in found.tokens] == [1, 2, 3, 4]
    read = [one.predictions[0].token for one in found.tokens]
    assert read == ["the", "cat", "sat", "."]
    assert all(len(one.predictions) == 2 for one in found.tokens)
    assert found.restored == "The cat sat."


def test_words_of_several_pieces_move_as_one(tiny_checkpoint: Checkpoint) -> None:
    right = "The sleeping cat crossed the street."
    pieces = tiny_checkpoint.tokenizer.encode(right)
    assert max(len(pieces.tokens_of(word)) for word in range(len(pieces.spans))) > 1
    found = restore_order(knowing(tiny_checkpoint, right), "The cat sleeping crossed the street.")
    assert found.restored == right


def test_spaces_go_where_they_are_needed(tiny_checkpoint: Checkpoint) -> None:
    checkpoint = knowing(tiny_checkpoint, "open (the cat) sat-on mat")
    found = restore_order(checkpoint, "(the mat) open sat-on cat")
    assert found.restored == "open (the cat) sat-on mat"


def test_rounds_end_where_an_order_comes_back(tiny_checkpoint: Checkpoint) -> None:
    class Undecided(Knows):
        """Wants what it reads the other way round."""

        def read(self, inputs: Inputs, *, predict: bool = True) -> Reading:
            self.expected = (0, *reversed(inputs.ids[0, 1:-1].tolist()), 0)
            return super().read(inputs, predict=predict)

    checkpoint = knowing(tiny_checkpoint, "x")
    checkpoint.model.__class__ = Undecided
    found = restore_order(checkpoint, "the cat sat on")
    assert not found.settled
    assert found.orders == ((3, 2, 1, 0), (0, 1, 2, 3))
    assert found.restored == "the cat sat on"
    assert len(restore_order(checkpoint, "the cat sat on", rounds=1).orders) == 1


def test_what_cannot_be_put_in_order(tiny_checkpoint: Checkpoint, word_pieces: Tokenizer) -> None:
    long = " ".join(["cat"] * MOST_WORDS)
    assert restore_order(tiny_checkpoint, long).restored == long
    with pytest.raises(TooManyWordsError, match="65 words and punctuation marks; at most 64"):
        restore_order(tiny_checkpoint, f"{long}.")
    with pytest.raises(TopOutOfRangeError):
        restore_order(tiny_checkpoint, "the cat", top=0)
    with pytest.raises(EmptyTextError):
        restore_order(tiny_checkpoint, " ")
    config = replace(tiny_checkpoint.config, heads=(Head.NEXT_SENTENCE,))
    with pytest.raises(MissingHeadError):
        restore_order(replace(tiny_checkpoint, config=config), "the cat")
