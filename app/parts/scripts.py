"""Components whose scripts are modules, so that they share modules."""

from __future__ import annotations

import json
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from app.browser_files import browser_files, folder
from app.i18n import _, current_language

SHARED_SHEET: Final = "css/card"
VEGA: Final = "js/lib/vega.js"

# Modules are fetched all at once: else each would wait for the one that imports it.
_LOADER: Final = """
const folder = new URL("{folder}/", document.baseURI).href;
for (const module of {modules}) {{
  const link = Object.assign(document.createElement("link"), {{ href: folder + module }});
  document.head.append(Object.assign(link, {{ rel: "modulepreload" }}));
}}
{library}
const sentences = {sentences};
export default async function (component) {{
  const {{ mount }} = await import(folder + "{module}");
  return mount({{ ...component, sentences }});
}}
"""

# Streamlit's module exports one function, which loads the library.
_BEGIN_VEGA: Final = """
const vega = new URL("{address}", document.baseURI).href;
import(vega).then((module) => Object.values(module)[0]()).catch(() => {{}});
"""

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<section class="{root}"></section>
"""

# `import { a, b } from "./x.js"`, over one line or several; what `import()` names comes later.
_IMPORT: Final = re.compile(r'^(?:import|export) [{*][^"]*? from "([^"]+)";$', re.MULTILINE)


def script_component(
    module: str,
    root: str,
    *,
    sheets: tuple[str, ...] | None = None,
    html: str | None = None,
    shared_sheet: bool = True,
) -> ComponentRenderer:
    """The component whose script is `mount` of a module.

    Args:
        module: as :func:`app.browser_files.browser_files` names it, without the ending.
        root: classes of the section into which it draws; the last one names the component.
        sheets: style sheets after the shared one, named likewise; None for the one that is called
            as the module.
        html: what stands in the component before the script runs, instead of an empty section.
        shared_sheet: whether the component has the look of a card.
    """
    own = sheets or (module.replace("js/parts/", "css/"),)
    names = (SHARED_SHEET, *own) if shared_sheet else own
    return _component(
        module, root.split()[-1], names, html or _HTML.format(root=root), current_language()
    )


@cache
def _component(
    module: str, name: str, sheets: tuple[str, ...], html: str, language: str
) -> ComponentRenderer:
    """A component of one language: its script brings what is said when it fails."""
    return st.components.v2.component(
        f"headlight_{name.replace('-', '_')}_{language.replace('-', '_')}",
        html=html,
        css="\n".join(browser_files()[f"{one}.css"].content.decode() for one in sheets),
        js=loader(module),
    )


@cache
def vega_address() -> str:
    """Streamlit's own module that loads Vega, relative to the app's address.

    A chart of ours and one of `st.altair_chart` so share one library in the browser. Of what the
    module exports, only that it is one function is relied on.
    """
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    [module] = scripts.glob("loadVegaEmbed.*.js")
    return f"static/js/{module.name}"


def loader(module: str) -> str:
    """The script of a component in the reader's language; it hands on to `mount` of a module."""
    entry = f"{module}.js"
    imported = imported_by(entry)
    return _LOADER.format(
        folder=folder(),
        module=entry,
        modules=json.dumps([name for name in imported if name != entry]),
        # It is large, and is on its way before the script asks for it.
        library=_BEGIN_VEGA.format(address=vega_address()) if VEGA in imported else "",
        sentences=json.dumps(failure_sentences()),
    )


def failure_sentences() -> dict[str, str]:
    """What the reader is told where a picture cannot be drawn, by the name of the reason."""
    return {
        "unreadable": _("The picture could not be drawn: {reason} Please reload the page."),
        "wrongFormat": _("the data is not of this picture."),
        "wrongVersion": _("the data comes from another version of Headlight."),
        "cutShort": _("the data arrived incomplete."),
    }


def imported_by(entry: str) -> tuple[str, ...]:
    """A module, such as "js/lib/dom.js", and all that it imports before it runs, in their order."""
    found = {entry: None}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        written = browser_files()[name].content.decode()
        for address in _IMPORT.findall(written):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
            if module not in found:
                found[module] = None
                waiting.append(module)
    return tuple(found)
