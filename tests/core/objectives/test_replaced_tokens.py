"""ELECTRA: samples, labels, both losses and the variants, by hand and in a real pair."""

import math
from dataclasses import replace
from typing import cast

import pytest
import torch

from core.config import Head
from core.errors import ConfigError
from core.models.architectures.electra import Electra, electra_config
from core.models.electra_pair import ElectraPair
from core.models.registry import build
from core.objectives import replaced_tokens
from core.objectives.layouts import LAYOUTS
from core.objectives.pieces import Specials
from core.objectives.replaced_tokens import (
    ReplacedBatch,
    ReplacedTokens,
    SecondLoss,
    copy_loss,
    sample_tokens,
)
from core.objectives.sentence_pairs import PairSampler
from core.training.corpora import TokenCorpus

VOCABULARY = 50


def objective(
    second: SecondLoss = SecondLoss.REPLACED, highest_temperature: float = 1.0
) -> ReplacedTokens:
    words = torch.randint(4, VOCABULARY, (1200,), generator=torch.Generator().manual_seed(9))
    corpus = TokenCorpus(words.int(), torch.arange(0, 1201, 8), torch.arange(0, 1201, 40))
    specials = Specials(classify=1, separator=2, mask=3, padding=0)
    sampler = PairSampler(corpus, specials, torch.Generator().manual_seed(0), relation=None)
    ordinary = torch.arange(4, VOCABULARY)
    return ReplacedTokens(
        sampler, ordinary, tokens=2048, second=second, highest_temperature=highest_temperature
    )


def pair() -> ElectraPair:
    torch.manual_seed(1)
    both = (Head.MASKED_LANGUAGE, Head.REPLACED_TOKEN)
    small, large = (
        electra_config(
            vocabulary=VOCABULARY,
            embedding_width=8,
            width=width,
            heads=2,
            layers=1,
            predicts=predicts,
            initial_deviation=0.5,
        )
        for width, predicts in ((4, both[:1]), (8, both))
    )
    return ElectraPair(cast(Electra, build(small)), cast(Electra, build(large))).eval()


def batch_of(task: ReplacedTokens) -> ReplacedBatch:
    batch = task.batch_of(LAYOUTS[2])
    assert isinstance(batch, ReplacedBatch)
    return batch


def test_samples_follow_the_probabilities() -> None:
    logits = torch.tensor([0.2, 0.5, 0.3]).log()
    uniforms = torch.tensor([0.0, 0.1, 0.2, 0.69, 0.71, 0.9999])
    drawn = sample_tokens(logits.expand(6, -1), uniforms)
    assert drawn.tolist() == [0, 0, 1, 1, 2, 2]
    many = torch.rand(20_000, generator=torch.Generator().manual_seed(0))
    shares = sample_tokens(logits.expand(20_000, -1), many).bincount(minlength=3) / 20_000
    assert shares.tolist() == pytest.approx([0.2, 0.5, 0.3], abs=0.015)


def test_what_cannot_be_is_never_sampled() -> None:
    logits = torch.tensor([-torch.inf, 0.0, -torch.inf, 0.0, -torch.inf])
    uniforms = torch.linspace(0, 1, 1001)[:-1]
    assert set(sample_tokens(logits.expand(1000, -1), uniforms).tolist()) == {1, 3}


def test_the_generator_sees_masks_only() -> None:
    batch = batch_of(objective())
    real = batch.masked.weights > 0
    assert (batch.masked.ids.gather(1, batch.masked.positions)[real] == 3).all()
    assert batch.uniforms.shape == batch.masked.positions.shape
    assert torch.equal(batch.originals.gather(1, batch.masked.positions), batch.masked.labels)


def test_samples_go_to_the_hidden_positions_of_the_original_text() -> None:
    batch = batch_of(objective())
    samples = torch.full_like(batch.masked.labels, 7)
    seen = ReplacedTokens.fill(batch, samples)
    real = batch.masked.weights > 0
    assert (seen.gather(1, batch.masked.positions)[real] == 7).all()
    assert not (seen == 3).any()
    hidden = torch.zeros_like(seen, dtype=torch.bool).scatter(1, batch.masked.positions, real)
    assert torch.equal(seen[~hidden], batch.originals[~hidden])


def test_each_text_has_a_temperature_of_its_own() -> None:
    assert (batch_of(objective()).temperatures == 1).all(), "the paper's, unless said otherwise"
    found = batch_of(objective(highest_temperature=3.0)).temperatures
    assert found.shape == (len(batch_of(objective()).originals),)
    assert 1 <= found.min() < 1.5
    assert 2.5 < found.max() <= 3


