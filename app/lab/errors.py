"""What the lab refuses."""

from core.errors import HeadlightError


class LabFullError(HeadlightError):
    """More runs wait than anybody would wait for."""

    def __init__(self, waiting: int) -> None:
        super().__init__(f"{waiting} runs are waiting in the lab; try again in a minute")
        self.waiting = waiting


class TooManyRunsError(HeadlightError):
    """One reader wants more curves than one picture holds."""

    def __init__(self, wanted: int, limit: int) -> None:
        super().__init__(f"{wanted} runs at once are too many for one picture; it holds {limit}")
        self.wanted = wanted
        self.limit = limit
