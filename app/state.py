"""Every setting that changes what a reader sees, and its name in the address.

A setting belongs to one of five owners. A *widget* keeps its own with `bind="query-params"` and a
`key` equal to the setting's name. A *page* sets its own with `choose()` and `forget()`. The
*canvas* reads and writes its own in the browser, and so do *charts* with sliders. The *frame*
around the pages (language, presenter mode) only reads the address. The fields of
`app.settings.Settings` are the list of all of them, with type, default and bounds:

    st.text_input(_("Sentence"), value=Settings.text, key="text", bind=binding("text"))
    settings = current_settings()
    link_query(settings)  # {"v": "1", "text": ..., "layer": "0", ...}
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NoReturn
from urllib.parse import parse_qsl, quote_plus, urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx

from app.settings import DEFAULTS, FIELDS, IN_BROWSER, Owner, Settings, Value

LINK_VERSION = 1
NUMBER = re.compile(r"-?[0-9]{1,9}")
COUNT = re.compile(r"[0-9]{1,5}")
HEAD = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
REMEMBERED = "remembered settings"
PAGE = "page of the remembered settings"
HELD = "settings that wait for a run of the page"
ALONG = "settings for the page that is opened next, and the address of the one left"
AHEAD = "settings of which the browser may not have heard yet, and what it may say of them"
BETWEEN = "addresses of pages as they were left, by entries of the browser's history"
# Of all texts together, as they stand in the address. Servers and proxies refuse longer request
# lines, so that a page with more in its address could not be loaded again.
LONGEST_IN_ADDRESS = 8_000
MOST_STALE = 20  # earlier texts of a setting that are known as such


def names(owner: Owner) -> tuple[str, ...]:
    """The names of the settings that belong to an owner."""
    return tuple(name for name, setting in FIELDS.items() if setting.metadata["owner"] == owner)


def write_value(value: Value) -> str:
    """A value as it stands in the address, in the spelling Streamlit's own widgets use."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_value(name: str, written: str) -> Value:
    """The value that stands in the address; what cannot be read or is out of bounds is the default.

    >>> read_value("layer", "3"), read_value("token", "three"), read_value("present", "true")
    (3, 10, True)
    """
    value = _parse(name, written)
    default: Value = DEFAULTS[name]
    return default if value is None else value


def is_allowed(name: str, value: object) -> bool:
    """Whether a setting can have this value: of the default's type, and within its bounds.

    >>> is_allowed("layer", 3), is_allowed("layer", -1), is_allowed("layer", True)
    (True, False, False)
    """
    if type(value) is not type(DEFAULTS[name]) or not isinstance(value, str | int):
        return False
    return _parse(name, write_value(value)) == value


def numbers_of(written: str) -> tuple[int, ...]:
    """The numbers of a setting that holds several; what is no number is passed over.

    >>> numbers_of("3.7"), numbers_of("3"), numbers_of(""), numbers_of("-1.x.2")
    ((3, 7), (3,), (), (2,))
    """
    return tuple(int(part) for part in written.split(".") if COUNT.fullmatch(part))


def write_numbers(numbers: Iterable[int]) -> str:
    """The inverse of `numbers_of`.

    >>> write_numbers([3, 7])
    '3.7'
    """
    return ".".join(map(str, numbers))


def heads_of(written: str) -> tuple[tuple[int, int], ...]:
    """Layer and head of every head that a setting names; what names none is passed over.

    >>> heads_of("4-7.5-2"), heads_of(""), heads_of("4.7-x.1-0")
    (((4, 7), (5, 2)), (), ((1, 0),))
    """
    found = map(HEAD.fullmatch, written.split("."))
    return tuple((int(match[1]), int(match[2])) for match in found if match)


def write_heads(heads: Iterable[tuple[int, int]]) -> str:
    """The inverse of `heads_of`.

    >>> write_heads([(4, 7), (5, 2)])
    '4-7.5-2'
    """
    return ".".join(f"{layer}-{head}" for layer, head in heads)


def read_query(query: Mapping[str, str]) -> Settings:
    """The settings an address asks for; names that are no settings are ignored."""
    asked: dict[str, Any] = {
        name: read_value(name, query[name]) for name in FIELDS if name in query
    }
    return Settings(**asked)


def link_query(settings: Settings) -> dict[str, str]:
    """Every setting as a complete link has it; defaults too, so that it outlives a new default."""
    written = {name: write_value(value) for name, value in asdict(settings).items()}
    return {"v": str(LINK_VERSION), **written}


def current_settings() -> Settings:
    """The settings of this run: a widget's value where one is shown, else what was last known."""
    _stay_ahead()
    return Settings(**_known(st.query_params.to_dict(), st.session_state))


