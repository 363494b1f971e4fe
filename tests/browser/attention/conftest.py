"""The attention canvas alone on a page, for every test in this folder."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.apps.canvas_page import DRAWN, OpenCanvas
from tests.browser.conftest import launcher
from tests.conftest import running_servers

APPS = Path(__file__).resolve().parent.parent / "apps"


@pytest.fixture(scope="session")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_servers(tmp_path_factory) as start:
        yield launcher(start, tmp_path_factory)(APPS / "canvas_demo.py")


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> Iterator[Page]:
    """One page that loads the app again and again: five times as fast as a fresh profile."""
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def open_canvas(demo_url: str, shared_page: Page) -> OpenCanvas:
    """Open the demo and wait for the picture: `open_canvas("/?case=long", width=1920)`."""

    def open_at(address: str = "/", width: int = 1472, height: int = 800) -> Page:
        shared_page.emulate_media(color_scheme="light")
        shared_page.set_viewport_size({"width": width, "height": height})
        shared_page.mouse.move(0, 0)
        shared_page.goto(demo_url + address)
        shared_page.wait_for_selector(DRAWN)
        return shared_page

    return open_at


@pytest.fixture(scope="module")
def page(demo_url: str, shared_page: Page) -> Page:
    """The canvas of a sentence, loaded once for all tests of a file that only call its scripts."""
    shared_page.emulate_media(color_scheme="light")
    shared_page.set_viewport_size({"width": 1472, "height": 800})
    shared_page.goto(demo_url)
    shared_page.wait_for_selector(DRAWN)
    return shared_page


@pytest.fixture
def open_fresh(demo_url: str, new_page: Callable[..., Page]) -> OpenCanvas:
    """The same in a profile of its own that records requests and errors."""

    def open_at(address: str = "/", **options: Any) -> Page:
        page = new_page(**{"width": 1472, **options})
        page.goto(demo_url + address)
        page.wait_for_selector(DRAWN)
        return page

    return open_at


@pytest.fixture(scope="module")
def explorer_url(launch_app: Callable[..., str]) -> str:
    return launch_app(APPS / "explorer_demo.py")


@pytest.fixture
def open_explorer(explorer_url: str, shared_page: Page) -> OpenCanvas:
    """Open the demo and wait for the picture: `open_explorer("/?case=pair", width=1920)`."""

    def open_at(address: str = "/", width: int = 1280, height: int = 800) -> Page:
        shared_page.set_viewport_size({"width": width, "height": height})
        shared_page.mouse.move(0, 0)
        shared_page.goto(explorer_url + address)
        shared_page.wait_for_selector(DRAWN)
        return shared_page

    return open_at
