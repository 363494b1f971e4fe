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
from core.models.architectures.mtdnn import Mtdnn
from core.models.architectures.spanbert import SpanBert
from core.models.architectures.structbert import StructBert
from core.models.blocks.weights import Initialises
from core.models.body import Body
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
    model: type[Body]

    @property
    def two_sided(self) -> bool:
        """Whether it reads one text and writes another."""
        return self.model.two_sided

    @property
    def recurrent(self) -> bool:
        """Whether it reads with gates in place of attention heads."""
        return self.model.recurrent

    @property
    def permuting(self) -> bool:
        """Whether it reads the tokens of a text in any order, in two streams."""
        return bool(self.model.streams)

    @property
    def causal(self) -> bool:
        """Whether each token sees only those before it, in one text without segments."""
        return self.model.causal


SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        System("bert", "BERT", Bert),
        System("roberta", "RoBERTa", Bert),
        System("albert", "ALBERT", Albert),
        System("distilbert", "DistilBERT", Bert),
        System("electra", "ELECTRA", Electra),
        System("gpt", "GPT-2", DecoderBody),
        System("gpt1", "GPT", DecoderBody),
        System("t5", "T5", EncoderDecoder),
        System("xlnet", "XLNet", PermutationBody),
        System("transformer", "Transformer", EncoderDecoder),
        System("spanbert", "SpanBERT", SpanBert),
        System("structbert", "StructBERT", StructBert),
        System("mtdnn", "MT-DNN", Mtdnn),
        System("seq2seq", "Seq2seq", RecurrentBody),
    )
}


def build(config: ModelConfig) -> Body:
    """Build a freshly initialised model in training mode, its hook points named.

    Raises:
        UnknownSystemError: no such system.
    """
    model = _assemble(config)
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, Initialises):
                module.initialise(config)
    return model


def build_empty(config: ModelConfig) -> Body:
    """As :func:`build`, on the meta device: shapes without numbers, for weights that are read.

    Raises:
        UnknownSystemError: no such system.
    """
    with torch.device("meta"), _NoFirstNumbers():
        return _assemble(config)


def _assemble(config: ModelConfig) -> Body:
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
