"""The loader that all pictures share, and what it hands to their scripts."""

import re
from pathlib import Path

import pytest

from app.components import scripts
from app.components.choices import address_choices
from app.settings import DEFAULTS

OWN_STYLE = ("attention/main", "attention/channel_mount")  # in files of other names
CALL = re.compile(
    r'(?:script_component|loader)\(\s*"([^"]+)"(?:, (?:"[^"]+"|part), sheets=\(([^)]*)\))?'
)


def test_every_module_and_every_sheet_that_is_named_is_there():
    folder = Path(scripts.__file__).parent
    calls = [call for path in folder.glob("*.py") for call in CALL.findall(path.read_text())]
    assert len(calls) > 15
    for module, sheets in calls:
        written = (scripts.STATIC / "js" / f"{module}.js").read_text()
        assert re.search(r"export (async )?(function|const) mount\b", written), module
        for sheet in re.findall(r"\w+", sheets) or [Path(module).name] * (module not in OWN_STYLE):
            assert (scripts.STATIC / "css" / f"{sheet}.css").is_file(), sheet


@pytest.mark.parametrize("place", ["js/attention/new.js", "js/deep/er/new.js", "css/new.css"])
def test_the_version_changes_with_every_script_and_sheet(tmp_path, monkeypatch, place):
    monkeypatch.setattr(scripts, "STATIC", tmp_path)
    version = scripts.scripts_version.__wrapped__
    empty = version()
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("one")
    first = version()
    path.write_text("two")
    second = version()
    path.rename(path.with_stem("other"))
    assert len({empty, first, second, version()}) == 4


def test_a_loader_asks_for_the_module_with_the_version():
    assert f"js/lab/curves.js?v={scripts.scripts_version()}" in scripts.loader("lab/curves")


def test_a_picture_is_told_its_defaults_and_what_a_scene_says_of_it():
    names = ("threshold", "marked")
    defaults = {name: DEFAULTS[name] for name in names}
    assert address_choices(names, None) == {"defaults": defaults, "choice": None}
    said = address_choices(names, (3, {"threshold": 70, "layer": 2}))
    assert said == {"defaults": defaults, "choice": [3, {"threshold": 70}]}
