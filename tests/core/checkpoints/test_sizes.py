"""The size of a model from its configuration alone."""

import dataclasses

import pytest
import torch

from core.checkpoints import parameter_count
from core.config import Head, ModelConfig, NormPlacement, StackConfig
from core.models.architectures.bert import bert_config
from core.models.blocks.build import build_stack
from core.models.registry import build


@pytest.mark.parametrize(
    "predicts", [(), (Head.MASKED_LANGUAGE,), (Head.NEXT_SENTENCE,), tuple(Head)]
)
@pytest.mark.parametrize("segments", [1, 2])
def test_it_counts_what_would_be_built(predicts: tuple[Head, ...], segments: int) -> None:
    config = bert_config(
        vocabulary=31, layers=3, heads=2, width=10, feed_forward=13, max_positions=7,
        segments=segments, predicts=predicts,
    )  # fmt: skip
    with torch.device("meta"):
        model = build(config)
    assert parameter_count(config) == sum(one.numel() for one in model.parameters())


def test_bert_base_has_the_published_size() -> None:
    config = bert_config(vocabulary=30_522)
    assert round(parameter_count(config) / 1e6) == 110  # Devlin et al. 2019, section 3


@pytest.mark.parametrize("placement", list(NormPlacement))
@pytest.mark.parametrize("cross_attention", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_stacks_of_every_kind(placement: NormPlacement, cross_attention: bool, bias: bool) -> None:
    config = bert_config(vocabulary=5, layers=1, heads=2, width=10, predicts=(), pooler=False)
    assert config.encoder is not None
    old = config.encoder.layer
    layer = dataclasses.replace(
        old,
        placement=placement,
        cross_attention=cross_attention,
        attention=dataclasses.replace(old.attention, head_size=3, bias=bias),
        feed_forward=dataclasses.replace(old.feed_forward, bias=bias),
    )
    shared = StackConfig(layer, (0, 0, 1))
    without = parameter_count(config)
    both = ModelConfig("other", config.embedding, config.encoder, decoder=shared)
    assert parameter_count(both) - without == sum(
        one.numel() for one in build_stack(shared).parameters()
    )


def test_counting_takes_no_memory() -> None:
    config = bert_config(vocabulary=10**9, layers=1000, heads=1, width=10**6)
    assert parameter_count(config) > 10**15
