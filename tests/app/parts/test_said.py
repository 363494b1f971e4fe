"""What components say: in order, once, and bounded."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from app.parts.said import MOST_MESSAGES, read_number, read_numbers

NONSENSE = [1.5e8, -1, "x", "3", math.nan, math.inf, [3], {}, None, True, 2.5, 10**400]


@pytest.mark.parametrize("written", NONSENSE)
def test_nonsense_is_no_number(written):
    assert read_number(written) is None
    assert read_numbers([0, written], 5) is None


@pytest.mark.parametrize(("written", "number"), [(0, 0), (3, 3), (3.0, 3), (9_999, 9_999)])
def test_whole_numbers_are_read(written, number):
    assert read_number(written) == number
    assert read_numbers([written, 1], 2) == (number, 1)


@pytest.mark.parametrize("written", ["12", 5, None, {}, [1, 2, 3]])
def test_what_is_no_short_list_holds_no_numbers(written):
    assert read_numbers(written, 2) is None


def run(messages, **options):
    """A listener's view: what is new of `ear`, a component that says `messages` under `name`."""

    def page():
        import streamlit as st

        from app.parts.said import answered, said

        found = said("ear", "name")
        st.session_state["heard"] = [dict(one) for one in found]
        st.session_state["answered"] = answered("ear", "name", "other")

    tested = options.get("page") or AppTest.from_function(page)
    tested.session_state["ear"] = {"name": messages}
    tested.run()
    assert not tested.exception
    return tested


def test_messages_are_read_once_and_in_order():
    first, second, third = ({"stamp": stamp, "word": stamp} for stamp in (1, 2, 5))
    page = run([first, second])
    assert page.session_state["heard"] == [first, second]
    assert page.session_state["answered"] == {"name": 2, "other": 0}
    run([first, second, third], page=page)
    assert page.session_state["heard"] == [third]
    run([first, second, third], page=page)
    assert page.session_state["heard"] == []
    assert page.session_state["answered"]["name"] == 5


@pytest.mark.parametrize(
    "messages", [None, 3, "stamp", {}, [3], [{}], *([{"stamp": one}] for one in NONSENSE[1:])]
)
def test_what_is_no_message_is_passed_over(messages):
    page = run(messages)
    assert page.session_state["heard"] == []
    assert page.session_state["answered"] == {"name": 0, "other": 0}


def test_of_too_many_messages_the_last_are_read():
    page = run([{"stamp": stamp} for stamp in range(1, 2 * MOST_MESSAGES)])
    assert page.session_state["heard"][0]["stamp"] == MOST_MESSAGES
