"""Checkpoints that we write, opened by transformers: the same tensors, the same results."""

from pathlib import Path

import pytest
import tokenizers
import torch

from core.checkpoints import LoadPolicy, load_checkpoint, save_checkpoint
from core.parity import COMPARISONS, differences
from core.parity.reference import open_reference
from core.tokenisation import Tokenizer

pytestmark = pytest.mark.parity

NAMES = [name for name in COMPARISONS if name not in ("bert", "xlnet-two-streams")]


@pytest.mark.parametrize("name", NAMES)
def test_transformers_opens_what_we_write(name: str, tmp_path: Path) -> None:
    comparison = COMPARISONS[name]
    ours, theirs = comparison.pair()
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefgh"]
    model = tokenizers.models.WordPiece({piece: n for n, piece in enumerate(pieces)})
    tokenizer = Tokenizer(tokenizers.Tokenizer(model))
    folder = tmp_path / "tiny"
    save_checkpoint(ours, ours.config, tokenizer, folder, dtype=torch.float32, shard_bytes=60_000)

    again = open_reference(comparison.reference, folder)
    before, after = theirs.state_dict(), again.state_dict()
    assert before.keys() == after.keys()
    assert [key for key in before if not torch.equal(before[key], after[key])] == []

    policy = LoadPolicy(roots=(tmp_path,))
    loaded = load_checkpoint(str(folder), device="cpu", policy=policy)
    assert loaded.config == ours.config
    batch = comparison.batch(ours.config.embedding.vocabulary, 9)
    found = differences(comparison, loaded.model, again, batch)
    assert {part.name: off for part, off in found.items() if off > part.tolerance} == {}
