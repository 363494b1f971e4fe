"""A real WebKit: the engine of every Safari and every iPad, as Debian packages it for GTK.

What this cannot see: WebKitGTK's driver hands out no console, so a script at the head of the page
keeps what goes wrong in it: errors of scripts and of modules, promises that nobody caught, files
that elements failed to load, and `console.error`. What WebKit itself writes into its console stays
unseen (a refused `fetch`, a warning of the parser), and so does an error in a worker.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver import WebKitGTK
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

WAIT_SECONDS = 60.0  # two busy cores: slow is no failure here
LOOK_SECONDS = 0.1

# The page from the server, in a document of the same origin that is still empty, so that the
# script that keeps the errors comes before every other one.
OPEN = r"""
const [address, done] = arguments;
const keep = `<script>
  window.complaints = [];
  addEventListener("error", (event) => {
    const { src, href } = event.target;
    complaints.push(event.message ?? "not loaded: " + (src ?? href));
  }, true);
  addEventListener("unhandledrejection", (event) => complaints.push(String(event.reason)));
  const say = console.error;
  console.error = (...words) => { complaints.push(words.map(String).join(" ")); say(...words); };
</` + `script>`;
fetch(address, { headers: { accept: "text/html" } })
  .then((answer) => answer.text())
  .then((text) => {
    history.replaceState(null, "", address);
    document.open();
    document.write(text.replace("<head>", (head) => head + keep));
    document.close();
    done();
  });
"""

# All that a selector names and that is to be seen, in the page and in what components enclose.
FIND = """
const roots = [document];
for (const root of roots)
  for (const node of root.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
const find = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)])
  .filter((node) => node.checkVisibility() && node.getBoundingClientRect().height > 0);
"""

# What is not drawn yet; nothing once the page is as it should be.
MISSING = f"""{FIND}
const missing = [...arguments[0]].filter((selector) => find(selector).length === 0);
const state = document.querySelector(".stApp")?.dataset.testScriptState;
if (state !== "notRunning") missing.push("the end of the script, which is " + state);
if (document.fonts.status !== "loaded") missing.push("fonts");
for (const component of document.querySelectorAll("[data-testid=stBidiComponentIsolated]"))
  if (!component.shadowRoot?.querySelector("section > *, button"))
    missing.push(component.closest("[class*=st-key]").className.match(/st-key-\\S+/)[0]);
return missing;
"""

BOXES = f"""{FIND}
return find("[role=alert], [data-testid=stAlert], [data-testid=stException]")
  .map((box) => box.innerText);
"""

# What a picture shows, as words and as pixels.
SHOWN = f"""{FIND}
return find(arguments[0]).map((node) => [node, ...node.querySelectorAll("*")].map((one) =>
  one instanceof HTMLCanvasElement ? one.toDataURL()
  : one instanceof SVGElement ? one.outerHTML
  : [...one.childNodes].filter((child) => child.nodeType === 3).map((child) => child.data).join("")
).join(" ")).join(" ");
"""

SIDEWAYS = """
const main = document.querySelector(".stMain");
return Math.max(document.documentElement.scrollWidth - innerWidth,
  main.scrollWidth - main.clientWidth);
