"""Every error a person can cause, with its facts as attributes.

``str(error)`` is one plain English sentence for the command line; the app builds its own,
translated sentence from the attributes.
"""

from __future__ import annotations

from collections.abc import Sequence


class HeadlightError(Exception):
    """Base of all errors that are shown to a person rather than logged as a fault."""


class ConfigError(HeadlightError):
    """Sizes that contradict each other, named with their numbers."""


class SequenceTooLongError(HeadlightError):
    """More tokens than the model has positions for."""

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(f"the text has {tokens} tokens, but the model reads at most {limit}")
        self.tokens = tokens
        self.limit = limit


class FusedAttentionError(HeadlightError):
    """Attention weights were asked for on the fused path, which never forms them."""

    def __init__(self, site: str) -> None:
        super().__init__(f"the fused attention path never forms {site}; use the explicit path")
        self.site = site


class NothingCapturedError(HeadlightError):
    """A capture or an intervention named sites that no forward pass went through."""

    def __init__(self, sites: Sequence[str]) -> None:
        super().__init__(
            f"no forward pass went through {', '.join(sites)}"
            " (a compiled module runs without its hook points)"
        )
        self.sites = tuple(sites)


class UsedAlreadyError(HeadlightError):
    """An intervention changed what passed a hook point for readers only."""

    def __init__(self, site: str) -> None:
        super().__init__(f"what passes {site} has been used already: changing it changes nothing")
        self.site = site


class HeadOutOfRangeError(HeadlightError):
    """An intervention named a head that the attention it met does not have."""

    def __init__(self, site: str, head: int, heads: int) -> None:
        super().__init__(f"there is no head {head} at {site}: it has {heads}, numbered from 0")
        self.site = site
        self.head = head
        self.heads = heads


class UnknownSystemError(HeadlightError):
    """No such system in the registry."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no system {name!r}; there are: {', '.join(known)}")
        self.name = name
        self.known = tuple(known)


class MissingHeadError(HeadlightError):
    """The model lacks the head that the task needs."""

    def __init__(self, task: str) -> None:
        super().__init__(f"this model has no head that predicts {task}")
        self.task = task


class MissingPairError(HeadlightError):
    """A task about two texts was given one."""

    def __init__(self) -> None:
        super().__init__("this task reads two texts, but there is no second one")


class UnknownTaskError(HeadlightError):
    """The model has no head for a task of this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no task {name!r}; there are: {', '.join(known)}")
        self.name = name
        self.known = tuple(known)
