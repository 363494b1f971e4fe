"""The models that a reader may open: the bundled ones, and what came with the reader.

The latter are known by name, and only in the session that named them.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.host import load_policy, model_roots
from core.checkpoints import BundledCheckpoint, bundled, bundled_checkpoint
from core.checkpoints.examine import examine
from core.checkpoints.hub import is_hub_name
from core.checkpoints.source import find_folder
from core.errors import HeadlightError
from core.models.registry import SYSTEMS

KEY = "own models"
MOST = 8


def models() -> tuple[BundledCheckpoint, ...]:
    """The bundled models, in the order of the systems, then what this session has opened."""
    order = list(SYSTEMS)
    ours = sorted(bundled(), key=lambda one: (order.index(one.system), one.name))
    return (*ours, *own_entries())


def entry_of(name: str) -> BundledCheckpoint | None:
    """What is known of a model before it is opened; None of one that cannot be."""
    return bundled_checkpoint(name) or own_entry(name)


def title_of(name: str) -> str:
    """What people call a model: a bundled one has a title, another one its name."""
    one = bundled_checkpoint(name)
    return one.title if one else name


def keep(name: str) -> None:
    """Offer a model in the lists of this session, the latest first."""
    others = [one for one in st.session_state.get(KEY, ()) if one != name]
    st.session_state[KEY] = (name, *others)[:MOST]


def own_entries() -> tuple[BundledCheckpoint, ...]:
    """What this session has named and what still can be opened; nothing outside of a session."""
    if get_script_run_ctx() is None:
        return ()
    found = map(own_entry, st.session_state.get(KEY, ()))
    return tuple(entry for entry in found if entry is not None)


def own_entry(name: str) -> BundledCheckpoint | None:
    """What is known of a model that is not bundled; None of one that cannot be opened."""
    try:
        return examine(name, find_folder(name, load_policy()))
    except HeadlightError:
        return None


def short_name(typed: str) -> str:
    """The name for a folder that stands in links: as short as it can be, without the host's path.

    What leads nowhere stays as it is, and is refused where it is opened.
    """
    name = typed.strip()
    # Bundled models are chosen from the list; whoever types the name of one means a folder.
    wanted = f"./{name}" if bundled_checkpoint(name) is not None else name
    try:
        place = find_folder(wanted, load_policy()).path.resolve()
    except HeadlightError:
        return name
    for root in model_roots():
        if place.is_relative_to(root):
            return _beneath(place, root)
    return name


def _beneath(place: Path, root: Path) -> str:
    short = place.relative_to(root).as_posix()
    # A bundled model of the same name would be found first.
    names = [f"./{short}" if bundled_checkpoint(short) is not None else short, str(place)]
    policy = load_policy()
    for name in names:
        try:
            if find_folder(name, policy).path.resolve() == place:
                return name
        except HeadlightError:
            continue
    return names[-1]


def can_be_fetched(name: str) -> bool:
    """Whether it is a name on the hub, which may be fetched."""
    return load_policy().allow_hub and is_hub_name(name)
