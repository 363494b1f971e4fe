"""What can be wrong with a frozen trace."""

from __future__ import annotations

from core.errors import HeadlightError


class AlreadyFrozenError(HeadlightError):
    """A trace is there and would be overwritten."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is frozen already; --again takes its trace anew")
        self.name = name


class NotFrozenError(HeadlightError):
    """There is no trace."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has no frozen trace: python -m core freeze {name}")
        self.name = name


class NotBundledError(HeadlightError):
    """A trace belongs to a checkpoint that comes with the project."""

    def __init__(self, name: str, bundled: tuple[str, ...]) -> None:
        super().__init__(f"{name} is not bundled; these are: {', '.join(bundled) or 'none'}")
        self.name = name
        self.bundled = bundled


class DamagedTraceError(HeadlightError):
    """A trace that contradicts itself."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"the frozen trace of {name} is damaged: {problem}")
        self.name = name
        self.problem = problem


class UnsteadyError(HeadlightError):
    """What a model does hangs on rounding, so another machine would find it changed."""

    def __init__(self, name: str, differences: tuple[str, ...]) -> None:
        super().__init__(
            f"{name} does something else in double precision: {'; '.join(differences)}"
        )
        self.name = name
        self.differences = differences
