"""Photograph every page in Firefox, for someone to look at.

    .venv/bin/python -m tests.browser.by_hand.firefox http://localhost:8501 /tmp/firefox

Needs a running app and Firefox (Debian: firefox-esr), and no driver: it speaks WebDriver BiDi, the
protocol that Firefox answers itself. Writes one PNG a page, 1280 by 800, and prints what its
console said.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websocket import WebSocket, create_connection

from app.navigation import ENTRIES

LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
# Drawn: the script has ended, components hold something, and nothing has changed for a second.
DRAWN = """new Promise((resolve) => {
  const filled = (component) => component.shadowRoot?.querySelector("section > *, button");
  const drawn = () => document.querySelector(".stApp")?.dataset.testScriptState === "notRunning"
    && document.querySelector("h1")
    && [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(filled);
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (drawn() ? resolve() : wait()), 1000);
  };
  new MutationObserver(wait).observe(document, { childList: true, subtree: true });
  wait();
})"""


class Firefox:
    """One tab, by WebDriver BiDi."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        tree = self.ask("browsingContext.getTree")
        self._tab = tree["contexts"][0]["context"]
        size = {"width": 1280, "height": 800}
        self.ask("browsingContext.setViewport", context=self._tab, viewport=size)

    def ask(self, method: str, **params: Any) -> Any:
        """Send one command and return its result; errors of the page's console are kept."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self.errors.append(answer["params"]["text"])
            if answer.get("id") == number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def photograph(self, address: str, path: Path) -> None:
        """Open an address, wait until it is drawn, and write what is to be seen."""
        self.errors.clear()
        self.ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")
        target = {"context": self._tab}
        self.ask("script.evaluate", expression=DRAWN, target=target, awaitPromise=True)
        picture = self.ask("browsingContext.captureScreenshot", context=self._tab)
        path.write_bytes(base64.b64decode(picture["data"]))


@contextmanager
def running_firefox() -> Iterator[Firefox]:
    """Start Firefox with a profile of its own; end it afterwards."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        sys.exit("Firefox is missing; install it (on Debian: sudo apt-get install firefox-esr).")
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"]
        process = subprocess.Popen(
            [program, *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        try:
            assert process.stderr is not None
            found = next((it for line in process.stderr if (it := LISTENS.search(line))), None)
            if found is None:
                sys.exit("Firefox ended before it listened.")
            socket = create_connection(f"{found[1]}/session", suppress_origin=True, timeout=120)
            yield Firefox(socket)
            socket.close()
        finally:
            process.terminate()
            process.wait()


def main(base_url: str, folder: Path) -> None:
    """Photograph every page of the app into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with running_firefox() as firefox:
        for entry in ENTRIES:
            path = folder / f"{entry.url_path or 'start'}.png"
            firefox.photograph(f"{base_url.rstrip('/')}/{entry.url_path}", path)
            sys.stdout.write("\n  ".join([str(path), *firefox.errors]) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], Path(sys.argv[2]))
