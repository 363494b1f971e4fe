"""What comes next, and how far each token was expected."""

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.engine import call
from core.errors import MissingHeadError
from core.tasks import NoSuchTokenError, continue_text
from core.tasks.next_word import decode_vocabulary, next_word
from core.tokenisation import EmptyTextError

TEXT = "The cat sat on the mat"


def test_scores_are_sorted_and_those_of_the_model(tiny_gpt: Checkpoint) -> None:
    found = next_word(tiny_gpt, TEXT)
    ids = torch.tensor([found.encoding.ids])
    with torch.inference_mode():
        logits = tiny_gpt.model(ids).logits[0].float()
    assert sorted(found.ids.tolist()) == list(range(logits.shape[-1]))
    np.testing.assert_allclose(found.scores, logits[-1].numpy()[found.ids], atol=1e-5)
    assert (np.diff(found.scores) <= 0).all()
    assert (found.position, found.rank) == (len(found.encoding), None)
    likeliest = continue_text(tiny_gpt, TEXT, most=1).step.chosen[0]
    assert found.ids[0] == likeliest
    expected = -logits[:-1].log_softmax(-1)[range(ids.shape[1] - 1), ids[0, 1:]]
    assert np.isnan(found.surprises[0])
    np.testing.assert_allclose(found.surprises[1:], expected.numpy(), atol=1e-5)


def test_a_position_within_the_text_does_not_know_what_follows(tiny_gpt: Checkpoint) -> None:
    whole = next_word(tiny_gpt, TEXT, 3)
    other = next_word(tiny_gpt, "The cat sat" + ". " * 4, 3)
    assert whole.encoding.ids[:3] == other.encoding.ids[:3]
    np.testing.assert_allclose(whole.scores, other.scores, atol=1e-4)
    assert whole.rank is not None
    assert whole.ids[whole.rank] == whole.encoding.ids[3]
    share = torch.tensor(whole.scores).softmax(-1)[whole.rank]
    assert whole.surprises[3] == pytest.approx(-float(share.log()), abs=1e-4)


def test_pieces_say_what_they_add_to_a_text(tiny_gpt: Checkpoint) -> None:
    decoded = decode_vocabulary(tiny_gpt)
    found = next_word(tiny_gpt, TEXT)
    assert len(decoded.pieces) == len(decoded.texts) == len(found.ids)
    inner = tiny_gpt.tokenizer.inner
    before = inner.decode(list(found.encoding.ids))
    checked = 0
    for number, text in enumerate(decoded.texts):
        if text:
            assert inner.decode([*found.encoding.ids, number]) == before + text
            checked += 1
    assert checked > len(decoded.texts) // 3
    alone = tiny_gpt.tokenizer.id("Ã")  # the first byte of two
    assert decoded.texts[alone] == ""
    end = tiny_gpt.tokenizer.id("<|endoftext|>")
    assert decoded.texts[end] == ""
    assert decoded.pieces[end] == "<|endoftext|>"


def test_what_cannot_be_asked(tiny_gpt: Checkpoint, tiny_transformer: Checkpoint) -> None:
    tokens = len(next_word(tiny_gpt, TEXT).encoding)
    for position in (0, -1, tokens + 1):
        with pytest.raises(NoSuchTokenError):
            next_word(tiny_gpt, TEXT, position)
    with pytest.raises(EmptyTextError):
        next_word(tiny_gpt, " ")
    for asked in (call(next_word, "tiny", TEXT), call(decode_vocabulary, "tiny")):
        with pytest.raises(MissingHeadError):
            asked.run(tiny_transformer)
