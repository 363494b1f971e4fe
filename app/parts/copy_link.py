"""A button that copies the complete link of what the reader sees."""

from collections.abc import Mapping
from dataclasses import replace

from app.i18n import _
from app.parts.scripts import script_component
from app.settings import DEFAULTS, IN_BROWSER, Settings, Value
from app.state import link_query, names

HTML = """
<div class="copy-link">
<button type="button" hidden></button><output></output>
<input type="text" readonly hidden>
</div>
"""


def copy_link(
    settings: Settings, *, canvas: Mapping[str, Value] | None = None, key: str = "copy_link"
) -> None:
    """Draw the button.

    The link holds every setting, defaults too. What the address says at the moment of the click
    counts, because the canvas and fragments write there without running the page again; it leaves
    out what they started with.

    Args:
        settings: what the page shows now.
        canvas: what the canvas of this page starts with, where the defaults of `Settings` differ.
        key: identity of this button on its page.
    """
    in_browser = {name: DEFAULTS[name] for owner in IN_BROWSER for name in names(owner)}
    at_start = {**in_browser, **(canvas or {})}
    written = link_query(replace(settings, **at_start))
    version = written.pop("v")
    strings = {
        "copy": _("Copy link"),
        "copied": _("Copied"),
        "link": _("Link to this page"),
        "byHand": _("Your browser did not copy it: press Ctrl+C (on a Mac ⌘C)."),
    }
    component = script_component("js/parts/copy_link", "copy_link", html=HTML, shared_sheet=False)
    component(
        data={"version": version, "settings": written, "strings": strings}, key=key, width="content"
    )
