"""The published sizes of BERT's family, to be built without weights and counted part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from core.analysis.parts import ParameterGroup, parts_of
from core.config import ModelConfig
from core.models.architectures.albert import albert_config
from core.models.architectures.bert import bert_config
from core.models.architectures.distilbert import distilbert_config
from core.models.architectures.mtdnn import mtdnn_config
from core.models.architectures.roberta import roberta_config
from core.models.architectures.spanbert import spanbert_config
from core.models.architectures.structbert import structbert_config
from core.models.architectures.xlnet import xlnet_config
from core.models.registry import build_empty

_LARGE: Final[Mapping[str, Any]] = {
    "layers": 24,
    "heads": 16,
    "width": 1024,
    "feed_forward": 4096,
}


@dataclass(frozen=True)
class PublishedSize:
    """One model as it was published.

    Attributes:
        title: what people call it.
        config: its sizes; heads do not matter.
        stated: its parameters in words of the paper; empty where none says.
        source: where they are stated.
        pooler: whether what is stated counts the pooler; ``None`` where neither count is met.
    """

    title: str
    config: ModelConfig
    stated: str = ""
    source: str = ""
    pooler: bool | None = None


@dataclass(frozen=True)
class Count:
    """Parameters of one model, by what they are counted with.

    Attributes:
        parts: of the body, in the order of the forward pass; a shared part once.
        pooler: a dense layer over the first token; 0 for a model that has none.
    """

    parts: tuple[ParameterGroup, ...]
    pooler: int

    @property
    def body(self) -> int:
        """Tables and layers, without pooler and heads."""
        return sum(part.count for part in self.parts)

    @property
    def with_pooler(self) -> int:
        """The body with its pooler."""
        return self.body + self.pooler


@cache
def published_sizes() -> tuple[PublishedSize, ...]:
    """The sizes, in the order in which the models came; ALBERT's four beside BERT's two.

    Vocabularies: 30,522 and 28,996 pieces in the released BERTs, uncased and cased; SpanBERT takes
    the cased one; ALBERT's paper counts BERT with 30,000, as its own.
    """
    albert = "Lan et al. 2020, “ALBERT”, table 1"
    xlarge: Mapping[str, Any] = {"layers": 24, "heads": 16, "width": 2048, "feed_forward": 8192}
    xxlarge: Mapping[str, Any] = {"layers": 12, "heads": 64, "width": 4096, "feed_forward": 16384}
    bert, electra = "Devlin et al. 2019, “BERT”, section 3", "Clark et al. 2020, “ELECTRA”, table 4"
    return (
        PublishedSize("BERT-base", bert_config(vocabulary=30_522), "110M", bert, True),
        PublishedSize("BERT-large", bert_config(vocabulary=30_522, **_LARGE), "340M", bert),
        PublishedSize(
            "BERT-large, 30,000 pieces",
            bert_config(vocabulary=30_000, **_LARGE),
            "334M",
            albert,
            False,
        ),
        PublishedSize("ALBERT-base", albert_config(vocabulary=30_000), "12M", albert, True),
        PublishedSize(
            "ALBERT-large", albert_config(vocabulary=30_000, **_LARGE), "18M", albert, True
        ),
        PublishedSize(
            "ALBERT-xlarge", albert_config(vocabulary=30_000, **xlarge), "60M", albert, True
        ),
        PublishedSize(
            "ALBERT-xxlarge", albert_config(vocabulary=30_000, **xxlarge), "235M", albert
        ),
        PublishedSize("RoBERTa-base", roberta_config(vocabulary=50_265)),
        PublishedSize(
            "RoBERTa-large", roberta_config(vocabulary=50_265, **_LARGE), "356M", electra
        ),
        PublishedSize(
            "SpanBERT-large", spanbert_config(vocabulary=28_996, **_LARGE), "335M", electra
        ),
        PublishedSize("DistilBERT", distilbert_config(vocabulary=30_522)),
        PublishedSize("StructBERT-large", structbert_config(vocabulary=30_522, **_LARGE)),
        PublishedSize("XLNet-base", xlnet_config(vocabulary=32_000), "117M", electra, False),
        PublishedSize(
            "XLNet-large", xlnet_config(vocabulary=32_000, **_LARGE), "360M", electra, False
        ),
        PublishedSize("MT-DNN, large", mtdnn_config(vocabulary=30_522, **_LARGE)),
    )


def count(config: ModelConfig) -> Count:
    """Count a model part by part, from the shapes of its tensors; no weights are made."""
    model = build_empty(config)
    parts = parts_of((name, one.numel()) for name, one in model.named_parameters())
    pooler = sum(part.count for part in parts if part.name == "pooler")
    return Count(tuple(part for part in parts if part.side != "head"), pooler)
