"""Packed documents and the next token."""

from typing import cast

import pytest
import torch

from core.models.architectures.gpt import gpt_config
from core.models.decoder import DecoderBody
from core.models.registry import build
from core.objectives.causal_lm import CausalPretraining, pack_documents
from core.training.corpora import CorpusError, TokenCorpus

END = 99


def corpus() -> TokenCorpus:
    """Documents of 3, 1 and 4 tokens."""
    tokens = torch.tensor([10, 11, 12, 20, 30, 31, 32, 33], dtype=torch.int32)
    return TokenCorpus(tokens, torch.tensor([0, 3, 4, 6, 8]), torch.tensor([0, 3, 4, 8]))


def objective(length: int = 4, seed: int = 0) -> CausalPretraining:
    generator = torch.Generator().manual_seed(seed)
    return CausalPretraining(
        pack_documents(corpus(), END), generator, tokens=2000 * length, length=length
    )


def test_an_end_follows_every_document() -> None:
    packed = pack_documents(corpus(), END)
    assert packed.tolist() == [10, 11, 12, END, 20, END, 30, 31, 32, 33, END]
    assert packed.dtype == torch.int32


def test_labels_are_the_inputs_one_token_on_over_the_ends_of_documents() -> None:
    batch = objective().batch(0)
    packed = pack_documents(corpus(), END).tolist()
    windows = {tuple(packed[start : start + 5]) for start in range(7)}
    found = {
        (*inputs, labels[-1])
        for inputs, labels in zip(batch.inputs.tolist(), batch.labels.tolist(), strict=True)
    }
    assert found == windows, "every stretch comes, and no other"
    assert torch.equal(batch.inputs[:, 1:], batch.labels[:, :-1])


def test_every_stretch_is_equally_likely() -> None:
    starts = objective().batch(0).inputs[:, 0]
    packed = pack_documents(corpus(), END)
    once = [int(token) for token in packed[:7] if token != END]
    shares = torch.stack([(starts == token).float().mean() for token in once])
    assert shares.tolist() == pytest.approx([1 / 7] * len(once), abs=0.03)


def test_the_loss_is_the_mean_over_all_next_tokens() -> None:
    torch.manual_seed(0)
    config = gpt_config(vocabulary=100, layers=1, heads=2, width=8, initial_deviation=0.5)
    model = cast(DecoderBody, build(config)).eval()
    task = objective()
    batch = task.batch(0)
    batch = type(batch)(batch.inputs[:3], batch.labels[:3])
    likely = model(batch.inputs).logits.log_softmax(-1)
    expected = -likely.gather(-1, batch.labels[..., None]).mean()
    torch.testing.assert_close(task.losses(model, batch)["next"], expected)
    assert task.counts(batch)["next"].item() == 12


def test_too_little_text_is_refused() -> None:
    with pytest.raises(CorpusError, match="one input of 11 tokens"):
        objective(length=11)
    assert objective(length=10).batch(0).inputs.shape == (2000, 10)
