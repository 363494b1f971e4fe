import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app import state
from app.settings import DEFAULTS, FIELDS, Owner, Settings
from app.state import link_query, read_query, read_value


def another_value(name):
    default = DEFAULTS[name]
    if isinstance(default, bool):
        return not default
    if isinstance(default, str):
        return (default + "é & = ? #")[: FIELDS[name].metadata["most"]]
    most = FIELDS[name].metadata["most"]
    return default + 7 if default + 7 <= most else default - 7


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(layer=0, head=0, token=0, hide="0", top=1, specials=False, text="", pair=""),
        Settings(**{name: another_value(name) for name in FIELDS}),
    ],
)
def test_a_link_brings_back_every_setting(settings):
    assert read_query(link_query(settings)) == settings


def test_a_link_writes_defaults_and_its_version():
    query = link_query(Settings())
    assert query.keys() == {"v", *FIELDS}
    assert query["v"] == "1"
    assert (query["layer"], query["present"], query["lang"]) == ("4", "false", "")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("layer", "three"),
        ("layer", ""),
        ("layer", "1e3"),
        ("layer", "-1"),
        ("token", "-2"),
        ("top", "0"),
        ("least", "1001"),
        ("layer", "1000"),
        ("layer", "9" * 5000),
        ("layer", "٣"),
        ("present", "perhaps"),
        ("text", "x" * 5001),
        ("model", "x" * 201),
    ],
)
def test_what_cannot_be_read_is_the_default(name, written):
    assert read_value(name, written) == DEFAULTS[name]


@pytest.mark.parametrize("written", ["1", "true", "True"])
def test_yes_may_be_written_in_several_ways(written):
    assert read_value("present", written) is True


def test_the_longest_text_is_still_read():
    assert read_value("text", "x" * 5000) == "x" * 5000


def test_names_that_are_no_settings_are_passed_over():
    assert read_query({"utm_source": "x", "layer": "2"}) == Settings(layer=2)


def test_every_setting_has_an_owner():
    owners: tuple[Owner, ...] = ("widget", "page", "canvas", "charts", "frame")
    names = [name for owner in owners for name in state.names(owner)]
    assert sorted(names) == sorted(FIELDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "query-params"),
        ("x" * state.LONGEST_IN_ADDRESS, "query-params"),
        ("x" * (state.LONGEST_IN_ADDRESS + 1), None),
        ("ж" * (state.LONGEST_IN_ADDRESS // 6), "query-params"),
        ("ж" * (state.LONGEST_IN_ADDRESS // 6 + 1), None),
        ("\ud800", "query-params"),
    ],
)
def test_what_is_too_long_stays_out_of_the_address(monkeypatch, text, expected):
    monkeypatch.setattr(st, "session_state", {"text": text})
    assert state.binding("text") == expected


def test_texts_share_the_room_in_the_address(monkeypatch):
    half = "x" * (state.LONGEST_IN_ADDRESS // 2 + 1)
    monkeypatch.setattr(st, "session_state", {"text": half, "pair": half, "edit": "x"})
    bound = {name: state.binding(name) for name in ("text", "pair", "edit", "top")}
    assert bound == {
        "text": "query-params", "pair": None, "edit": "query-params", "top": "query-params"
    }  # fmt: skip


def test_numbers_and_heads_are_written_as_they_are_read():
    assert state.numbers_of(state.write_numbers([3, 0, 3])) == (3, 0, 3)
    heads = ((0, 0), (11, 7))
    assert state.heads_of(state.write_heads(heads)) == heads


@pytest.mark.parametrize("junk", [".", "-1", "٣", "1e3", "9" * 100, "4-", "</script>"])
def test_what_is_no_number_and_no_head_is_passed_over(junk):
    assert state.numbers_of(f"2.{junk}.5") == (2, 5)
    assert state.heads_of(f"2-1.{junk}.5-0") == ((2, 1), (5, 0))


def test_a_widget_not_drawn_yet_is_bound(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    assert state.binding("text") == "query-params"


def test_what_was_chosen_can_be_forgotten():
    def script():
        import streamlit as st

        from app.state import carry_settings, choose, current_settings, forget

        carry_settings()
        st.button("zero", on_click=choose, args=("hide", "0"))
        st.button("none", on_click=forget, args=("hide",))
        st.text(current_settings().hide)

    page = AppTest.from_function(script).run()
    assert page.text[0].value == ""
    page.button[0].click().run()
    assert page.text[0].value == "0"
    assert page.query_params["hide"] == "0"
    page.run()
    assert page.text[0].value == "0"
    page.button[1].click().run()
    assert page.text[0].value == ""
    assert "hide" not in page.query_params
    page.run()
    assert page.text[0].value == ""


def show_script():
    import streamlit as st

    from app.settings import Settings
    from app.state import carry_settings, is_held, settle, show

    def to_scene(**settings):
        show({"pair": "", "hide": "", "layer": 4, "scene": "1", **settings}, widgets=("pair",))

    carry_settings()
    st.text(f"held={is_held()}")
    st.text_input("pair", value=Settings.pair, key="pair")
    st.button("text", on_click=to_scene, kwargs={"pair": "He sat.", "hide": "3"})
    st.button("canvas", on_click=to_scene, kwargs={"pair": "He sat.", "hide": "3", "layer": 0})
    st.button("back", on_click=to_scene)
    settle()


def test_settings_shown_at_once_stand_in_the_widget_and_in_the_address():
    page = AppTest.from_function(show_script).run()
    page.button[0].click().run()
    assert page.text_input[0].value == "He sat."
    assert page.text[0].value == "held=True"
    assert page.query_params["hide"] == "3"
    assert page.query_params["layer"] == "4"
    page.run()
    assert page.text[0].value == "held=False"
    page.button[1].click().run()
    assert page.text[0].value == "held=False"  # the canvas alone changes
    assert page.query_params["layer"] == "0"
    page.button[2].click().run()
    assert page.text_input[0].value == ""
    assert page.query_params["hide"] == ""


def test_held_settings_win_over_what_the_browser_sends_meanwhile():
    page = AppTest.from_function(show_script).run()
    page.session_state[state.HELD] = {"pair": "He sat."}
    page.text_input[0].set_value("old").run()
    assert page.text_input[0].value == "He sat."
    page.text_input[0].set_value("new").run()
    assert page.text_input[0].value == "new"


def stale_script():
    import streamlit as st

    from app.state import carry_settings, choose, current_settings, forget

    carry_settings()
    st.button("choose", on_click=choose, args=("hide", "3"))
    st.button("another", on_click=choose, args=("hide", "5"))
    st.button("forget", on_click=forget, args=("hide",))
    st.text(current_settings().hide)


@pytest.mark.parametrize("before", [None, "1"])
@pytest.mark.parametrize(("pressed", "said"), [((0,), "3"), ((0, 1), "5"), ((0, 1, 0), "3")])
def test_what_was_chosen_wins_over_what_the_browser_said_before(before, pressed, said):
    page = AppTest.from_function(stale_script)
    if before is not None:
        page.query_params["hide"] = before
    page.run()
    for number in pressed:
        page.button[number].click().run()
    if before is None:
        del page.query_params["hide"]
    else:
        page.query_params["hide"] = before
    page.run()
    assert page.text[0].value == said
    assert page.query_params["hide"] == said
    page.button[2].click().run()
    page.query_params["hide"] = said
    page.run()
    assert page.text[0].value == ""
    assert "hide" not in page.query_params
    page.query_params["hide"] = "7"  # a text that was never there before is news
    page.run()
    assert page.text[0].value == "7"
