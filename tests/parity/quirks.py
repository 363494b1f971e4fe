"""What the tests of quirks have in common: one side is broken, and a part must notice."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torch import nn

from core.config import Activation, NormPlacement
from core.models.blocks.activations import Activate
from core.models.blocks.stack import TransformerLayer
from core.parity import Batch, Comparison, differences

Break = Callable[[Any], object]


def modules_of(model: nn.Module, kind: type[nn.Module]) -> Iterator[Any]:
    return (module for module in model.modules() if isinstance(module, kind))


def differences_by_name(
    comparison: Comparison, ours: Any, theirs: Any, batch: Batch
) -> Mapping[str, float]:
    found = differences(comparison, ours, theirs, batch)
    return {part.name: difference for part, difference in found.items()}


def assert_shows(
    comparison: Comparison,
    broken: Break,
    part: str | None,
    length: int = 9,
    batch: Batch | None = None,
) -> None:
    """Nothing is off; once broken, the part is the first one that is, or ``None`` is."""
    ours, theirs = comparison.pair()
    batch = batch or comparison.batch(ours.config.embedding.vocabulary, length)
    before = differences_by_name(comparison, ours, theirs, batch)
    limits = {one.name: one.tolerance for one in comparison.parts}
    assert all(before[name] <= limit for name, limit in limits.items()), before
    broken(ours)
    after = differences_by_name(comparison, ours, theirs, batch)
    off = [name for name, limit in limits.items() if not after[name] <= 2 * limit]
    assert off[:1] == ([] if part is None else [part]), after


def exact_gelu(model: nn.Module) -> None:
    for module in modules_of(model, Activate):
        module.activation = Activation.GELU


def approximate_gelu(model: nn.Module) -> None:
    for module in modules_of(model, Activate):
        module.activation = Activation.GELU_TANH


def other_placement(model: nn.Module) -> None:
    for layer in modules_of(model, TransformerLayer):
        post = layer.placement is NormPlacement.POST
        layer.placement = NormPlacement.PRE if post else NormPlacement.POST
