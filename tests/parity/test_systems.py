"""Every comparison but BERT's, which has a file of its own: parts, lengths, weights, settings."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from core.checkpoints.families import family_of_settings
from core.checkpoints.load import read_config
from core.hooks import capture
from core.parity import COMPARISONS, Comparison, compare_tiny
from core.parity.reference import assign, settings_of

pytestmark = pytest.mark.parity

NAMES = [name for name in COMPARISONS if name != "bert"]
LENGTHS = (1, 2, 7, 9, 16, 31, 32, 64)

# Without masks there is no query stream, and no need for where it starts.
UNUSED = {"xlnet": {"query_start"}}


@cache
def pair_of(name: str) -> tuple[Any, Any]:
    """Both sides, for tests that change neither."""
    return COMPARISONS[name].pair()


def batch_of(comparison: Comparison, length: int) -> Any:
    return comparison.batch(comparison.settings["vocab_size"], length)


@pytest.mark.parametrize("name", NAMES)
def test_every_part_agrees_at_every_length(name: str) -> None:
    rows = list(compare_tiny(COMPARISONS[name], LENGTHS))
    parts = len(COMPARISONS[name].parts) + 2  # fused attention, nothing but ids
    assert len(rows) == parts * len(LENGTHS) + 1
    assert [row for row in rows if not row.agrees] == []
    assert (rows[-1].part, rows[-1].difference) == ("export back", 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_the_weights_are_drawn_wide_enough_to_show_mistakes(name: str) -> None:
    comparison = COMPARISONS[name]
    ours, _ = pair_of(name)
    logits = [part.ours for part in comparison.parts if part.ours.endswith("logits")]
    with torch.inference_mode(), capture(["**.scores", *logits]) as trace:
        comparison.run_ours(ours, batch_of(comparison, 64))
    spreads = {record.site: float(record.value.std()) for record in trace.records}
    assert {site: spread for site, spread in spreads.items() if spread < 0.8} == {}
    assert all(spreads[site] >= 1.0 for site in spreads if site.name.endswith("logits"))
    weights = [p for n, p in ours.named_parameters() if n.endswith("norm.weight")]
    assert torch.cat(weights).min() < 0.6
    assert torch.cat(weights).max() > 1.4


def results(output: object) -> Iterator[Tensor]:
    return (value for value in vars(output).values() if isinstance(value, Tensor))


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_moves_the_results(name: str) -> None:
    comparison = COMPARISONS[name]
    ours, _ = comparison.pair()
    generator = torch.Generator().manual_seed(6)
    output = comparison.run_ours(ours, batch_of(comparison, 16))
    total = sum(
        (value * torch.randn(value.shape, generator=generator)).sum() for value in results(output)
    )
    assert isinstance(total, Tensor)
    total.backward()
    # A key's bias adds the same to every key of a query: the softmax takes it out again.
    silent = {
        key
        for key, parameter in ours.named_parameters()
        if not key.endswith("key_projection.bias")
        and (parameter.grad is None or parameter.grad.abs().max() < 1e-3)
    }
    assert silent == UNUSED.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_the_settings_survive_being_written_and_read(name: str) -> None:
    ours, theirs = pair_of(name)
    given = settings_of(theirs)
    family = family_of_settings(given)
    written = family.table.write(ours.config)
    if COMPARISONS[name].system == "t5":
        given["tie_word_embeddings"] = (
            ours.config.tied
        )  # since version 5 transformers says that they always are

    def differs(theirs: object, own: object) -> bool:
        return theirs is not None and theirs != own  # null, or silence, is a default

    # What we write is what the other side would have written itself.
    assert {key: value for key, value in written.items() if differs(given.get(key), value)} == {}
    assert read_config(written, family, assign(theirs)) == ours.config
