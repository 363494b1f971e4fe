"""From the name that a person typed to a folder, as far as the policy allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.checkpoints.catalogue import bundled, bundled_checkpoint
from core.checkpoints.files import Folder
from core.checkpoints.hub import hub_folder, is_cached, is_hub_name
from core.checkpoints.policy import LoadPolicy
from core.hugging_face.errors import (
    CheckpointNotAllowedError,
    NotAFolderError,
    UnknownCheckpointError,
)

MAX_NAME_CHARACTERS = 1_000


def find_folder(name: str, policy: LoadPolicy) -> Folder:
    """A bundled name, else a local folder beneath the allowed roots, else a name on the hub.

    Links are followed before a place is judged, and a place outside the roots is refused in the
    same way whether or not anything is there. A relative name is looked for in every root, in
    their order.

    Raises:
        UnknownCheckpointError: nothing has this name.
        NotAFolderError: it is a file.
        CheckpointNotAllowedError: it leads out of the roots, or the hub is switched off.
        OfflineError: the hub does not answer, and its cache does not have the checkpoint.
    """
    shipped = bundled_checkpoint(name)
    if shipped is not None:
        return Folder(shipped.folder, within=shipped.folder)
    unknown = UnknownCheckpointError(name, tuple(one.name for one in bundled()))
    if not name.isprintable() or not name.strip() or len(name) > MAX_NAME_CHARACTERS:
        raise unknown
    places = list(_places_beneath(policy.roots, name))
    for place in places:
        if place.is_dir():
            return Folder(place, within=_home(place, policy.roots))
        if place.is_file():
            raise NotAFolderError(place)
    if is_hub_name(name):
        if not policy.allow_hub:
            raise CheckpointNotAllowedError(name, "fetching from the model hub is switched off")
        return hub_folder(name, policy)
    if not places and _is_path(name):
        reason = "it is not in a folder from which checkpoints may be read"
        raise CheckpointNotAllowedError(name, reason)
    raise unknown


def needs_download(name: str, policy: LoadPolicy) -> bool:
    """Whether :func:`find_folder` would have to fetch it from the hub first."""
    try:
        find_folder(name, replace(policy, allow_hub=False))
    except CheckpointNotAllowedError:
        return policy.allow_hub and is_hub_name(name) and not is_cached(name)
    except UnknownCheckpointError:
        return False
    return False


def _places_beneath(roots: tuple[Path, ...], name: str) -> Iterator[Path]:
    allowed = [root.resolve() for root in roots]
    for root in allowed:
        try:
            place = (root / name).resolve()  # an absolute name replaces the root
            place.is_dir()
        except (OSError, RuntimeError):  # a part that is too long, a loop of links
            continue
        if any(place.is_relative_to(one) for one in allowed):
            yield place


def _home(place: Path, roots: tuple[Path, ...]) -> Path:
    """Where the files of a folder must really lie: in it.

    A snapshot in the hub's cache, ``models--OWNER--NAME/snapshots/COMMIT``, links to files beside
    it: they must lie in the folder of the model, if that may be read.
    """
    model = place.parent.parent
    in_cache = place.parent.name == "snapshots" and model.name.startswith("models--")
    allowed = any(model.is_relative_to(root.resolve()) for root in roots)
    return model if in_cache and allowed else place


def _is_path(name: str) -> bool:
    path = Path(name)
    return path.is_absolute() or len(path.parts) > 1 or name in {".", ".."}
