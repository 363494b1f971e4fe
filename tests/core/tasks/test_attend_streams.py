"""Attention of models that read one sequence. Models that ask nothing look everywhere alike."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint
from core.config import ModelConfig
from core.hooks import capture
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.electra import electra_config
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.tasks import (
    OrderError,
    attend,
)
from core.tokenisation import Tokenizer
from core.tokenisation.training import (
    BERT_FRAME,
    ROBERTA_FRAME,
    VocabularyKind,
)
from tests.core.decoding.conftest import checkpoint_of
from tests.core.tasks.conftest import SIZES, TEXT, asking_nothing, tokenizer_of

BERT_LIKE: dict[str, Callable[..., ModelConfig]] = {
    "bert": bert_config,
    "structbert": structbert_config,
    "mtdnn": mtdnn_config,
    "distilbert": distilbert_config,
    "electra": electra_config,
    "roberta": roberta_config,
    "spanbert": spanbert_config,
}


def alike(visible: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Rows that spread their weight evenly over what they see."""
    return visible / visible.sum(1, keepdims=True)


@pytest.mark.parametrize("system", BERT_LIKE)
def test_encoders_have_one_kind_of_maps(system: str) -> None:
    kind, frame = VocabularyKind.WORD_PIECE, BERT_FRAME
    if system == "roberta":
        kind, frame = VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME
    tokenizer = tokenizer_of(kind, frame, 300)
    config = BERT_LIKE[system](vocabulary=tokenizer.vocabulary_size, **SIZES)
    assert config.system == system
    checkpoint = checkpoint_of(config, tokenizer)
    result = attend(checkpoint, TEXT, "A dog ran.")
    (only,) = result.maps
    tokens = len(result.encoding)
    assert only.name == "encoder"
    assert only.query is only.key is result.encoding
    assert result.patterns is only.patterns
    assert result["encoder"] is only
    assert only.patterns.shape == (3, 4, tokens, tokens)
    assert len(np.unique(only.patterns[:, :, 1, 2])) == 12, "no head twice"
    np.testing.assert_allclose(only.patterns.sum(-1), 1, atol=1e-5)
    assert not only.masked.any()
    assert only.bias is None
    assert result.positions is not None
    assert result.positions.shape == (tokens, config.embedding.width)
    assert result.target is None
    assert result.order is None


def test_an_albert_has_a_record_for_every_visit_of_its_shared_layers(
    word_pieces: Tokenizer,
) -> None:
    config = albert_config(
        vocabulary=word_pieces.vocabulary_size,
        layers=12,
        heads=4,
        width=32,
        embedding_width=8,
        inner_layers=2,
        initial_deviation=0.3,
    )
    checkpoint = checkpoint_of(config, word_pieces)
    assert len(checkpoint.model.get_submodule("encoder.layers")) == 2  # type: ignore[arg-type]
    patterns = attend(checkpoint, "the cat").patterns
    assert patterns.shape[:2] == (24, 4)
    assert len({layer.tobytes() for layer in patterns}) == 24


def test_a_gpt_sees_what_came_before(gpt: Checkpoint) -> None:
    result = attend(gpt, TEXT)
    (only,) = result.maps
    tokens = len(result.encoding)
    assert only.name == "decoder"
    ahead = np.triu(np.ones((tokens, tokens), dtype=bool), 1)
    assert np.array_equal(only.masked, ahead)
    assert not only.masked_rows.any()
    assert not only.patterns[..., ahead].any()
    assert np.array_equal(only.patterns[:, :, 0, 0], np.ones((3, 4)))
    found = attend(asking_nothing(gpt), TEXT)["decoder"].patterns
    expected = np.broadcast_to(alike(~ahead), found.shape)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    table = gpt.model.get_parameter("embedding.position_table.table.weight")
    np.testing.assert_array_equal(result.positions, table[:tokens].detach().numpy())


def test_numbers_are_those_of_the_hook_points(gpt: Checkpoint) -> None:
    result = attend(gpt, TEXT)
    model: Any = gpt.model
    with torch.inference_mode(), capture(["decoder.layers.*.attention.pattern"]) as trace:
        model(torch.tensor([result.encoding.ids]))
    for layer, record in enumerate(trace.records):
        np.testing.assert_array_equal(result.patterns[layer], record.value[0].numpy())


