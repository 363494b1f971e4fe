"""From a system's name to its model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from core.config import ModelConfig
from core.errors import UnknownSystemError
from core.hooks.point import name_hook_points
from core.models.architectures.albert import Albert
from core.models.architectures.bert import Bert
from core.models.architectures.electra import Electra
from core.models.architectures.gpt import Gpt
from core.models.architectures.mtdnn import Mtdnn
from core.models.architectures.spanbert import SpanBert
from core.models.architectures.structbert import StructBert
from core.models.architectures.xlnet import Xlnet
from core.models.blocks.attention import Attention
from core.models.blocks.gated_unit import GatedUnit
from core.models.blocks.norms import RootMeanSquareNorm
from core.models.blocks.relative import RelativeBias
from core.models.blocks.relative_attention import RelativeAttention
from core.models.decoder import DecoderBody
from core.models.encoder_decoder import EncoderDecoder
from core.models.permutation import PermutationBody
from core.models.recurrent import RecurrentBody


@dataclass(frozen=True)
class System:
    """One row of the table of systems.

    Attributes:
        name: as in ``ModelConfig.system``.
        title: as a person reads it.
        model: builds the module from a configuration.
    """

    name: str
    title: str
    model: type[nn.Module]

    @property
    def two_sided(self) -> bool:
        """Whether it reads one text and writes another."""
        return issubclass(self.model, EncoderDecoder | RecurrentBody)

    @property
    def recurrent(self) -> bool:
        """Whether it reads with gates in place of attention heads."""
        return issubclass(self.model, RecurrentBody)

    @property
    def permuting(self) -> bool:
        """Whether it reads the tokens of a text in any order, in two streams."""
        return issubclass(self.model, PermutationBody)

    @property
    def causal(self) -> bool:
        """Whether each token sees only those before it, in one text without segments."""
        return issubclass(self.model, DecoderBody)


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("bert", "BERT", Bert),
        System("roberta", "RoBERTa", Bert),
        System("albert", "ALBERT", Albert),
        System("distilbert", "DistilBERT", Bert),
        System("electra", "ELECTRA", Electra),
        System("gpt", "GPT-2", Gpt),
        System("gpt1", "GPT", Gpt),
        System("t5", "T5", EncoderDecoder),
        System("xlnet", "XLNet", Xlnet),
        System("transformer", "Transformer", EncoderDecoder),
        System("spanbert", "SpanBERT", SpanBert),
        System("structbert", "StructBERT", StructBert),
        System("mtdnn", "MT-DNN", Mtdnn),
        System("seq2seq", "Seq2seq", RecurrentBody),
    )
}


def build(config: ModelConfig) -> nn.Module:
    """Build a freshly initialised model in training mode, its hook points named.

    Raises:
        UnknownSystemError: no such system.
    """
    model = _assemble(config)
    initialise(model, config)
    return model


def build_empty(config: ModelConfig) -> nn.Module:
    """As :func:`build`, on the meta device: shapes without numbers, for weights that are read.

    Raises:
        UnknownSystemError: no such system.
    """
    with torch.device("meta"), _NoFirstNumbers():
        return _assemble(config)


def _assemble(config: ModelConfig) -> nn.Module:
    system = SYSTEMS.get(config.system)
    if system is None:
        raise UnknownSystemError(config.system, tuple(SYSTEMS))
    model = system.model(config)
    name_hook_points(model)
    return model


class _NoFirstNumbers(TorchFunctionMode):
    """Passes over the numbers that torch gives a fresh layer.

    On the meta device there are none, yet torch would import its whole compiler to draw them,
    which takes longer than everything else about opening a checkpoint.
    """

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        arguments: tuple[Any, ...] = (),
        options: dict[str, Any] | None = None,
    ) -> Any:
        options = options or {}
        if getattr(function, "__module__", None) == nn.init.__name__:
            return options["tensor"] if "tensor" in options else arguments[0]
        return function(*arguments, **options)


@torch.no_grad()
def initialise(model: nn.Module, config: ModelConfig) -> None:
    """Normal matrices of the configured standard deviation, zero biases, unit norms.

    Matrices from state to state of a recurrent unit are orthogonal. With ``fan_in`` a matrix, but
    no table of tokens, has the deviation divided by the root of what it reads, so that what it
    gives is as large as that, and queries are as much smaller as the scale of their products is
    missing: as in T5 (Raffel et al. 2020, released code), which is trained with Adafactor, whose
    steps grow with the weights.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            deviation = config.initial_deviation
            if config.fan_in and isinstance(module, nn.Linear):
                deviation *= module.in_features**-0.5
            module.weight.normal_(0.0, deviation)
        if isinstance(module, nn.LayerNorm | RootMeanSquareNorm):
            module.weight.fill_(1.0)
        if isinstance(module, nn.Linear | nn.LayerNorm) and module.bias is not None:
            module.bias.zero_()
    for module in model.modules():
        if isinstance(module, GatedUnit):
            module.initialise()
        if isinstance(module, RelativeAttention | PermutationBody):
            module.initialise(config.initial_deviation)
        if config.fan_in and isinstance(module, Attention):
            size = module.query_projection.out_features // module.heads
            module.query_projection.weight.mul_(size**-0.5 / module.score.scale)
        if config.fan_in and isinstance(module, RelativeBias):
            module.table.weight.mul_(config.embedding.layer_width**-0.5)
