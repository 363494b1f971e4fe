"""The field for a folder or a name on the hub, and what comes of it."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app import downloads
from app.ask import ask
from app.host import HUB, MODELS, hub_bytes, load_policy, model_roots
from app.i18n import _
from app.models import can_be_fetched, keep, short_name
from app.parts.model_picker import OF_ONE_MODEL
from app.parts.notices import notices, show_error, without_markup
from app.sections.model.words import megabytes
from app.state import choose, forget, is_allowed
from core.checkpoints import NotFetchedError, download_size
from core.engine import call
from core.errors import HeadlightError
from core.tasks.describe import describe

FIELD = "own-name"
ASKED = "own model that is asked for"
SIZE = "size of the model that is asked for"
LOOK_SECONDS = 0.5
LONGEST_NAME = 1_000


def draw_field() -> DeltaGenerator:
    """Draw the field, and below it what the host allows; return the place for a wait."""
    roots, hub = model_roots(), hub_bytes()
    if roots or hub:
        with st.container(horizontal=True, vertical_alignment="center", key="model-field"):
            st.text_input(
                _("Folder or name on the hub") if hub else _("Folder"),
                key=FIELD,
                label_visibility="collapsed",
                placeholder=_placeholder(bool(roots), hub > 0),
                on_change=_take,
                width="stretch",
            )
            st.button(_("Open"), key="open-own", on_click=_take)
    st.caption(_what_is_allowed([root.name or "/" for root in roots], hub))
    return st.empty()


def open_asked(status: DeltaGenerator) -> None:
    """Open what was asked for, offer to fetch it, or say why neither is possible."""
    name = st.session_state.get(ASKED)
    if not name:
        return
    coming = downloads.look(name, _session())
    if coming is not None and not coming.ended:
        _draw_progress(name)
        return
    with notices(way_out=_draw_detail):
        if coming is not None:
            downloads.leave(name, _session())
            if coming.error is not None:
                st.session_state.pop(ASKED)
                raise coming.error
        if not is_allowed("model", name):
            said = _("“{name}” is too long for a link. Give the folder a shorter name.")
            st.error(without_markup(said.format(name=name)))
            return
        try:
            ask(call(describe, name), status)
        except NotFetchedError:
            _offer(name)
            return
        st.session_state.pop(ASKED)
        choose("model", name)
        keep(name)
        for one in OF_ONE_MODEL:
            forget(one)


def _take() -> None:
    typed = (st.session_state.get(FIELD) or "")[:LONGEST_NAME].strip()
    st.session_state.pop(SIZE, None)
    st.session_state[ASKED] = short_name(typed) if typed else None


def _placeholder(folders: bool, hub: bool) -> str:
    if not hub:
        return _("Name of a folder")
    return (
        _("Name of a folder, or owner/name on the hub") if folders else _("owner/name on the hub")
    )


def _what_is_allowed(roots: list[str], hub: int) -> str:
    said = []
    if roots:
        names = ", ".join(_("“{name}”").format(name=without_markup(name)) for name in roots)
        said.append(_("Folders beneath {names} can be opened.").format(names=names))
    if hub:
        most = _("{size} can be fetched from the Hugging Face hub.")
        said.append(most.format(size=megabytes(hub)))
    if said:
        return " ".join([*said, _("Only those who have your link see what you open.")])
    return _(
        "Whoever started Headlight did not open it to other models. `{models}=/a/folder make run`"
        " lets readers open the models beneath that folder; with `{hub}=500` they may also fetch"
        " 500 MB from the Hugging Face hub."
    ).format(models=MODELS, hub=HUB)


def _offer(name: str) -> None:
    """Say how much would have to be fetched, and wait for a yes."""
    if not can_be_fetched(name):
        return
    known = st.session_state.get(SIZE)
    if known is None or known[0] != name:
        known = (name, download_size(name, load_policy()))
        st.session_state[SIZE] = known
    size = known[1]
    with st.container(horizontal=True, vertical_alignment="center", key="model-offer"):
        said = _("“{name}” is not here yet. Fetching it brings {size} from the hub.")
        st.markdown(without_markup(said.format(name=name, size=megabytes(size))), width="content")
        st.button(
            _("Fetch {size}").format(size=megabytes(size)),
            key="fetch-own",
            type="primary",
            on_click=_fetch,
            args=(name, size),
        )
        st.button(_("Cancel"), key="drop-own", on_click=_drop, args=(name,))


def _fetch(name: str, size: int) -> None:
    try:
        downloads.fetch(name, size, _session())
    except HeadlightError as error:
        show_error(error)


def _drop(name: str) -> None:
    downloads.leave(name, _session())
    st.session_state.pop(ASKED, None)


@st.fragment(run_every=LOOK_SECONDS)
def _draw_progress(name: str) -> None:
    coming = downloads.look(name, _session())
    if coming is None or coming.ended:
        st.rerun()
    done, total = coming.progress
    with st.container(horizontal=True, vertical_alignment="center", key="model-progress"):
        said = _("{done} of {size} of {name}")
        st.progress(
            done / total if total else 0.0,
            text=without_markup(
                said.format(done=megabytes(done), size=megabytes(total), name=name)
            ),
            width="stretch",
        )
        st.button(_("Cancel"), key="stop-own", on_click=_drop, args=(name,))


def _draw_detail(error: HeadlightError) -> None:
    """The exact reason, with names and numbers, for whoever can mend the files."""
    said = _("In detail: {reason}").format(reason=error)
    st.caption(without_markup(said))


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""
