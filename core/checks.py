"""What configurations refuse."""

from __future__ import annotations

from core.errors import ConfigError


def require_positive(owner: object, *names: str) -> None:
    """Refuse a field below 1."""
    for name in names:
        value = getattr(owner, name)
        if value < 1:
            raise ConfigError(f"{type(owner).__name__}.{name} must be at least 1, not {value}")


def require_probability(owner: object, *names: str) -> None:
    """Refuse a field outside [0, 1)."""
    for name in names:
        value = getattr(owner, name)
        if not 0.0 <= value < 1.0:
            raise ConfigError(f"{type(owner).__name__}.{name} must be in [0, 1), not {value}")
