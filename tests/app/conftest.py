"""Fixtures for tests of the app: the tiny BERT of the core's tests, and the page without a browser.

`open_page({"text": "..."}) -> AppTest` runs the script of a session; `shown(page, key)` is what a
component of ours was handed, unpacked if it is a message of `app.wire`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from app import ask
from tests.core.conftest import tiny_checkpoint, tiny_checkpoint_folder, word_pieces
from tests.wire import unpack

__all__ = ["open_page", "shown", "tiny_checkpoint", "tiny_checkpoint_folder", "word_pieces"]

SHELL = Path(__file__).resolve().parents[2] / "app" / "shell.py"

OpenPage = Callable[..., AppTest]
Shown = Callable[[AppTest, str], Any]


@pytest.fixture(scope="session", autouse=True)
def installed_components() -> Iterator[None]:
    """Let Streamlit's harness read what is installed once, not for every page it opens."""
    scan = cache(manifest_scanner.scan_component_manifests)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def other_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that puts other models in the place of the bundled ones meets no list of those."""
    monkeypatch.setattr(ask, "_listed", {})


@pytest.fixture
def open_page() -> OpenPage:
    def open_at(query: Mapping[str, str] | None = None) -> AppTest:
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in (query or {}).items():
            page.query_params[name] = value
        return page.run()

    return open_at


@pytest.fixture
def shown() -> Shown:
    def data_of(page: AppTest, key: str) -> Any:
        for element in page.get("bidi_component"):
            proto: Any = element.proto
            if proto.id.endswith(f"-{key}"):
                kind = proto.WhichOneof("data")
                data = getattr(proto, kind)
                return json.loads(data) if kind == "json" else unpack(data)
        raise AssertionError(f"The page has no component {key!r}.")

    return data_of
