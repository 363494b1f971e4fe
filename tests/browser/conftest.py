"""Fixtures for tests in a real Chromium.

A page from `new_page` records what it asks for and what it complains about; `assert_clean(page)`
says whether everything stayed on this machine and the console stayed silent.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from tests.browser.first_style import WATCH_SHIFTS
from tests.browser.waiting import COUNT_SENT, expect_idle
from tests.conftest import StartServer, running_servers
from tests.tiny_checkpoints import write_all

ROOT = Path(__file__).resolve().parent.parent.parent
APP = ROOT / "app"
LOCAL_HOSTS = {"127.0.0.1", "localhost"}
NETWORK_SCHEMES = {"http", "https", "ws", "wss"}

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--process-per-site",  # see `Profiles`
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# Streamlit looks for its server below the page's own path before it looks at the root.
STREAMLITS_OWN_404 = re.compile(r"^/.+/_stcore/(health|host-config)$")

# How `app/main.py` serves a script.
SERVE = """import streamlit as st
from starlette.middleware import Middleware

from app.browser_files import BrowserFiles

app = st.App({shell!r}, middleware=[Middleware(BrowserFiles)])
"""

expect.set_options(timeout=20_000)  # two busy cores: slow is no failure here

LaunchApp = Callable[..., str]
NewPage = Callable[..., Page]
AxeViolations = Callable[..., list[str]]
ColourScheme = Literal["light", "dark"]


@dataclass
class Record:
    """What one page did: addresses it asked for, and errors it reported."""

    addresses: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note_console(self, message: ConsoleMessage) -> None:
        address = message.location["url"]
        if message.type == "error" and not STREAMLITS_OWN_404.match(urlsplit(address).path):
            self.errors.append(f"{message.text} ({address})")


RECORDS: WeakKeyDictionary[Page, Record] = WeakKeyDictionary()


def system_chromium() -> str | None:
    """The browser of the system; without one, Playwright looks for its own.

    The one that never shows a window takes a seventh less time for the same pages.
    """
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(
                executable_path=system_chromium(), args=CHROMIUM_FLAGS
            )
        except PlaywrightError as error:
            pytest.fail(
                f"The browser tests need Chromium (Debian: apt-get install chromium).\n{error}"
            )
        yield chromium
        chromium.close()


def launcher(start: StartServer, tmp_path_factory: pytest.TempPathFactory) -> LaunchApp:
    """What `launch_app` is, over `start`: its servers end as those of `start` do."""

    def launch(
        script_path: Path = APP / "main.py",
        env: Mapping[str, str] | None = None,
        base_path: str = "",
    ) -> str:
        if script_path.parent != APP:
            folder = tmp_path_factory.mktemp("app")
            for name in ("static", ".streamlit"):
                (folder / name).symlink_to(APP / name, target_is_directory=True)
            is_app = "st.App(" in script_path.read_text(encoding="utf-8")
            copied = shutil.copy(script_path, folder / ("main.py" if is_app else "shell.py"))
            script_path = folder / "main.py"
            if not is_app:
                script_path.write_text(SERVE.format(shell=str(copied)), encoding="utf-8")
        return start(
            [sys.executable, "-m", "streamlit", "run", str(script_path)],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            base_path=base_path,
        )

    return launch


@pytest.fixture(scope="module")
def launch_app(start_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> LaunchApp:
    """Serve a Streamlit script: `launch_app(script_path=..., env={...}) -> base URL`.

    A script outside `app/` (a small app that shows one component) is copied beside links to the
    app's own `static` and `.streamlit`, so that it finds the same files and the same theme, and is
    served with the same scripts and sheets. The server ends with the module.
    """
    return launcher(start_server, tmp_path_factory)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of the real app, started once a worker."""
    with running_servers(tmp_path_factory) as start:
        yield launcher(start, tmp_path_factory)()


