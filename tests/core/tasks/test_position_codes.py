"""Position tables and terms are those of the parameters, whatever kind they are of."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from core.analysis.positions import sinusoids
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import Positions
from core.errors import SequenceTooLongError
from core.models.blocks.relative import buckets_of
from core.models.blocks.relative_attention import distances
from core.tasks.errors import NotReadError
from core.tasks.position_codes import (
    MOST_POSITIONS,
    MOST_SCORED_TOKENS,
    constant_position_scores,
    distance_bias,
    position_scores,
    position_table,
)
from tests.core.conftest import POSITIONS
from tests.core.tasks.conftest import TEXT
from tests.tiny_checkpoints import write_tiny


def test_learned_rows_are_the_table(tiny_checkpoint: Checkpoint) -> None:
    model: Any = tiny_checkpoint.model
    table = model.embedding.position_table.table.weight.detach().numpy()
    found = position_table(tiny_checkpoint, 9, start=20)
    assert np.array_equal(found.rows, table[20:29])
    assert (found.limit, found.kind) == (POSITIONS, Positions.LEARNED)
    assert np.array_equal(position_table(tiny_checkpoint, POSITIONS).rows, table)
    with pytest.raises(SequenceTooLongError) as caught:
        position_table(tiny_checkpoint, 2, start=POSITIONS - 1)
    assert (caught.value.tokens, caught.value.limit) == (POSITIONS + 1, POSITIONS)


def test_rows_that_count_real_tokens_begin_behind_the_padding(tmp_path: Path) -> None:
    folder = write_tiny("roberta", tmp_path / "roberta")
    policy = LoadPolicy(roots=(tmp_path,))
    checkpoint = load_checkpoint(str(folder), device="cpu", policy=policy)
    model: Any = checkpoint.model
    table = model.embedding.position_table
    rows = table.table.weight.detach().numpy()
    first = table.padding_id + 1
    found = position_table(checkpoint, 5, start=3)
    assert found.kind is Positions.AFTER_PADDING
    assert np.array_equal(found.rows, rows[first + 3 : first + 8])


def test_computed_rows_come_in_the_order_of_the_model(transformer: Checkpoint) -> None:
    found = position_table(transformer, 4)
    assert found.kind in (Positions.HALVES, Positions.INTERLEAVED)
    assert np.abs(found.rows).max() <= 1


def test_a_bias_is_the_number_of_its_bucket(t5: Checkpoint) -> None:
    found = distance_bias(t5, 70)
    assert found.scores.shape == (1, 4, 70, 70)
    model: Any = t5.model
    relative = model.encoder.relative_bias
    table = relative.table.weight.detach()
    for query, key in ((0, 0), (3, 4), (4, 3), (60, 2), (1, 69)):
        bucket = buckets_of(torch.tensor(key - query), relative.config, bidirectional=True)
        expected = table[bucket].numpy()
        assert np.array_equal(found.scores[0, :, query, key], expected)
    assert (found.buckets, found.max_distance) == (
        relative.config.buckets,
        relative.config.max_distance,
    )
    with pytest.raises(SequenceTooLongError):
        distance_bias(t5, MOST_POSITIONS + 1)


def test_a_position_term_is_the_query_times_the_wave_of_a_distance(xlnet: Checkpoint) -> None:
    found = position_scores(xlnet, TEXT)
    assert found.encoding is not None
    tokens = len(found.encoding)
    assert found.scores.shape == (3, 4, tokens, tokens)
    model: Any = xlnet.model
    attention = model.encoder.layers[0].attention
    with torch.inference_mode():
        ids = torch.tensor([found.encoding.ids])
        query = attention.query_projection(model.embedding(ids))[0].view(tokens, 4, -1)
        waves = distances(tokens, tokens, 32, torch.device("cpu"))
        rows = attention.score.distance_projection(waves).view(2 * tokens, 4, -1)
        for at, key in ((0, 0), (2, 1), (1, 4)):
            biased = query[at] + attention.score.position_bias  # [head, size]
            expected = (biased * rows[tokens - at + key]).sum(-1) * attention.score.scale
            assert found.scores[0, :, at, key] == pytest.approx(expected.numpy(), abs=1e-5)
    long_one = position_scores(xlnet, TEXT * 20)
    assert long_one.scores.shape[-1] == MOST_SCORED_TOKENS


def test_the_constant_part_of_a_term_is_the_bias_times_the_wave(xlnet: Checkpoint) -> None:
    found = constant_position_scores(xlnet, 6)
    assert (found.scores.shape, found.encoding) == ((3, 4, 6, 6), None)
    model: Any = xlnet.model
    waves = distances(6, 6, 32, torch.device("cpu"))  # row 0: six back
    for number, layer in enumerate(model.encoder.layers):
        attention = layer.attention
        with torch.inference_mode():
            rows = attention.score.distance_projection(waves).view(12, 4, -1)
            expected = (attention.score.position_bias * rows).sum(-1) * attention.score.scale
        for query, key in ((0, 0), (5, 0), (0, 5), (2, 3), (3, 2)):
            row = expected[6 - query + key].numpy()
            assert found.scores[number, :, query, key] == pytest.approx(row, abs=1e-6)
    # Where no query asks for anything, nothing else is left of the whole term.
    silent = replace(xlnet, model=deepcopy(xlnet.model))
    for layer in cast(Any, silent.model).encoder.layers:
        layer.attention.query_projection.weight.data.zero_()
    whole = position_scores(silent, TEXT)
    assert whole.encoding is not None
    alone = constant_position_scores(xlnet, len(whole.encoding))
    assert whole.scores == pytest.approx(alone.scores, abs=1e-6)
    assert np.abs(position_scores(xlnet, TEXT).scores - alone.scores).max() > 0.01
    with pytest.raises(SequenceTooLongError):
        constant_position_scores(xlnet, MOST_POSITIONS + 1)


def test_waves_of_distances_are_the_sinusoids_with_sines_first() -> None:
    ours = distances(40, 40, 32, torch.device("cpu")).numpy()
    assert ours[40:0:-1] == pytest.approx(sinusoids(40, 32, halves=True), abs=1e-5)


def test_a_model_without_such_a_thing_is_named(
    tiny_checkpoint: Checkpoint, xlnet: Checkpoint
) -> None:
    for ask in (
        lambda: position_table(xlnet, 3),
        lambda: distance_bias(tiny_checkpoint, 3),
        lambda: position_scores(tiny_checkpoint, TEXT),
        lambda: constant_position_scores(tiny_checkpoint, 3),
    ):
        with pytest.raises(NotReadError):
            ask()
