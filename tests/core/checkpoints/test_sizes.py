"""The size of a model from its configuration alone."""

from typing import Any

import pytest

from core.checkpoints import parameter_count
from core.config import ModelConfig, Sharing
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.gpt import gpt_config
from core.models.architectures.t5 import t5_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import build_empty

SIZES: dict[str, Any] = {"vocabulary": 31, "heads": 2, "width": 10}


@pytest.mark.parametrize(
    "config",
    [
        bert_config(layers=1, **SIZES),
        bert_config(layers=4, **SIZES),
        albert_config(layers=5, groups=2, inner_layers=2, **SIZES),
        albert_config(layers=5, sharing=Sharing.ATTENTION, **SIZES),
        gpt_config(layers=3, **SIZES),
        t5_config(layers=2, decoder_layers=4, **SIZES),
        xlnet_config(layers=3, **SIZES),
    ],
    ids=lambda config: config.system,
)
def test_it_counts_what_would_be_built(config: ModelConfig) -> None:
    built = sum(one.numel() for one in build_empty(config).parameters())
    assert parameter_count(config) == built


def test_bert_base_has_the_published_size() -> None:
    config = bert_config(vocabulary=30_522)
    assert round(parameter_count(config) / 1e6) == 110  # Devlin et al. 2019, section 3


def test_albert_large_has_the_published_size() -> None:
    config = albert_config(vocabulary=30_000, layers=24, heads=16, width=1024, predicts=())
    assert parameter_count(config) == 17_683_968  # 18 million in Lan et al. 2020, table 1


def test_counting_takes_no_memory() -> None:
    config = bert_config(vocabulary=10**9, layers=1000, heads=1, width=10**6)
    assert parameter_count(config) > 10**15
