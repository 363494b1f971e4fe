"""All comparisons: those that the files in ``comparisons`` state."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from core.config import ModelConfig
from core.errors import UnknownSystemError
from core.parity import comparisons
from core.parity.compare import Comparison


def _modules() -> list[ModuleType]:
    return [
        importlib.import_module(f"{comparisons.__name__}.{file.name}")
        for file in pkgutil.iter_modules(comparisons.__path__)
    ]


COMPARISONS: dict[str, Comparison] = {
    one.name: one for module in _modules() for one in module.COMPARISONS
}
# What a model needs to be run on a reader's own texts, where that is another run.
_FOR_TEXTS: tuple[Comparison, ...] = tuple(
    one for module in _modules() for one in getattr(module, "FOR_TEXTS", ())
)


def comparison_of(name: str) -> Comparison:
    """The table's entry of a name: that of a system, or of a variant of one.

    Raises:
        UnknownSystemError: it has none.
    """
    if name not in COMPARISONS:
        raise UnknownSystemError(name, tuple(COMPARISONS))
    return COMPARISONS[name]


def comparison_for_texts(config: ModelConfig) -> Comparison | None:
    """What compares a model on a reader's own texts; ``None`` where there is no such class."""
    fitting = (
        one
        for one in (*_FOR_TEXTS, *COMPARISONS.values())
        if one.system == config.system and one.fits(config)
    )
    return next(fitting, None)
