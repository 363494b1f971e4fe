"""How long the first page takes, what it loads, and whether memory stays flat. Linux only.

    .venv/bin/python -m tests.benchmarks.start_page [--times 5] [--texts 100]

Starts the app and a Chromium, and prints one JSON object:
`cold_seconds` from asking for the page, the server's health check just answered, to the atlas
drawn; `warm_seconds` the same once the default model is loaded, each in a fresh browser;
`first_load` bytes by origin and the layout shift; `memory` the server's resident megabytes while
one reader types texts. Close everything else first: two cores are easily disturbed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Playwright, expect, sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS, system_chromium
from tests.conftest import ROOT, free_port

DRAWN = '.attention-canvas[data-drawn="true"]'
STEPS = 10  # readings of memory
SHIFT = """() => new Promise(resolve => {
    const observer = new PerformanceObserver(list =>
        resolve(list.getEntries().reduce((sum, entry) => sum + entry.value, 0)));
    observer.observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(0), 500);
})"""


@contextmanager
def running_app(**environment: str) -> Iterator[tuple[str, int]]:
    """The app in a process of its own: base URL and process number, its health check answered."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app/main.py", f"--server.port={port}"]
    process = subprocess.Popen(
        [*command, "--server.address=127.0.0.1", "--server.headless=true"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.DEVNULL,
    )
    base_url = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                with urllib.request.urlopen(f"{base_url}/_stcore/health", timeout=1):
                    break
            except OSError:
                assert process.poll() is None, "the server has ended"
                time.sleep(0.02)
        yield base_url, process.pid
    finally:
        process.terminate()
        process.wait(10)


def seconds_of_processor(pid: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_idle(pid: int) -> None:
    """Return when a process has done nothing for a second: the model is loaded."""
    time.sleep(2)
    used = seconds_of_processor(pid)
    while True:
        time.sleep(1)
        before, used = used, seconds_of_processor(pid)
        if used - before < 0.05:
            return


def resident_megabytes(pid: int) -> float:
    """Memory that a process occupies."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


@contextmanager
def fresh_page(playwright: Playwright) -> Iterator[Page]:
    """A page of a browser that has never seen anything."""
    browser = playwright.chromium.launch(executable_path=system_chromium(), args=CHROMIUM_FLAGS)
    yield browser.new_page(viewport={"width": 1280, "height": 800})
    browser.close()


def seconds_to_picture(page: Page, base_url: str) -> float:
    """From asking for the page to the atlas drawn."""
    start = time.perf_counter()
    page.goto(base_url, wait_until="commit")
    page.wait_for_selector(DRAWN)
    return round(time.perf_counter() - start, 2)


def first_load(page: Page) -> dict[str, Any]:
    """What a fresh browser has loaded for the page, in bytes before compression."""
    page.wait_for_timeout(1000)
    entries = page.evaluate(
        "performance.getEntriesByType('resource').map(one => [one.name, one.decodedBodySize])"
    )
    inline = page.evaluate(
        "[...document.querySelectorAll('script')].reduce((sum, one) => sum + one.text.length, 0)"
    )
    own = {name: size for name, size in entries if "/app/static/" in name}
    streamlits = {name: size for name, size in entries if "/static/" in name and name not in own}
    return {
        "requests": len(entries),
        "own_script": sum(size for name, size in own.items() if "/js/" in name),
        "inline_script": inline,
        "own_fonts": sum(size for name, size in own.items() if "/fonts/" in name),
        "streamlit_script": sum(size for name, size in streamlits.items() if "/js/" in name),
        "streamlit_other": sum(size for name, size in streamlits.items() if "/js/" not in name),
        "plotly": any("Plotly" in name for name in streamlits),
        "layout_shift": round(page.evaluate(SHIFT), 3),
    }


def memory_over_texts(page: Page, pid: int, texts: int) -> list[float]:
    """Resident megabytes while a reader types one text after the other."""
    field, chips = page.get_by_label("Sentence"), page.locator(".strip .chip")
    readings = [resident_megabytes(pid)]
    for number in range(texts):
        field.fill(f"On day {number} the animal did not cross the street because it was tired.")
        field.press("Enter")
        expect(chips.nth(3)).to_have_text(str(number))
        if (number + 1) % max(1, texts // STEPS) == 0:
            readings.append(resident_megabytes(pid))
    return readings


def measure(times: int, texts: int) -> dict[str, Any]:
    """Everything, in the order of the module's docstring."""
    cold, warm = [], []
    with sync_playwright() as playwright:
        for _ in range(times):
            with fresh_page(playwright) as page, running_app() as (base_url, _pid):
                cold.append(seconds_to_picture(page, base_url))
        for _ in range(times):
            with running_app() as (base_url, pid):
                wait_until_idle(pid)
                with fresh_page(playwright) as page:
                    warm.append(seconds_to_picture(page, base_url))
                    loaded = first_load(page)
        with running_app() as (base_url, pid), fresh_page(playwright) as page:
            seconds_to_picture(page, base_url)
            memory = memory_over_texts(page, pid, texts)
    return {
        "cold_seconds": {"median": statistics.median(cold), "all": cold},
        "warm_seconds": {"median": statistics.median(warm), "all": warm},
        "first_load": loaded,
        "memory": {"texts": texts, "megabytes": memory},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="measurements of each time")
    parser.add_argument("--texts", type=int, default=100, help="texts while memory is watched")
    arguments = parser.parse_args()
    sys.stdout.write(json.dumps(measure(arguments.times, arguments.texts), indent=2) + "\n")
