"""The table of pages, and the navigation Streamlit makes of it."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app.i18n import N_, _

PAGES = Path(__file__).resolve().parent.parent / "pages"


@dataclass(frozen=True)
class Entry:
    """One page: the heading it stands under, its file in `pages/`, and what the reader sees.

    `group` and `title` are English and translated when the navigation is drawn; the page with an
    empty `url_path` is the one that opens first.
    """

    group: str
    file: str
    title: str
    url_path: str
    icon: str | None = None


ENTRIES = (
    Entry(group=N_("See"), file="start.py", title=N_("Start"), url_path=""),
    Entry(group=N_("See"), file="attention.py", title=N_("Attention heads"), url_path="attention"),
    Entry(
        group=N_("Predict"),
        file="fill_mask.py",
        title=N_("Fill in the mask"),
        url_path="fill-mask",
    ),
    Entry(group=N_("Predict"), file="spans.py", title=N_("Fill the blanks"), url_path="spans"),
    Entry(
        group=N_("Predict"),
        file="replaced.py",
        title=N_("Spot the replaced"),
        url_path="replaced",
    ),
    Entry(group=N_("Predict"), file="next_word.py", title=N_("Next word"), url_path="next-word"),
    Entry(group=N_("Predict"), file="pairs.py", title=N_("Two sentences"), url_path="pairs"),
    Entry(group=N_("Predict"), file="translate.py", title=N_("Translate"), url_path="translate"),
    Entry(group=N_("Predict"), file="alignment.py", title=N_("Alignment"), url_path="alignment"),
    Entry(
        group=N_("Compare"),
        file="positions.py",
        title=N_("Positional encodings"),
        url_path="positions",
    ),
    Entry(group=N_("Compare"), file="family.py", title=N_("The BERT family"), url_path="family"),
    Entry(group=N_("Compare"), file="compare.py", title=N_("Two at a time"), url_path="compare"),
    Entry(group=N_("Train"), file="schedules.py", title=N_("Schedules"), url_path="schedules"),
    Entry(group=N_("Train"), file="warm_up.py", title=N_("Warm-up lab"), url_path="warm-up"),
    Entry(group=N_("Train"), file="findings.py", title=N_("Findings"), url_path="findings"),
    Entry(group=N_("Models"), file="model.py", title=N_("Bring your own"), url_path="model"),
)


def draw_navigation() -> StreamlitPage:
    """Draw the table in the sidebar, in the reader's language; return the page that was asked for.

    Streamlit's own list of pages hides itself while there is only one page.
    """
    groups: dict[str, list[StreamlitPage]] = {}
    for entry in ENTRIES:
        page = st.Page(
            PAGES / entry.file,
            title=_(entry.title),
            icon=entry.icon,
            url_path=entry.url_path,
            default=entry.url_path == "",
        )
        groups.setdefault(_(entry.group), []).append(page)
    current = st.navigation(groups, position="hidden")
    with st.sidebar, st.container(key="navigation", gap=None):
        for group, pages in groups.items():
            st.caption(group)
            for page in pages:
                st.page_link(page, label=f":primary[{page.title}]" if page == current else None)
    return current
