"""What makes RoBERTa and DistilBERT other than BERT, each shown to be noticed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.errors import ConfigError
from core.models.architectures.distilbert import distilbert_config
from core.parity import Batch, comparison_of, differences
from core.parity.reference import tiny_reference
from tests.parity.folders import assert_the_same, write_folder
from tests.parity.quirks import approximate_gelu, assert_shows, other_placement

pytestmark = pytest.mark.parity

ROBERTA, DISTILBERT = comparison_of("roberta"), comparison_of("distilbert")
PADDING = 1


def padded_batch(length: int = 12) -> Batch:
    """Padding that is written as such, which the random ids of the others are not."""
    batch = Batch.random(101, length)
    ids = batch.ids.where(batch.ids != PADDING, 2).where(batch.valid, PADDING)
    return replace(batch, ids=ids)


def from_row_0(model: Any) -> None:
    table = model.embedding.position_table

    def rows(ids: Tensor, start: int = 0) -> Tensor:
        real = ids != PADDING
        return table.table(real.cumsum(1) * real)

    table.forward = rows


def padding_counts(model: Any) -> None:
    table = model.embedding.position_table
    table.forward = lambda ids, start=0: table.table(
        torch.arange(1, ids.shape[1] + 1).expand(ids.shape) + PADDING
    )


@pytest.mark.parametrize("broken", [from_row_0, padding_counts])
def test_positions_start_after_the_padding_id_and_skip_padding(broken: Any) -> None:
    assert_shows(ROBERTA, broken, "embeddings", batch=padded_batch())


def test_without_padding_in_the_text_counting_it_does_not_show() -> None:
    ids = torch.arange(2, 26).view(2, 12)
    assert_shows(ROBERTA, padding_counts, None, batch=Batch(ids))


@pytest.mark.parametrize("name", ["xlm-roberta", "camembert"])
def test_its_relatives_are_the_same_model_under_another_name(name: str, tmp_path: Path) -> None:
    comparison = comparison_of(name)
    reference = tiny_reference(
        comparison.reference, comparison.settings, **comparison.reference_options
    )
    folder = write_folder(reference, tmp_path / "it")
    ours = assert_the_same(comparison, folder, length=64)
    assert (ours.config.system, json.loads((folder / "config.json").read_text())["model_type"]) == (
        "roberta",
        name,
    )
    for length in (12, 512):
        found = differences(comparison, ours.model, reference, padded_batch(length))
        assert max(found.values()) < 2e-5
    assert_shows(comparison, padding_counts, "embeddings", batch=padded_batch())


@pytest.mark.parametrize("comparison", [ROBERTA, DISTILBERT], ids=lambda one: one.name)
def test_the_gelu_is_exact_and_the_norms_come_last(comparison: Any) -> None:
    assert_shows(comparison, approximate_gelu, "first block")
    assert_shows(comparison, other_placement, "first attention")


def test_distilbert_has_no_segments_and_no_pooler() -> None:
    ours, _ = DISTILBERT.pair()
    assert not any("segment" in key or "pooler" in key for key in ours.state_dict())
    with torch.inference_mode():
        ids = torch.arange(8)[None]
        plain = ours(ids).logits
        assert torch.equal(plain, ours(ids, torch.ones_like(ids)).logits)
    with pytest.raises(ConfigError, match="no pooler"):
        distilbert_config(vocabulary=9, pooler=True)
