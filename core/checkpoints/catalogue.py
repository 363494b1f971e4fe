"""The checkpoints that come with the project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.checkpoints.families import read_settings
from core.checkpoints.files import CARD, Folder, fingerprint
from core.config import Head
from core.hugging_face.errors import CheckpointError

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
        heads: what its settings promise that it predicts.
    """

    name: str
    system: str
    title: str
    folder: Path
    size_bytes: int
    heads: frozenset[Head]


def bundled() -> tuple[BundledCheckpoint, ...]:
    """All bundled checkpoints by name; a folder that cannot be opened is left out."""
    if not BUNDLED_FOLDER.is_dir():
        return ()
    found = (look(path) for path in sorted(BUNDLED_FOLDER.iterdir()) if path.is_dir())
    return tuple(one for one in found if one is not None)


def bundled_checkpoint(name: str) -> BundledCheckpoint | None:
    """The bundled checkpoint of this name, without a look at the others."""
    path = BUNDLED_FOLDER / name
    try:
        if path.parent != BUNDLED_FOLDER or path.name != name or not path.is_dir():
            return None
    except (OSError, ValueError):  # a name that no folder can have
        return None
    return look(path)


def look(path: Path) -> BundledCheckpoint | None:
    """What the small files of a folder say of its checkpoint; ``None`` if they are not one's."""
    return _look(path, fingerprint(path))


@lru_cache(maxsize=128)
def _look(path: Path, _state: str) -> BundledCheckpoint | None:
    folder = Folder(path, within=path)
    try:
        family, settings = read_settings(folder)
        heads = frozenset(family.table.promised_heads(settings))
        card = folder.read_text(CARD) or ""
    except CheckpointError:
        return None
    headings = (line.lstrip("# ").strip() for line in card.splitlines() if line.startswith("# "))
    size = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    title = next(headings, path.name)
    return BundledCheckpoint(path.name, family.system, title, path, size, heads)
