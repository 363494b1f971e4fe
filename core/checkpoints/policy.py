"""What may be loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LoadPolicy:
    """Limits for one call of ``load_checkpoint``; bundled checkpoints are always allowed.

    Attributes:
        roots: folders beneath which a local checkpoint may lie.
        allow_hub: whether ``owner/name`` may be fetched from the model hub.
        fetch_on_demand: whether what is not there is fetched as soon as it is named; else only what
            ``download`` has fetched before is opened, as it came then.
        max_bytes: all files of weights together.
        max_parameters: of the model; as float32 it takes four bytes each.
    """

    roots: tuple[Path, ...] = ()
    allow_hub: bool = False
    fetch_on_demand: bool = True
    max_bytes: int = 2_000_000_000
    max_parameters: int = 500_000_000