def binding(name: str) -> Literal["query-params"] | None:
    """For a widget's `bind`: its value stands in the address unless it is too long for one.

    Several texts share the room in the order of the fields of `Settings`.
    """
    session = st.session_state
    return "query-params" if _fits_in_address(name, session.get(name), session) else None


def choose(name: str, value: Value) -> None:
    """Set a setting that no widget of this page holds, in the address too."""
    _stay_ahead()
    _get_ahead(name, write_value(value))
    st.query_params[name] = write_value(value)
    st.session_state.setdefault(REMEMBERED, {})[name] = value


def forget(name: str) -> None:
    """Go back to the default of a setting that no widget of this page holds."""
    _stay_ahead()
    _get_ahead(name, None)
    st.query_params.pop(name, None)
    st.session_state.pop(name, None)
    st.session_state.setdefault(REMEMBERED, {}).pop(name, None)


def show(settings: Mapping[str, Value], *, widgets: Collection[str]) -> None:
    """Set many settings at once, of whatever owner, in the address too. For a callback.

    A canvas finds its own there when other maps come; one that stays has to be told. Where more
    than the canvas changes, the page has to run: `is_held()` says so until it has.

    Args:
        settings: values by name.
        widgets: the settings that have a widget on this page.
    """
    before = current_settings()
    written = {}
    for name, value in settings.items():
        owner = FIELDS[name].metadata["owner"]
        if name in widgets:
            st.session_state[name] = value
            continue
        st.session_state.pop(name, None)
        # All in one step of the browser's history, so a default replaces what stands there.
        if owner in IN_BROWSER or value != DEFAULTS[name] or name in st.query_params:
            written[name] = write_value(value)
    for name in set(names("page")).intersection(written):
        _get_ahead(name, written[name])
    st.query_params.update(written)
    st.session_state.setdefault(REMEMBERED, {}).update(settings)
    of_page = [
        name
        for name in settings
        if name != "scene" and FIELDS[name].metadata["owner"] not in IN_BROWSER
    ]
    if any(settings[name] != getattr(before, name) for name in of_page):
        # The browser may be sending the widgets' old values just now, with a question of its own.
        st.session_state[HELD] = {name: settings[name] for name in widgets}


def is_held() -> bool:
    """Whether settings wait for a run of the page that shows them."""
    return HELD in st.session_state


def settle() -> None:
    """The page has drawn its widgets: the settings that `show()` holds have arrived."""
    st.session_state.pop(HELD, None)


def open_page(
    page: Path,
    settings: Mapping[str, Value],
    *,
    places: Mapping[str, str] | None = None,
    forgotten: Collection[str] = (),
) -> NoReturn:
    """Go to another page with other settings; the page left comes back as it was left.

    Everything stands in the first address that the browser hears of. Streamlit sends it while the
    page left is still there, so the browser's history gets one entry of that page with the
    settings of the next one: `carry_settings` knows it by what is noted here.

    Args:
        page: its file in `pages/`.
        settings: of widgets and pages, also of those that a widget here holds.
        places: where its canvas or its charts open, as in an address.
        forgotten: settings that do not go along.
    """
    address = dict(places or {})
    along = {**{name: DEFAULTS[name] for name in forgotten}, **settings}
    known = {**_known(st.query_params.to_dict(), st.session_state), **along}
    # What the browser owns, it keeps itself: it may stand otherwise by now.
    left = {
        name: text
        for name, text in st.query_params.to_dict().items()
        if name not in FIELDS or FIELDS[name].metadata["owner"] not in IN_BROWSER
    }
    st.session_state[ALONG] = (along, left)
    address |= _written(_carried(known, address), known)
    context = get_script_run_ctx()
    if context is not None:
        _release(context, address)
    st.switch_page(page, query_params=address)


