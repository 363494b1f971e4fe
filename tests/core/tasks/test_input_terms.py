"""The terms of a model's input add up to what it reads."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.models.architectures.albert import albert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.structbert import structbert_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import build
from core.tasks import input_terms
from core.tokenisation import Tokenizer

A, B = "The cat sat.", "The cats were open."


def opened(configure: Any, tokenizer: Tokenizer, folder: Path) -> Checkpoint:
    sizes = {"layers": 1, "heads": 2, "width": 16, "feed_forward": 32}
    config = configure(vocabulary=tokenizer.vocabulary_size, **sizes)
    torch.manual_seed(1)
    save_checkpoint(build(config), config, tokenizer, folder / "one", dtype=torch.float32)
    policy = LoadPolicy(roots=(folder,))
    return load_checkpoint(str(folder / "one"), device="cpu", policy=policy)


@pytest.mark.parametrize(
    ("configure", "width", "there"),
    [
        (structbert_config, 16, {"tokens", "segments", "positions"}),
        (albert_config, 128, {"tokens", "segments", "positions"}),
        (roberta_config, 16, {"tokens", "segments", "positions"}),
        (distilbert_config, 16, {"tokens", "positions"}),
        (xlnet_config, 16, {"tokens"}),
    ],
)
def test_terms_are_those_of_the_tables_and_add_up(
    configure: Any, width: int, there: set[str], word_pieces: Tokenizer, tmp_path: Path
) -> None:
    checkpoint = opened(configure, word_pieces, tmp_path)
    found = input_terms(checkpoint, A, B)
    terms = {name: getattr(found, name) for name in ("tokens", "segments", "positions")}
    assert {name for name, vectors in terms.items() if vectors is not None} == there
    kept = [vectors for vectors in terms.values() if vectors is not None]
    tokens = len(found.encoding)
    assert all(vectors.shape == (tokens, width) for vectors in (*kept, found.total, found.output))
    assert np.allclose(sum(kept), found.total, atol=1e-6)
    embedding: Any = checkpoint.model.embedding
    table = embedding.token_table.weight.detach().numpy()
    assert np.array_equal(found.tokens, table[list(found.encoding.ids)])
    lengths = found.lengths()
    assert lengths.keys() == {*there, "total", "output"}
    assert lengths["tokens"][1] == pytest.approx(float(np.sqrt((found.tokens[1] ** 2).sum())))
    assert not found.total.flags.writeable


def test_a_segment_is_the_texts_and_a_position_its_index(tiny_checkpoint: Checkpoint) -> None:
    found = input_terms(tiny_checkpoint, A, B)
    assert found.segments is not None
    assert found.positions is not None
    rows = np.unique(found.segments, axis=0)
    assert len(rows) == 2
    first = np.array(found.encoding.segments) == 0
    assert (found.segments[first] == found.segments[0]).all()
    assert len(np.unique(found.positions, axis=0)) == len(found.encoding)
    other = input_terms(tiny_checkpoint, "Open streets.")
    assert other.positions is not None
    assert np.array_equal(other.positions, found.positions[: len(other.encoding)])
