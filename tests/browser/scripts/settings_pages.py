"""Two pages with one setting of each owner, to go to and fro between."""

import streamlit as st

from app.parts.copy_link import copy_link
from app.parts.frame import draw_frame
from app.settings import Settings
from app.state import carry_settings, current_settings


def show() -> None:
    st.text_input("Sentence", value=Settings.text, key="text", bind="query-params")
    settings = current_settings()
    st.text(f"text={settings.text!r} hide={settings.hide!r} present={settings.present}")
    copy_link(settings, canvas={"layer": 2})


def first() -> None:
    st.title("First")
    show()


def second() -> None:
    st.title("Second")
    show()


draw_frame()
pages = [
    st.Page(first, title="First", default=True),
    st.Page(second, title="Second", url_path="second"),
]
current = st.navigation(pages, position="hidden")
for page in pages:
    st.page_link(page)
carry_settings()
current.run()
