"""Components whose scripts are modules of `app/static/js`, so that they share modules."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

STATIC: Final = Path(__file__).resolve().parents[1] / "static"
SHARED_SHEET: Final = "card"

# The version stands in the address of every module, so a browser never mixes old and new ones.
_LOADER: Final = """
const address = new URL("app/static/js/{module}.js?v={version}", document.baseURI);
export default async function (component) {{
  const {{ mount }} = await import(address);
  return mount(component);
}}
"""

# Streamlit takes a string without a line break for a file name.
_HTML: Final = """
<section class="{root}"></section>
"""


@cache
def script_component(
    module: str, root: str, *, sheets: tuple[str, ...] | None = None
) -> ComponentRenderer:
    """The component whose script is `mount` of a module.

    Args:
        module: its place below `app/static/js`, without the ending.
        root: classes of the section into which it draws; the last one names the component.
        sheets: style sheets after the shared one; None for the one that is called as the module.
    """
    names = (SHARED_SHEET, *(sheets or (module.rpartition("/")[2],)))
    return st.components.v2.component(
        f"headlight_{root.split()[-1].replace('-', '_')}",
        html=_HTML.format(root=root),
        css="\n".join((STATIC / "css" / f"{one}.css").read_text(encoding="utf-8") for one in names),
        js=loader(module),
    )


def loader(module: str) -> str:
    """The script of a component, which hands on to `mount` of a module."""
    return _LOADER.format(module=module, version=scripts_version())


@cache
def scripts_version() -> str:
    """Changes with every script, and with every style sheet: scripts fetch some of them."""
    digest = hashlib.sha256()
    for path in sorted([*STATIC.glob("js/**/*.js"), *STATIC.glob("css/*.css")]):
        digest.update(path.relative_to(STATIC).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
