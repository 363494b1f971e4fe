"""What a component says, read once and in order, and bounded: the browser belongs to the reader.

The other half is `static/js/lib/shared.js`: a component says again what is not answered yet, for
of two messages at once Streamlit hands on the later one alone. So a component whose presses add up
puts `answered` into its data, and its listener asks `said` what is new.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from app.settings import FIELDS
from app.state import choose

Message = Mapping[str, object]

MOST_MESSAGES: Final = 100  # at once; of more, the last ones
LARGEST_POSITION: Final = 9_999
LARGEST_NUMBER: Final = 2**53 - 1  # that JavaScript counts to


def said(key: str, name: str) -> list[Message]:
    """The messages that have come since it was asked last, in the order of the presses.

    Args:
        key: of the component.
        name: under which it says them. What is no message is passed over.
    """
    state = st.session_state.get(key)
    written = state.get(name) if isinstance(state, Mapping) else None
    last = answered(key, name)[name]
    found = []
    for one in written[-MOST_MESSAGES:] if isinstance(written, list | tuple) else ():
        stamp = read_number(one.get("stamp"), LARGEST_NUMBER) if isinstance(one, Mapping) else None
        if stamp is not None and stamp > last:
            found.append(one)
            last = stamp
    st.session_state[_place(key, name)] = last
    return found


def answered(key: str, *names: str) -> dict[str, int]:
    """For the data of a component: by name, the stamp of the message that was read last."""
    return {name: st.session_state.get(_place(key, name), 0) for name in names}


def choose_said(setting: str, key: str, name: str) -> None:
    """Set a setting to the `number` said last; one out of its bounds is passed over."""
    for message in said(key, name)[-1:]:
        number = read_number(message.get("number"), FIELDS[setting].metadata["most"])
        if number is not None and number >= FIELDS[setting].metadata["least"]:
            choose(setting, number)


def read_number(written: object, most: int = LARGEST_POSITION) -> int | None:
    """A whole number from 0 to `most`; None for anything else."""
    # True is a whole number to Python; a browser may write 3.0 for 3.
    if isinstance(written, bool) or not isinstance(written, int | float):
        return None
    if not 0 <= written <= most or written != int(written):
        return None
    return int(written)


def read_numbers(
    written: object, count: int, most: int = LARGEST_POSITION
) -> tuple[int, ...] | None:
    """A list of at most `count` such numbers; None where it is longer or holds anything else."""
    if not isinstance(written, list | tuple) or len(written) > count:
        return None
    numbers = [read_number(one, most) for one in written]
    found = tuple(one for one in numbers if one is not None)
    return found if len(found) == len(numbers) else None


def _place(key: str, name: str) -> str:
    return f"answered: {key} {name}"