@pytest.fixture(scope="session")
def tiny_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of the app with a tiny model of every system alone, started once a worker."""
    folder = write_all(tmp_path_factory.mktemp("models"))
    script = ROOT / "tests" / "browser" / "apps" / "all_models.py"
    with running_servers(tmp_path_factory) as start:
        yield launcher(start, tmp_path_factory)(script, env={"TINY_MODELS": str(folder)})


class Profiles:
    """Profiles of the browser. A new one takes a quarter of the time of a page, so a wiped one is
    used again: nothing is left in it but copies of files that the app serves.

    One page of each stays open on an answer of a few bytes. All pages of a profile and host share
    a process, which therefore lives on and has Streamlit's scripts ready for the next page: a page
    costs a fifth less.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._wiped: dict[str, list[BrowserContext]] = {}
        self._options: dict[BrowserContext, str] = {}
        self._kept: dict[BrowserContext, Page] = {}

    def take(self, options: Mapping[str, Any]) -> BrowserContext:
        """A profile that nobody uses, with these options of Playwright's `new_context`."""
        key = repr(sorted(options.items()))
        if wiped := self._wiped.get(key):
            return wiped.pop()
        context = self._browser.new_context(**options)
        context.add_init_script(COUNT_SENT + WATCH_SHIFTS)
        self._options[context] = key
        return context

    def give_back(self, context: BrowserContext) -> None:
        """Close its pages and wipe what they stored."""
        kept = self._kept.get(context)
        for page in context.pages:
            if page == kept:
                continue
            origins = origins_of(page)
            session = context.new_cdp_session(page)
            for origin in origins:
                kinds = {"origin": origin, "storageTypes": "local_storage,session_storage"}
                session.send("Storage.clearDataForOrigin", kinds)
            if kept is None and origins:
                kept = self._kept[context] = context.new_page()
                kept.goto(f"{min(origins)}/_stcore/health")
            page.close()
        context.clear_cookies()
        self._wiped.setdefault(self._options[context], []).append(context)


def origins_of(page: Page) -> set[str]:
    """Where a page has asked for anything."""
    record = RECORDS.get(page, Record())  # a page may have opened another one
    parts = map(urlsplit, record.addresses)
    return {f"{part.scheme}://{part.netloc}" for part in parts if part.scheme.startswith("http")}


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture
def new_page(profiles: Profiles) -> Iterator[NewPage]:
    """Open pages: `new_page(width=1280, height=800, color_scheme="light") -> Page`.

    Each has a wiped profile; further keywords go to Playwright's `new_context`.
    """
    contexts: list[BrowserContext] = []

    def open_page(
        width: int = 1280, height: int = 800, color_scheme: ColourScheme = "light", **options: Any
    ) -> Page:
        context = profiles.take({"locale": "en-GB", "reduced_motion": "reduce", **options})
        contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=color_scheme)
        record = RECORDS.setdefault(page, Record())
        page.on("request", lambda request: record.addresses.append(request.url))
        page.on("websocket", lambda socket: record.addresses.append(socket.url))
        page.on("console", record.note_console)
        page.on("pageerror", lambda error: record.errors.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        profiles.give_back(context)


@pytest.fixture(scope="session")
def assert_clean() -> Callable[[Page], None]:
    """Check a page: `assert_clean(page)`; nothing left the machine, nothing went wrong."""

    def check(page: Page) -> None:
        record = RECORDS[page]
        parts = [urlsplit(address) for address in record.addresses]
        foreign = [
            part.geturl()
            for part in parts
            if part.scheme in NETWORK_SCHEMES and part.hostname not in LOCAL_HOSTS
        ]
        assert not foreign, f"requests that left the machine: {foreign}"
        assert not record.errors, f"errors in the console: {record.errors}"

    return check


@pytest.fixture(scope="session")
def axe_violations() -> AxeViolations:
    """Audit a page: `axe_violations(page)` lists its serious and critical findings.

    With `both_schemes=True` the page then turns from light to dark, or back, and the contrast of
    its colours is audited there, too; it stays as it has become.
    """
    axe = Axe()

    def audit(page: Page, both_schemes: bool = False) -> list[str]:
        # Streamlit's own "Stop" has too little contrast while it comes and goes. A page of BertViz
        # that is opened by itself has no script.
        if page.locator(".stApp").count():
            expect_idle(page)
        violations = axe.run(page).response["violations"]
        if both_schemes:
            turn(page)
            options = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
            violations += axe.run(page, options=options).response["violations"]
        return [
            f"{violation['id']}: {node['html']}"
            for violation in violations
            if violation["impact"] in {"serious", "critical"}
            for node in violation["nodes"]
        ]

    return audit


def turn(page: Page) -> None:
    """Show a page of the app as the other half of the room has it: dark after light."""
    ground = "getComputedStyle(document.querySelector('.stApp')).backgroundColor"
    before = page.evaluate(ground)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.wait_for_function(f"before => {ground} !== before", arg=before)
    # Pictures hear of it after the page; until then they stand in the colours of both.
    expect(page.locator(f"[data-theme={'dark' if dark else 'light'}]")).to_have_count(0)
    expect_idle(page)