def test_an_xlnet_without_an_order_reads_in_one_stream(xlnet: Checkpoint) -> None:
    result = attend(xlnet, TEXT)
    (only,) = result.maps
    assert only.name == "content"
    assert result.encoding.tokens[-2:] == ("<sep>", "<cls>")
    assert not only.masked.any()
    assert result.positions is None, "it has no table"
    tokens = len(result.encoding)
    found = attend(asking_nothing(xlnet), TEXT).patterns
    np.testing.assert_allclose(found, np.full((3, 4, tokens, tokens), 1 / tokens), atol=1e-6)


def test_in_an_order_a_query_sees_what_came_before_and_the_first_one_nothing(
    xlnet: Checkpoint,
) -> None:
    tokenizer = xlnet.tokenizer
    result = attend(asking_nothing(xlnet), "the sea", order=(1, 3, 0))
    tokens = len(result.encoding)
    assert result.order == (
        1,
        3,
        0,
        *[position for position in range(tokens) if position not in {0, 1, 3}],
    )
    assert tokens == len(tokenizer.encode("the sea"))
    content, query = result["content"], result["query"]
    assert [one.name for one in result.maps] == ["content", "query"]
    rank = np.argsort(result.order)
    before = rank[None, :] < rank[:, None]
    assert np.array_equal(query.masked, ~before)
    assert query.masked_rows.nonzero()[0].tolist() == [1]
    assert not content.masked_rows.any()
    assert np.array_equal(content.masked, ~(before | np.eye(tokens, dtype=bool)))
    assert query.patterns[2, 3, 3].tolist() == [0, 1, 0, *[0] * (tokens - 3)]
    np.testing.assert_allclose(query.patterns[1, 1, 0, :4], [0, 0.5, 0, 0.5], atol=1e-6)
    np.testing.assert_allclose(content.patterns[1, 1, 0, :4], [1 / 3, 1 / 3, 0, 1 / 3], atol=1e-6)
    np.testing.assert_allclose(content.patterns[0, 0, 1], np.eye(tokens)[1], atol=1e-6)


def test_both_streams_are_kept_apart_layer_by_layer(xlnet: Checkpoint) -> None:
    result = attend(xlnet, TEXT, order="random", seed=3)
    ids = torch.tensor([result.encoding.ids])
    assert result.order is not None
    rank = torch.tensor(result.order).argsort()
    model: Any = xlnet.model
    segments = torch.zeros_like(ids)
    segments[0, -1] = 2
    with torch.inference_mode(), capture(["encoder.layers.*.attention.pattern"]) as trace:
        model.read_streams(
            ids,
            segments,
            order=(rank[None] < rank[:, None])[None],
            targets=torch.arange(len(rank))[None],
        )
    for name in ("content", "query"):
        expected = trace.stacked("encoder.layers.*.attention.pattern", name)[:, 0]
        np.testing.assert_array_equal(result[name].patterns, expected.numpy())
    assert result.order[-2:] == tuple(range(len(rank)))[-2:], "special tokens last"
    assert attend(xlnet, TEXT, order="random", seed=3).order == result.order
    assert attend(xlnet, TEXT, order="random", seed=4).order != result.order


@pytest.mark.parametrize("order", [(0, 0), (0, 99), (-1,)])
def test_a_senseless_order_is_refused(xlnet: Checkpoint, order: tuple[int, ...]) -> None:
    with pytest.raises(OrderError, match=f"{order[-1]} is wrong"):
        attend(xlnet, TEXT, order=order)


def test_decoded_pieces_have_words_and_positions(unigram: Tokenizer, byte_pairs: Tokenizer) -> None:
    for tokenizer in (unigram, byte_pairs):
        plain = tokenizer.encode("The cat sat there. Who wrote?")
        decoded = tokenizer.decoded(plain.ids)
        assert decoded.texts == plain.texts
        assert decoded.spellings == plain.spellings
        assert decoded.words == plain.words
        assert decoded.special == plain.special
        assert decoded.pieces == plain.pieces
    generator = random.Random(0)  # noqa: S311
    for _ in range(20):
        ids = [generator.randrange(byte_pairs.vocabulary_size) for _ in range(30)]
        encoding = byte_pairs.decoded(ids)  # also bytes that are no characters
        assert len(encoding) == 30
        assert all(encoding.texts[0][slice(*one)].strip() for one in encoding.offsets if any(one))
