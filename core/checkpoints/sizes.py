"""How large a model would be, from its configuration alone."""

from __future__ import annotations

from dataclasses import replace

from core.config import ModelConfig, StackConfig
from core.models.registry import build_empty


def parameter_count(config: ModelConfig) -> int:
    """The number of parameters of the model that ``core.models.registry.build`` would make.

    Shared weights count once. No number is allocated, and at most three layers are built: all
    modules of a stack are of one size.
    """
    encoder, decoder = _cut(config.encoder, 1), _cut(config.decoder, 1)
    least = _count(replace(config, encoder=encoder, decoder=decoder))
    count = least
    if (stack := config.encoder) is not None and stack.modules > 1:
        longer = replace(config, encoder=_cut(stack, 2), decoder=decoder)
        count += (stack.modules - 1) * (_count(longer) - least)
    if (stack := config.decoder) is not None and stack.modules > 1:
        longer = replace(config, encoder=encoder, decoder=_cut(stack, 2))
        count += (stack.modules - 1) * (_count(longer) - least)
    return count


def _cut(stack: StackConfig | None, modules: int) -> StackConfig | None:
    return None if stack is None else replace(stack, plan=tuple(range(modules)))


def _count(config: ModelConfig) -> int:
    return sum(parameter.numel() for parameter in build_empty(config).parameters())
