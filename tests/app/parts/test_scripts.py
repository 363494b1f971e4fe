"""The loader that all pictures share, and what it hands to their scripts."""

import re
from pathlib import Path

from app.browser_files import browser_files
from app.parts import scripts
from app.parts.choices import address_choices
from app.settings import DEFAULTS

OWN_STYLE = ("js/attention/channel_mount",)  # in files of other names
CALL = re.compile(
    r'(?:script_component|loader)\(\s*"([^"]+)"(?:,\s*(?:"[^"]+"|part),\s*sheets=\(([^)]*)\))?'
)


def test_every_module_and_every_sheet_that_is_named_is_there():
    folder = Path(scripts.__file__).parents[1]
    calls = [call for path in folder.rglob("*.py") for call in CALL.findall(path.read_text())]
    assert len(calls) > 15
    for module, sheets in calls:
        written = browser_files()[f"{module}.js"].content.decode()
        assert re.search(r"export (async )?(function|const) mount\b", written), module
        beside = module.replace("js/parts/", "css/")
        for sheet in re.findall(r"[\w/]+", sheets) or [beside] * (module not in OWN_STYLE):
            assert f"{sheet}.css" in browser_files(), sheet


def test_a_loader_names_all_that_its_module_imports_before_it_runs():
    written = scripts.loader("sections/warm_up/curves")
    assert 'import(folder + "sections/warm_up/curves.js")' in written
    told = set(re.findall(r'"((?:js|sections)/[^"]+)"', written))
    assert {"js/lib/dom.js", "sections/warm_up/series.js", "js/lib/wire.js"} < told
    assert "js/attention/explorer_view.js" not in scripts.loader("js/attention/main")


def test_only_a_module_that_draws_with_vega_has_it_begun():
    assert scripts.vega_address() in scripts.loader("sections/schedules/main")
    assert scripts.vega_address() not in scripts.loader("sections/start/word_guess")


def test_every_reason_of_a_failure_has_its_sentence():
    written = "".join(
        one.content.decode() for name, one in browser_files().items() if name.endswith(".js")
    )
    reasons = set(re.findall(r'PayloadError\("(\w+)"\)', written))
    sentences = scripts.failure_sentences()
    assert len(reasons) == 3
    assert {"unreadable", *reasons} == set(sentences)
    assert all(
        sentence in scripts.loader("sections/warm_up/curves") for sentence in sentences.values()
    )


def test_a_picture_is_told_its_defaults_and_what_a_scene_says_of_it():
    names = ("threshold", "marked")
    defaults = {name: DEFAULTS[name] for name in names}
    assert address_choices(names, None) == {"defaults": defaults, "choice": None}
    said = address_choices(names, (3, {"threshold": 70, "layer": 2}))
    assert said == {"defaults": defaults, "choice": [3, {"threshold": 70}]}
