"""The size of a model from its configuration alone."""

from core.checkpoints import parameter_count
from core.models.architectures.bert import bert_config


def test_bert_base_has_the_published_size() -> None:
    config = bert_config(vocabulary=30_522)
    assert round(parameter_count(config) / 1e6) == 110  # Devlin et al. 2019, section 3


def test_counting_takes_no_memory() -> None:
    config = bert_config(vocabulary=10**9, layers=1000, heads=1, width=10**6)
    assert parameter_count(config) > 10**15
