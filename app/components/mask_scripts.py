"""Loads a component's script from a module of `app/static/js`, so that scripts share modules."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

STATIC: Final = Path(__file__).resolve().parents[1] / "static"
FOLDER: Final = "fill_mask"
SHARED: Final = "attention"

# The version stands in the address of every module, so a browser never mixes old and new ones.
_LOADER: Final = """
const address = new URL("app/static/js/{folder}/{name}.js?v={version}", document.baseURI);
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
    name: str,
    root: str,
    folder: str = FOLDER,
    *,
    uses: tuple[str, ...] = (),
    sheets: tuple[str, ...] = (),
) -> ComponentRenderer:
    """The component whose script is `mount` of a module of the page "Fill in the mask".

    Args:
        name: of the module, and of the style sheet.
        root: class of the section into which the script draws.
        folder: of the module, for another page.
        uses: further folders with modules that it imports.
        sheets: further style sheets.
    """
    styles = [STATIC / "css" / f"{one}.css" for one in ("mask_card", name, *sheets)]
    return st.components.v2.component(
        f"headlight_{name}",
        html=_HTML.format(root=root),
        css="\n".join(path.read_text(encoding="utf-8") for path in styles),
        js=_LOADER.format(folder=folder, name=name, version=_version(folder, *uses)),
    )


@cache
def _version(*folders: str) -> str:
    digest = hashlib.sha256()
    for used in dict.fromkeys((*folders, FOLDER, SHARED)):
        for path in sorted((STATIC / "js" / used).glob("*.js")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
