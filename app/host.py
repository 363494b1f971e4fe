"""What whoever started the app allows its readers to open, besides the bundled models.

Two variables of the environment say it, read at every request:

- ``HEADLIGHT_MODELS``: a folder, or several with the separator of ``PATH`` between them. Readers
  may open what lies beneath, by its name there; nothing else of this machine, and no list of it
  is shown to anybody.
- ``HEADLIGHT_HUB``: how many megabytes readers may fetch from the Hugging Face hub, all together,
  until the app is started again. Nothing is fetched because a link names it: somebody has to ask.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.checkpoints import LoadPolicy

MODELS = "HEADLIGHT_MODELS"
HUB = "HEADLIGHT_HUB"
MOST_MEGABYTES = 1_000_000

_MEGABYTES = re.compile(r"[0-9]{1,7}")


def model_roots() -> tuple[Path, ...]:
    """The folders beneath which models may be opened, links followed."""
    names = os.environ.get(MODELS, "").split(os.pathsep)
    return tuple(Path(name.strip()).expanduser().resolve() for name in names if name.strip())


def hub_bytes() -> int:
    """How much may be fetched from the hub; 0 where the hub is off, or the variable no number."""
    written = os.environ.get(HUB, "").strip()
    if not _MEGABYTES.fullmatch(written):
        return 0
    return min(int(written), MOST_MEGABYTES) * 1_000_000


def load_policy() -> LoadPolicy:
    """What any page may open: bundled models, folders beneath the roots, what was fetched."""
    return LoadPolicy(model_roots(), allow_hub=hub_bytes() > 0, fetch_on_demand=False)