def test_samples_are_drawn_at_the_temperature_of_their_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task, model = objective(highest_temperature=3.0), pair()
    batch = batch_of(task)
    drawn: list[torch.Tensor] = []

    def noted(logits: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
        drawn.append(logits)
        return sample_tokens(logits, uniforms)

    monkeypatch.setattr(replaced_tokens, "sample_tokens", noted)
    task.terms(model, batch)
    hidden = model.generator.encode(batch.masked.ids, None, batch.keep)
    logits = model.generator.score_words(hidden)
    for row, temperature in enumerate(batch.temperatures.tolist()):
        expected = logits[row, batch.masked.positions[row]] / temperature
        torch.testing.assert_close(drawn[0][row], expected)


def test_the_loss_is_the_generators_and_fifty_times_the_discriminators() -> None:
    task, model = objective(), pair()
    batch = batch_of(task)
    found = task.losses(model, batch)
    masked = batch.masked
    assert batch.keep is not None
    logits = model.generator(masked.ids, None, batch.keep).logits
    row, index = masked.weights.nonzero(as_tuple=True)
    hidden = masked.positions[row, index]
    words = -logits[row, hidden].log_softmax(-1).gather(1, masked.labels[row, index][:, None])
    seen = batch.originals.clone()
    seen[row, hidden] = sample_tokens(logits[row, hidden], batch.uniforms[row, index])
    score = model.discriminator(seen, None, batch.keep).replaced_logits
    nats = []
    equal = 0
    for one in range(len(seen)):
        for position in range(int(batch.keep[one].sum())):
            was_replaced = bool(seen[one, position] != batch.originals[one, position])
            probability = torch.sigmoid(score[one, position])
            nats.append(-(probability if was_replaced else 1 - probability).log().item())
    equal = int((seen[row, hidden] == batch.originals[row, hidden]).sum())
    assert equal > 0, "some samples are the original, and count as original"
    assert float(found["masked"]) == pytest.approx(float(words.mean()), rel=1e-5)
    assert float(found["second"]) == pytest.approx(sum(nats) / len(nats), rel=1e-4)
    expected = float(found["masked"]) + 50 * float(found["second"])
    assert float(found["loss"]) == pytest.approx(expected, rel=1e-6)


def test_no_gradient_flows_through_the_samples() -> None:
    task, model = objective(), pair()
    terms = task.terms(model, batch_of(task))
    terms["second"].total.backward()
    own = dict(model.generator.encoder.named_parameters())
    assert own
    assert all(one.grad is None for one in own.values())
    assert model.discriminator.embedding.token_table.weight.grad is not None


def test_at_masks_only_hidden_positions_are_asked() -> None:
    everywhere, at_masks = objective(), objective(SecondLoss.REPLACED_AT_MASKS)
    model = pair()
    batch = batch_of(everywhere)
    assert batch.keep is not None
    all_of_it = everywhere.terms(model, batch)["second"]
    some = at_masks.terms(model, batch)["second"]
    assert all_of_it.counted.item() == batch.keep.sum().item()
    assert some.counted.item() == batch.masked.weights.sum().item()
    assert at_masks.weights == {"second": 50.0}
    assert float(some.mean()) != pytest.approx(float(all_of_it.mean()), rel=1e-3)


def test_replace_mlm_names_the_hidden_tokens_from_a_text_without_masks() -> None:
    task, model = objective(SecondLoss.MASKED), pair()
    batch = batch_of(task)
    found = task.losses(model, batch)
    masked = batch.masked
    logits = model.generator(masked.ids, None, batch.keep).logits
    at_masks = logits.gather(1, masked.positions[..., None].expand(-1, -1, VOCABULARY))
    seen = task.fill(batch, sample_tokens(at_masks, batch.uniforms))
    likely = model.discriminator(seen, None, batch.keep).logits.log_softmax(-1)
    row, index = masked.weights.nonzero(as_tuple=True)
    expected = -likely[row, masked.positions[row, index], masked.labels[row, index]].mean()
    torch.testing.assert_close(found["second"], expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(found["loss"], found["masked"] + found["second"])


def test_copying_by_hand() -> None:
    # Two words, softmax 3/4 and 1/4; copy probability 4/5 (a score of -log 4 for "replaced").
    logits = torch.tensor([[[math.log(3.0), 0.0]] * 3])
    score = torch.full((1, 3), -math.log(4.0))
    seen, originals = torch.tensor([[0, 1, 0]]), torch.tensor([[0, 0, 1]])
    weights = torch.tensor([[1.0, 1.0, 1.0]])
    loss = copy_loss(logits, score, seen, originals, weights)
    by_hand = [0.8 + 0.2 * 0.75, 0.2 * 0.75, 0.2 * 0.25]
    assert loss.total.item() == pytest.approx(-sum(math.log(one) for one in by_hand), rel=1e-6)
    assert loss.counted.item() == 3


def test_all_tokens_are_asked_in_the_copying_variant_and_its_gradient_is_finite() -> None:
    task, model = objective(SecondLoss.ALL_TOKENS), pair()
    batch = batch_of(task)
    assert batch.keep is not None
    terms = task.terms(model, batch)
    assert terms["second"].counted.item() == batch.keep.sum().item()
    terms["second"].total.backward()
    for name, one in model.discriminator.named_parameters():
        assert one.grad is not None, name
        assert one.grad.isfinite().all(), name


def test_the_two_networks_share_their_tables() -> None:
    model = pair()
    for name in ("token_table", "position_table", "segment_table"):
        small = getattr(model.generator.embedding, name)
        assert small is getattr(model.discriminator.embedding, name)
    assert model.generator.embedding.norm is not model.discriminator.embedding.norm
    names = [name for name, _ in model.named_parameters()]
    assert sum("token_table" in name for name in names) == 1


def test_tables_of_two_sizes_are_refused() -> None:
    first = electra_config(vocabulary=50, embedding_width=8, width=8, heads=2, layers=1)
    other = replace(first, embedding=replace(first.embedding, vocabulary=51))
    with pytest.raises(ConfigError, match=r"\(50, 8, 512, 2\) and \(51, 8, 512, 2\)"):
        ElectraPair(cast(Electra, build(first)), cast(Electra, build(other)))