def carry_settings() -> None:
    """Take the settings along when the reader goes to another page.

    Call it once the navigation has decided on the page, and before any widget of that page.
    Streamlit drops a page's own parameters on the way to another one. What was last known comes
    back before the new page draws its widgets; after a step back or forward in the browser's
    history, what the address says. The canvas carries its own in the browser.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    page = context.page_script_hash
    page_left = st.session_state.get(PAGE, page)
    st.session_state[PAGE] = page
    address = dict(parse_qsl(context.query_string, keep_blank_values=True))
    if context.is_history_navigation:
        left = st.session_state.get(BETWEEN, {}).get(_entry(page, address))
        if left is not None or page_left != page:
            address = address if left is None else left
            _restore_address(context, address)
    if page_left == page:
        st.session_state.update(st.session_state.get(HELD, {}))
        st.session_state[REMEMBERED] = _known(st.query_params.to_dict(), st.session_state)
        return
    settle()
    st.session_state.pop(AHEAD, None)
    along, left = st.session_state.pop(ALONG, ({}, None))
    # The session may still hold a value of an earlier visit to this page; the address, where the
    # browser has sent it, is what the reader saw last.
    known = {**st.session_state.get(REMEMBERED, {}), **along, **_known(address, {})}
    st.session_state[REMEMBERED] = known
    if context.is_history_navigation:
        return
    if left is not None:
        st.session_state.setdefault(BETWEEN, {})[_entry(page_left, address)] = left
    carried = _carried(known, st.query_params)
    for name in {*carried, *along}.intersection(names("widget")):
        st.session_state[name] = known[name]
    written = _written(carried, known)
    if written:
        _release(context, written)
        st.query_params.update(written)


def _get_ahead(name: str, text: str | None) -> None:
    """Note that a setting of the page is about to be set to a text, or taken out of the address."""
    before = st.query_params.get(name)
    if before == text:
        return
    ahead = st.session_state.setdefault(AHEAD, {})
    _text, stale = ahead.get(name, (None, ()))
    ahead[name] = (text, (*(one for one in stale if one != text), before)[-MOST_STALE:])


def _stay_ahead() -> None:
    """Set again what the browser has not heard of.

    With every press it says what stands in its address, and a press that comes before an answer
    still says what stood there before: nobody but the server writes settings of the page there,
    except a step in the browser's history.
    """
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:
        st.session_state.pop(AHEAD, None)
    for name, (text, stale) in st.session_state.get(AHEAD, {}).items():
        if st.query_params.get(name) not in stale:
            continue
        if text is None:
            st.query_params.pop(name)
        else:
            st.query_params[name] = text


def _carried(known: Mapping[str, Value], address: Collection[str]) -> dict[str, Value]:
    """What an address has to say beside what it says already."""
    return {
        name: value
        for name, value in known.items()
        if FIELDS[name].metadata["owner"] not in IN_BROWSER
        and value != DEFAULTS[name]
        and name not in address
    }


def _written(carried: Mapping[str, Value], known: Mapping[str, Value]) -> dict[str, str]:
    """The same, as far as it fits, as it stands there."""
    return {
        name: write_value(value)
        for name, value in carried.items()
        if _fits_in_address(name, value, known)
    }


def _entry(page: str, address: Mapping[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    """What an entry of the browser's history is known by."""
    return page, frozenset(address.items())


def _release(context: ScriptRunContext, written: Iterable[str]) -> None:
    """Let go of the parameters that widgets of the page left still hold.

    Streamlit does it itself for those that stand in the address: not after `st.switch_page`, which
    has emptied it.
    """
    with context.session_state.query_params() as query:
        for name in written:
            held = query.get_binding_for_param(name)
            if held is not None:
                query.unbind_widget(held.widget_id)


def _restore_address(context: ScriptRunContext, address: Mapping[str, str]) -> None:
    """Bring back the parameters of the address that were bound to widgets of the page left.

    Nothing public does it: Streamlit takes a parameter of the same name for the other page's.
    """
    with context.session_state.query_params() as query:
        query.populate_from_query_string(urlencode(address))
        query.set_initial_query_params_from_current()
    st.query_params.update(())  # tells the browser


def _known(query: Mapping[str, str], session: Mapping[Any, Any]) -> dict[str, Any]:
    """What is known of the settings, by name: what the address says, then the widgets."""
    known: dict[str, Any] = {}
    for name in FIELDS:
        value = _parse(name, query[name]) if name in query else None
        if value is not None:
            known[name] = value
    for name in names("widget"):
        if name in session and session[name] is not None:
            known[name] = session[name]
    return known


def _fits_in_address(name: str, value: Any, values: Mapping[Any, Any]) -> bool:
    """Whether a value has room in the address, after those whose fields stand before its own."""
    room = LONGEST_IN_ADDRESS
    for other in names("widget"):
        text = value if other == name else values.get(other)
        length = len(quote_plus(text, errors="replace")) if isinstance(text, str) else 0
        if other == name:
            return length <= room
        room -= length if length <= room else 0
    return True


def _parse(name: str, written: str) -> Value | None:
    """The value, or None where it cannot be read or is out of bounds."""
    default: Value = DEFAULTS[name]
    most: int = FIELDS[name].metadata["most"]
    if isinstance(default, str):
        return written if len(written) <= most else None
    if isinstance(default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(written.lower())
    if not NUMBER.fullmatch(written):
        return None
    number = int(written)
    return number if FIELDS[name].metadata["least"] <= number <= most else None
