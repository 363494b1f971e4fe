"""Every reader of what a component says passes over what makes no sense."""

import math

import pytest
from streamlit.testing.v1 import AppTest

NONSENSE = [1.5e8, -1, "x", math.nan, [], [[1]], {}, None]
MEANINGFUL = [("words", []), ("text", "x")]  # no hidden word; a word may be an x


def script(reader, name, message):
    """Ask a reader of `app` what it made of a message of the component `ear`."""
    import importlib

    import streamlit as st

    module, _, function = reader.partition(":")
    st.session_state["ear"] = {name: [{**message, "stamp": 1}]}
    found = getattr(importlib.import_module(module), function)("ear")
    st.session_state["found"] = found
    st.session_state["address"] = dict(st.query_params.to_dict())


def choose_top(key):
    from app.parts.said import choose_said

    choose_said("top", key, "number")


def read(reader, name, message):
    page = AppTest.from_function(
        script, kwargs={"reader": reader, "name": name, "message": message}
    ).run()
    assert not page.exception
    return page.session_state["found"], page.session_state["address"]


READERS: dict[str, tuple[str, dict[str, object], object]] = {
    "app.parts.mask_strip:hidden_words": ("hide", {"words": [2, 1]}, (2, 1)),
    "app.parts.head_switches:switch_heads": ("off", {"heads": [[4, 7]], "off": True}, None),
    "app.sections.compare.compared_maps:wanted_pair": (
        "pair", {"pair": [1, 2, 3, 4]}, ((1, 2), (3, 4)),
    ),
    "app.sections.fill_mask.mask_predictions:chosen_candidates": (
        "choice", {"mask": 1, "index": 2}, [(1, 2)],
    ),
    "app.sections.replaced.replaced_view:edited_words": (
        "edit", {"word": 3, "text": "loud"}, [(3, "loud")],
    ),
    f"{__name__}:choose_top": ("number", {"number": 5}, None),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_sense_is_read(reader):
    name, message, wanted = READERS[reader]
    found, address = read(reader, name, message)
    assert found == wanted
    if wanted is None:
        assert address in ({"off": "4-7"}, {"top": "5"})


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("nonsense", NONSENSE, ids=repr)
def test_nonsense_is_passed_over(reader, nonsense):
    name, message, _wanted = READERS[reader]
    for field in set(message) - {"off"}:
        if (field, nonsense) in MEANINGFUL:
            continue
        found, address = read(reader, name, {**message, field: nonsense})
        assert not found
        assert address == {}
        missing = {one: value for one, value in message.items() if one != field}
        assert not read(reader, name, missing)[0]


def change_blanks(message):
    import streamlit as st

    from app.sections.spans.blank_strip import wanted_changes

    st.session_state["ear"] = {"change": [{**message, "stamp": 1}]}
    st.session_state["found"] = [vars(one) for one in wanted_changes("ear")]


@pytest.mark.parametrize(
    ("changes", "count"),
    [({}, 1), ({"words": None}, 1), *(({"part": one}, 0) for one in NONSENSE),
     *(({"words": one}, 0) for one in NONSENSE[:-1])],
)  # fmt: skip
def test_changes_of_a_text_with_blanks(changes, count):
    message = {"text": "a b", "part": 0, "words": 2, **changes}
    page = AppTest.from_function(change_blanks, kwargs={"message": message}).run()
    assert not page.exception
    assert len(page.session_state["found"]) == count
