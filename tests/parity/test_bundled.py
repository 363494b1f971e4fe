"""The bundled checkpoints: transformers opens them and agrees in float32."""

import subprocess
from pathlib import Path

import pytest
import tokenizers
import torch

from core.checkpoints import catalogue, save_checkpoint
from core.checkpoints.catalogue import BUNDLED_FOLDER, bundled
from core.models.architectures.bert import bert_config
from core.models.registry import build
from core.parity import COMPARISONS, LENGTHS, compare_bundled, comparison_of
from core.parity.reference import randomise
from core.tokenisation import Tokenizer

pytestmark = pytest.mark.parity


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


@pytest.mark.parametrize("system", COMPARISONS)
def test_transformers_agrees_on_the_bundled_checkpoints(system: str) -> None:
    """One row a checkpoint and length: none is missing, none is off."""
    rows = list(compare_bundled(COMPARISONS[system]))
    names = [entry.name for entry in bundled() if entry.system == system]
    assert [(row.part, row.length) for row in rows] == [
        (f"bundled checkpoint {name}", length) for name in names for length in LENGTHS
    ]
    assert [row for row in rows if not row.agrees] == []


def test_a_checkpoint_of_ours_is_compared_as_soon_as_it_is_bundled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]
    numbered = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(
        tokenizers.Tokenizer(tokenizers.models.WordPiece(numbered, unk_token="[UNK]"))
    )
    config = bert_config(vocabulary=len(pieces), layers=2, heads=2, width=16)
    model = build(config)
    randomise(model, seed=4)
    save_checkpoint(model, config, tokenizer, tmp_path / "little", dtype=torch.float16)
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    rows = list(compare_bundled(comparison_of("bert")))
    assert [row.part for row in rows] == ["bundled checkpoint little"] * len(LENGTHS)
    assert all(row.agrees for row in rows), rows
