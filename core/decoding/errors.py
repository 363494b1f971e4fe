"""What cannot be asked of a model that writes."""

from __future__ import annotations

from core.errors import HeadlightError


class SamplingError(HeadlightError):
    """A number of the sampling out of its range."""

    def __init__(self, name: str, value: float, wanted: str) -> None:
        super().__init__(f"{name} must be {wanted}, not {value}")
        self.name = name
        self.value = value
        self.wanted = wanted
