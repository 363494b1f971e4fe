import pytest

from app import state
from app.state import DEFAULTS, FIELDS, Settings, link_query, read_query, read_value


def another_value(name):
    default = DEFAULTS[name]
    if isinstance(default, bool):
        return not default
    return default + "é & = ? #" if isinstance(default, str) else default + 7


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(layer=0, head=0, token=0, hide=0, present=False, text=""),
        Settings(**{name: another_value(name) for name in FIELDS}),
    ],
)
def test_a_link_brings_back_every_setting(settings):
    assert read_query(link_query(settings)) == settings


def test_a_link_writes_defaults_and_its_version():
    query = link_query(Settings())
    assert query.keys() == {"v", *FIELDS}
    assert query["v"] == "1"
    assert (query["layer"], query["present"], query["lang"]) == ("0", "false", "")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("layer", "three"),
        ("layer", ""),
        ("layer", "1e3"),
        ("layer", "-2"),
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
def test_yes_may_be_spelt_in_several_ways(written):
    assert read_value("present", written) is True


def test_the_longest_text_is_still_read():
    assert read_value("text", "x" * 5000) == "x" * 5000


def test_names_that_are_no_settings_are_passed_over():
    assert read_query({"utm_source": "x", "layer": "2"}) == Settings(layer=2)


def test_every_setting_has_an_owner():
    owners = [state.names(owner) for owner in ("widget", "canvas", "frame")]
    assert sorted(name for names in owners for name in names) == sorted(FIELDS)
