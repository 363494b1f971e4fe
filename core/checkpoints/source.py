"""From the name that a person typed to a folder, as far as the policy allows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.checkpoints.catalogue import bundled
from core.checkpoints.errors import CheckpointNotAllowedError, UnknownCheckpointError
from core.checkpoints.files import Folder
from core.checkpoints.hub import hub_folder, is_hub_name
from core.checkpoints.policy import LoadPolicy

MAX_NAME_CHARACTERS = 1_000


@dataclass(frozen=True)
class Source:
    """Where a checkpoint lies."""

    name: str
    folder: Folder


def find_source(name: str, policy: LoadPolicy) -> Source:
    """A bundled name, else a local folder beneath the allowed roots, else a name on the hub.

    Links are followed before the place is judged, and a place outside the roots is refused in the
    same way whether or not anything is there.

    Raises:
        UnknownCheckpointError: nothing has this name.
        CheckpointNotAllowedError: it leads out of the roots, or the hub is switched off.
        OfflineError: the hub does not answer, and its cache does not have the checkpoint.
    """
    shipped = {one.name: one for one in bundled()}
    if name in shipped:
        path = shipped[name].folder
        return Source(name, Folder(path, within=path))
    available = tuple(shipped)
    if not name.isprintable() or not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        raise UnknownCheckpointError(name, available)
    if (local := _local_folder(name, policy.roots)) is not None:
        return Source(name, Folder(local, within=local))
    if is_hub_name(name):
        if not policy.allow_hub:
            raise CheckpointNotAllowedError(name, "fetching from the model hub is switched off")
        return Source(name, hub_folder(name, policy))
    if _leads_elsewhere(name):
        raise CheckpointNotAllowedError(
            name, "it is not in a folder from which checkpoints may be read"
        )
    raise UnknownCheckpointError(name, available)


def _local_folder(name: str, roots: tuple[Path, ...]) -> Path | None:
    allowed = [root.resolve() for root in roots]
    for root in allowed:
        try:
            candidate = (root / name).resolve()  # an absolute name replaces the root
            if any(candidate.is_relative_to(one) for one in allowed) and candidate.is_dir():
                return candidate
        except (OSError, RuntimeError):  # a part too long, a loop of links
            continue
    return None


def _leads_elsewhere(name: str) -> bool:
    path = Path(name)
    return path.is_absolute() or ".." in path.parts or len(path.parts) > 1
