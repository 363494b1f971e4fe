"""The comparison that a reader can start from the page."""

from dataclasses import replace

import pytest
import torch

from core.checkpoints import load_checkpoint
from core.checkpoints.policy import LoadPolicy
from core.engine import WorkerEngine, call
from core.errors import SequenceTooLongError
from core.parity import sentence
from core.parity.sentence import compare_sentence
from core.tokenisation import EmptyTextError

pytestmark = pytest.mark.parity

TEXT = "The cat sat on the mat."


@pytest.fixture(autouse=True)
def forget_reference():
    sentence._reference.cache_clear()


def test_both_sides_agree(tiny_checkpoint):
    found = compare_sentence(tiny_checkpoint, TEXT)
    assert found.tokens == len(tiny_checkpoint.tokenizer.encode(TEXT))
    assert 0 <= found.patterns < 1e-5
    assert 0 <= found.logits < 1e-4


def test_both_sides_agree_on_a_pair(tiny_checkpoint):
    found = compare_sentence(tiny_checkpoint, TEXT, "it was tired")
    assert found.tokens == len(tiny_checkpoint.tokenizer.encode(TEXT, "it was tired"))
    assert found.tokens > len(tiny_checkpoint.tokenizer.encode(TEXT))
    assert 0 <= found.patterns < 1e-5
    assert 0 <= found.logits < 1e-4


def test_a_changed_weight_is_found(tiny_checkpoint_folder):
    """Or the two numbers would say nothing."""
    policy = LoadPolicy(roots=(tiny_checkpoint_folder.parent,))
    ours = load_checkpoint(str(tiny_checkpoint_folder), device="cpu", policy=policy)
    with torch.no_grad():
        for name, weights in ours.model.named_parameters():
            if "layers.1.attention.query" in name and name.endswith("weight"):
                weights.mul_(1.1)
    found = compare_sentence(ours, TEXT)
    assert found.patterns > 1e-3
    assert found.logits > 1e-3


def test_the_reference_is_opened_once_for_a_revision(tiny_checkpoint):
    compare_sentence(tiny_checkpoint, TEXT)
    compare_sentence(tiny_checkpoint, "the cats were sleeping")
    assert sentence._reference.cache_info().misses == 1
    compare_sentence(replace(tiny_checkpoint, revision="another"), TEXT)
    assert sentence._reference.cache_info().misses == 2


def test_an_engine_answers_the_call(tiny_checkpoint):
    engine = WorkerEngine(lambda name: tiny_checkpoint)
    try:
        found = engine.submit("somebody", call(compare_sentence, "tiny", TEXT)).result(60)
    finally:
        engine.close()
    assert found.patterns < 1e-5


@pytest.mark.parametrize(
    ("text", "error"), [(" ", EmptyTextError), ("cat " * 400, SequenceTooLongError)]
)
def test_a_text_that_cannot_be_read_is_refused(tiny_checkpoint, text, error):
    with pytest.raises(error):
        compare_sentence(tiny_checkpoint, text)
