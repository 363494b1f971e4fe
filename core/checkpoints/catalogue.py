"""The checkpoints that come with the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.checkpoints.errors import CheckpointError
from core.checkpoints.files import CARD, CONFIG, Folder
from core.checkpoints.maps import family_of_settings

BUNDLED_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "checkpoints"


@dataclass(frozen=True)
class BundledCheckpoint:
    """One folder of ``assets/checkpoints``.

    Attributes:
        name: the folder's name, which loads it.
        system: as in ``core.models.registry``.
        title: the first heading of its card, else its name.
        folder: where it lies.
        size_bytes: all its files.
    """

    name: str
    system: str
    title: str
    folder: Path
    size_bytes: int


def bundled() -> tuple[BundledCheckpoint, ...]:
    """All bundled checkpoints by name; a folder that cannot be opened is left out."""
    if not BUNDLED_FOLDER.is_dir():
        return ()
    found = (_look(path) for path in sorted(BUNDLED_FOLDER.iterdir()) if path.is_dir())
    return tuple(one for one in found if one is not None)


def _look(path: Path) -> BundledCheckpoint | None:
    folder = Folder(path, within=path)
    if folder.find(CONFIG) is None:
        return None
    try:
        system = family_of_settings(folder.settings()).system
        card = folder.read_text(CARD) or ""
    except CheckpointError:
        return None
    headings = (line.lstrip("# ").strip() for line in card.splitlines() if line.startswith("# "))
    size = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    return BundledCheckpoint(path.name, system, next(headings, path.name), path, size)