"""

NOT_YET = (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)


class WebKit:
    """One window of the browser, on one server."""

    def __init__(self, driver: WebKitGTK, base_url: str) -> None:
        self._driver = driver
        parts = urlsplit(base_url)
        self._empty = f"{parts.scheme}://{parts.netloc}/_stcore/health"

    def open(self, address: str, size: tuple[int, int]) -> None:
        """Open a page of the server at a size of its window, without waiting for its pictures."""
        self._driver.get(self._empty)
        self.resize(size)
        self._driver.execute_async_script(OPEN, address)

    def resize(self, size: tuple[int, int]) -> None:
        """Give the window another size inside."""
        self._driver.set_window_rect(0, 0, *size)
        self._wait(
            lambda _: self._script("return [innerWidth, innerHeight]") == list(size),
            lambda: f"is not {size}",
        )

    def wait_until_drawn(self, selectors: tuple[str, ...]) -> None:
        """Wait for the end of the script, every component, and what the selectors name."""
        missing: list[str] = []

        def look(_: Any) -> bool:
            missing[:] = self._script(MISSING, selectors)
            return not missing or bool(self.boxes())

        self._wait(look, lambda: f"not drawn: {missing}; {self.complaints()}")
        assert not self.boxes()

    def boxes(self) -> list[str]:
        """What Streamlit's boxes say about errors, those of components among them."""
        return list(self._script(BOXES))

    def complaints(self) -> list[str]:
        """What went wrong in scripts since the page was opened."""
        return list(self._script("return complaints"))

    def act(self, selector: str, keys: str = "") -> None:
        """Press the first thing of its kind that is to be seen, or type into it."""

        def attempt(_: Any) -> bool:
            found: WebElement | None = self._script(
                f"{FIND} return find(arguments[0])[0]", selector
            )
            if found is None:
                return False
            if keys:
                found.send_keys(keys)
            else:
                found.click()
            return True

        self._wait(attempt, lambda: f"cannot be pressed: {selector}")

    def shown(self, selector: str) -> str:
        """What a picture shows: its words, and the pixels of its canvases."""
        return str(self._script(SHOWN, selector))

    def wait_until_changed(self, selector: str, before: str) -> None:
        """Wait until a picture shows something else."""
        self._wait(
            lambda _: self.shown(selector) not in {before, ""},
            lambda: f"as before: {selector}; {self.complaints()}",
        )

    def sideways(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self._script(SIDEWAYS))

    def _script(self, script: str, *arguments: Any) -> Any:
        return self._driver.execute_script(script, *arguments)

    def _wait(self, condition: Any, words: Any) -> None:
        wait = WebDriverWait(self._driver, WAIT_SECONDS, LOOK_SECONDS, NOT_YET)
        try:
            wait.until(condition)
        except TimeoutException:
            pytest.fail(words())


def minibrowser() -> str | None:
    """WebKitGTK's small browser, the one that its driver can start."""
    return next(map(str, Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")), None)


def missing_packages() -> list[str]:
    """Names of Debian's packages for what is not there."""
    there = {
        "webkit2gtk-driver": minibrowser() and shutil.which("WebKitWebDriver"),
        "xvfb": shutil.which("Xvfb"),
    }
    return [package for package, path in there.items() if not path]


@contextmanager
def virtual_display() -> Iterator[str]:
    """Start a screen that nobody sees; yield its name, such as ":7"."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24"]
    with subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=[writing], stderr=subprocess.DEVNULL
    ) as screen:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        try:
            yield f":{number}"
        finally:
            screen.terminate()


@contextmanager
def browser_window(environment: Mapping[str, str], empty: str) -> Iterator[WebKitGTK]:
    """Start the browser; yield it with a window as large inside as it is asked to be.

    A window of its own accord has a bar of tools above the page and is never narrower than that.
    """
    options = Options()
    options.binary_location = str(minibrowser())
    options.add_argument("--automation")
    options.add_argument("--javascript-can-open-windows-automatically=true")
    service = Service(str(shutil.which("WebKitWebDriver")), env=environment)
    driver = WebKitGTK(options=options, service=service)
    try:
        driver.set_script_timeout(WAIT_SECONDS)
        driver.get(empty)
        first = driver.current_window_handle
        driver.execute_script("open('about:blank', '', 'popup')")
        driver.switch_to.window(next(one for one in driver.window_handles if one != first))
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def webkit(app_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKit]:
    """WebKit with the app, on a screen of its own; skipped where it is not installed."""
    if missing := missing_packages():
        words = f"WebKit is not tested: apt-get install {' '.join(missing)} (Debian, Ubuntu)."
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(words)
    settings = tmp_path_factory.mktemp("settings")
    (settings / "gtk-3.0").mkdir()
    # This is where it learns that the reader wants no motion.
    (settings / "gtk-3.0" / "settings.ini").write_text("[Settings]\ngtk-enable-animations=0\n")
    with virtual_display() as display:
        environment = {
            **os.environ,
            "DISPLAY": display,
            "GDK_BACKEND": "x11",
            "NO_AT_BRIDGE": "1",
            "XDG_CONFIG_HOME": str(settings),
        }
        with browser_window(environment, f"{app_url}/_stcore/health") as driver:
            yield WebKit(driver, app_url)
