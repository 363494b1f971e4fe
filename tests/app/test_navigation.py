import runpy
from pathlib import Path
from typing import Any

import streamlit as st

from app.navigation import ENTRIES, PAGES

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_page_in_the_table_exists():
    assert all((PAGES / entry.file).is_file() for entry in ENTRIES)


def test_every_page_file_is_in_the_table():
    assert {path.name for path in PAGES.glob("*.py")} == {entry.file for entry in ENTRIES}


def test_addresses_are_unique_and_one_page_opens_first():
    addresses = [entry.url_path for entry in ENTRIES]
    assert len(set(addresses)) == len(addresses)
    assert addresses.count("") == 1


def test_streamlit_finds_no_pages_of_its_own():
    """The mere existence of a folder beside the entry point turns on Streamlit's old way."""
    assert not (ROOT / "app" / "pages").exists()


def test_a_session_draws_the_navigation_and_a_page(open_page):
    page = open_page()
    assert not page.exception
    assert page.title
    links: list[Any] = list(page.sidebar.get("page_link"))
    assert links[0].label == ":primary[Start]"


def test_the_entry_point_runs_the_script_of_a_session():
    # Streamlit runs the entry point once, to find the app in it.
    app = runpy.run_path(str(ROOT / "app" / "main.py"))["app"]
    assert isinstance(app, st.App)
    assert app.script_path == ROOT / "app" / "shell.py"
