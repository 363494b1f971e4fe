"""Shifted targets, and the loss of a text about another one."""

from typing import cast

import torch

from core.models.architectures.t5 import t5_config
from core.models.encoder_decoder import EncoderDecoder
from core.models.registry import build
from core.objectives.losses import IGNORED
from core.objectives.text_to_text import TextToText, TextToTextBatch, teacher_forced


class Fixed(TextToText):
    """One batch, again and again."""

    name = "fixed"

    def __init__(self, batch: TextToTextBatch) -> None:
        self.one = batch

    def batch(self, step: int) -> TextToTextBatch:
        return self.one

    def shapes(self) -> list[TextToTextBatch]:
        return [self.one]


def test_each_token_is_said_after_those_before_it() -> None:
    targets = torch.tensor([[7, 8, 1, 0], [9, 1, 0, 0]])
    inputs, labels = teacher_forced(targets, torch.tensor([3, 2]), start_id=5, padding_id=0)
    assert inputs.tolist() == [[5, 7, 8, 1], [5, 9, 1, 0]]
    assert labels.tolist() == [[7, 8, 1, IGNORED], [9, 1, IGNORED, IGNORED]]


def test_padding_that_looks_like_a_token_is_still_ignored() -> None:
    # Marian starts with its padding token, and 0 may be an ordinary token elsewhere.
    targets = torch.tensor([[0, 0, 1, 0]])
    _, labels = teacher_forced(targets, torch.tensor([3]), start_id=0, padding_id=0)
    assert labels.tolist() == [[0, 0, 1, IGNORED]]


def test_padding_of_either_side_changes_no_loss() -> None:
    torch.manual_seed(0)
    config = t5_config(vocabulary=30, layers=1, heads=2, head_size=4, width=8, feed_forward=16)
    model = cast(EncoderDecoder, build(config)).eval()
    source, targets = torch.randint(2, 30, (2, 6)), torch.randint(2, 30, (2, 5))
    keep = torch.arange(6) < torch.tensor([[6], [4]])
    inputs, labels = teacher_forced(targets, torch.tensor([5, 3]), start_id=0, padding_id=0)
    batch = TextToTextBatch(source, keep, inputs, labels)
    found = Fixed(batch).terms(model, batch)["target"]
    assert found.counted.item() == 8 == Fixed(batch).counts(batch)["target"].item()
    alone = 0.0
    for row, (size, length) in enumerate(((6, 5), (4, 3))):
        logits = model(source[row : row + 1, :size], inputs[row : row + 1, :length]).logits
        likely = logits[0].log_softmax(-1).gather(1, targets[row, :length, None])
        alone -= likely.sum().item()
    torch.testing.assert_close(found.total, torch.tensor(alone), rtol=1e-5, atol=1e-4)
