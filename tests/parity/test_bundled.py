"""The bundled checkpoints: transformers opens them and agrees in float32."""

import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from torch import nn

from core.checkpoints import catalogue, load_checkpoint
from core.checkpoints.catalogue import BUNDLED_FOLDER, bundled
from core.config import Activation
from core.models.blocks.activations import Activate
from core.models.blocks.stack import TransformerLayer
from core.parity import COMPARISONS, Row, compare, compare_bundled, comparison_of
from core.parity.compare import Measured
from core.parity.errors import NoReferenceError
from core.parity.reference import open_reference
from core.parity.sentence import compare_sentence
from tests.parity.quirks import approximate_gelu, exact_gelu, modules_of
from tests.tiny_checkpoints import CHECKPOINTS, write_all

pytestmark = pytest.mark.parity

LENGTHS = (1, 9, 64)  # `python -m core parity` takes 512 tokens as well
WITHOUT_A_CLASS = {"seq2seq"}
FAMILY_OF = {"bert": "Bert", "electra": "ElectraForPre", "electra-generator": "ElectraForMasked"}


def committed() -> set[str]:
    """Folders that Git knows about; in a copy without Git, those that are there."""
    listing = subprocess.run(
        ["git", "ls-files", "--", str(BUNDLED_FOLDER)],
        cwd=BUNDLED_FOLDER.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        return {path.name for path in BUNDLED_FOLDER.glob("*/")}
    return {line.split("/")[2] for line in listing.stdout.splitlines() if line.count("/") > 2}


def test_every_committed_checkpoint_is_offered() -> None:
    assert committed() <= {entry.name for entry in bundled()}


def checkpoint_of(row: Row) -> str:
    """What stands between the words of every such row and the name of its part."""
    return row.part.removeprefix("bundled checkpoint ").partition(":")[0]


def all_rows() -> list[Row]:
    return [row for one in COMPARISONS.values() for row in compare_bundled(one, LENGTHS)]


def test_transformers_agrees_on_every_bundled_checkpoint_that_it_has_a_class_for() -> None:
    """One row a checkpoint and length: none is missing, none is off."""
    rows = all_rows()
    expected = {entry.name for entry in bundled() if entry.system not in WITHOUT_A_CLASS}
    for name in expected:
        of_this = [row for row in rows if checkpoint_of(row) == name]
        assert {row.length for row in of_this} == set(LENGTHS), name
    assert {checkpoint_of(row) for row in rows} == expected
    assert [row for row in rows if not row.agrees] == []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_all(tmp_path_factory.mktemp("models"))


@pytest.fixture
def tiny_ones(written: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", written)
    return written


def test_a_checkpoint_of_any_system_is_compared_as_soon_as_it_is_bundled(tiny_ones: Path) -> None:
    rows = all_rows()
    compared = {checkpoint_of(row) for row in rows}
    assert compared == CHECKPOINTS.keys() - WITHOUT_A_CLASS
    assert [row for row in rows if not row.agrees] == []
    # Each in the variant that it is of, and XLNet with both of its streams.
    ways = {row.system for row in rows}
    assert {"electra", "electra-generator", "xlnet", "xlnet-two-streams", "t5"} <= ways
    assert not {"t5-1.1", "gpt1"} & ways


def test_a_weight_that_transformers_reads_otherwise_is_found(
    tiny_ones: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the rows would say nothing."""

    def louder(class_name: str, folder: Path) -> Any:
        model = open_reference(class_name, folder)
        for name, weights in model.named_parameters():
            if weights.ndim == 2 and "emb" not in name and "shared" not in name:
                weights.data.mul_(1.01)
        return model

    monkeypatch.setattr(compare, "open_reference", louder)
    rows = [row for one in COMPARISONS.values() for row in compare_bundled(one, (9,))]
    agreeing = {checkpoint_of(row) for row in rows if row.agrees and "pattern" not in row.part}
    assert agreeing == set()


def test_a_batch_is_as_long_as_the_model_has_positions_for(tiny_ones: Path) -> None:
    rows = list(compare_bundled(comparison_of("transformer"), (600,)))
    assert {(row.length, row.agrees) for row in rows} == {(512 - 5, True)}


def test_the_tolerance_follows_the_size_of_the_results() -> None:
    assert Measured(0.0, 0.5).tolerance == Measured(0.0, 4.0).tolerance == 1e-4
    assert Measured(0.0, 24.0).tolerance == pytest.approx(6e-4)
    for size in (math.inf, math.nan):
        assert not Row("bert", "", 9, 1.0, Measured(1.0, size).tolerance).agrees


def wrong_epsilon(model: nn.Module) -> None:
    for norm in modules_of(model, nn.LayerNorm):
        norm.eps = 1e-5 if norm.eps < 1e-6 else 1e-12


def swapped_norms(model: nn.Module) -> None:
    layer = next(modules_of(model, TransformerLayer))
    one, two = layer.attention_norm, layer.feed_forward_norm
    layer.attention_norm, layer.feed_forward_norm = two, one


def other_gelu(model: nn.Module) -> None:
    exact = any(one.activation is Activation.GELU for one in modules_of(model, Activate))
    (approximate_gelu if exact else exact_gelu)(model)


@pytest.mark.parametrize("name", ["bert", "electra-generator", "gpt"])
@pytest.mark.parametrize("broken", [other_gelu, wrong_epsilon, swapped_norms])
def test_a_real_fault_is_ten_times_as_large_as_the_tolerance(
    name: str, broken: Callable[[nn.Module], None]
) -> None:
    comparison, checkpoint = comparison_of(name), load_checkpoint(name, device="cpu")
    theirs = open_reference(comparison.reference, checkpoint.folder)
    ids = checkpoint.tokenizer.encode(compare.TEXT).ids
    batch = comparison.batch(checkpoint.config.embedding.vocabulary, 64).reading(ids)

    def farthest() -> float:
        found = compare.measure(comparison, checkpoint.model, theirs, batch)
        return max(
            measured.difference / measured.tolerance
            for part, measured in found.items()
            if part.is_result
        )

    assert farthest() < 0.5
    broken(checkpoint.model)
    assert farthest() > 10


def test_in_double_precision_both_sides_are_one() -> None:
    """What is allowed in float32 is all rounding."""
    comparison = comparison_of("electra-generator")
    checkpoint = load_checkpoint("electra-generator", device="cpu")
    theirs = open_reference(comparison.reference, checkpoint.folder).double()
    ids = checkpoint.tokenizer.encode(compare.TEXT).ids
    batch = comparison.batch(checkpoint.config.embedding.vocabulary, 512).reading(ids)
    found = compare.measure(comparison, checkpoint.model.double(), theirs, batch)
    for part, measured in found.items():
        if part.is_result or part.is_pattern:
            assert measured.difference < 1e-11


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_the_check_of_the_page_works_for_every_model_or_says_why_not(
    name: str, tiny_ones: Path
) -> None:
    checkpoint = load_checkpoint(name, device="cpu")
    if name in WITHOUT_A_CLASS:
        with pytest.raises(NoReferenceError):
            compare_sentence(checkpoint, "My dog is cute.")
        return
    for pair in (None, "He likes playing."):
        found = compare_sentence(checkpoint, "My dog is cute.", pair)
        assert found.patterns < 1e-5
        assert found.logits < 1e-4
        assert found.reference.startswith(FAMILY_OF.get(name, ""))
