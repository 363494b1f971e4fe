"""The loader that all pictures share, and what it hands to their scripts."""

import re
from pathlib import Path

from app.components import scripts
from app.components.choices import address_choices
from app.settings import DEFAULTS

OWN_STYLE = ("attention/channel_mount",)  # in files of other names
CALL = re.compile(
    r'(?:script_component|loader)\(\s*"([^"]+)"(?:,\s*(?:"[^"]+"|part),\s*sheets=\(([^)]*)\))?'
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


def test_a_loader_names_all_that_its_module_imports_before_it_runs():
    written = scripts.loader("lab/curves")
    assert 'import(folder + "js/lab/curves.js")' in written
    told = set(re.findall(r'"(js/[^"]+)"', written))
    assert {"js/lib/dom.js", "js/lab/panel.js", "js/lib/wire.js"} < told
    assert "js/attention/explorer_view.js" not in scripts.loader("attention/main")


def test_every_reason_of_a_failure_has_its_sentence():
    written = "".join(path.read_text() for path in (scripts.STATIC / "js").rglob("*.js"))
    reasons = set(re.findall(r'PayloadError\("(\w+)"\)', written))
    sentences = scripts.failure_sentences()
    assert len(reasons) == 3
    assert {"unreadable", *reasons} == set(sentences)
    assert all(sentence in scripts.loader("lab/curves") for sentence in sentences.values())


def test_a_picture_is_told_its_defaults_and_what_a_scene_says_of_it():
    names = ("threshold", "marked")
    defaults = {name: DEFAULTS[name] for name in names}
    assert address_choices(names, None) == {"defaults": defaults, "choice": None}
    said = address_choices(names, (3, {"threshold": 70, "layer": 2}))
    assert said == {"defaults": defaults, "choice": [3, {"threshold": 70}]}
