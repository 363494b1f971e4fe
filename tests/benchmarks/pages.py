"""Every page: from a changed text to the end of its run, and memory after all pages and models.

    .venv/bin/python -m tests.benchmarks.pages [--times 3]

Starts the app and a Chromium, and prints one JSON object: `seconds` by page, the least and the most
from Enter to the end of the page's run, for texts of some 60 tokens that nobody has asked for
before, models loaded; `memory`, the server's resident megabytes at first, and after each of two
rounds through every page and, on the page of attention heads, every bundled model. Linux only.
"""

import argparse
import json
import sys
from typing import Any

from playwright.sync_api import Page, sync_playwright

from core.checkpoints.catalogue import bundled
from tests.benchmarks.start_page import fresh_page, resident_megabytes, running_app, wait_until_idle

TEXT = (
    "On day {} the old keeper of the small harbour took his little boat out into the grey water,"
    " because the wind had turned in the night, and before noon he came back to the town with a"
    " basket of fish, a broken oar, and a long story about a light that nobody else had seen,"
    " which he told to everyone."
)
PAGES = (
    "start attention fill-mask spans replaced next-word pairs translate alignment compare family"
)
IDLE = "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"
# Milliseconds from Enter until the run that it starts has ended.
RUN = """() => new Promise(resolve => {
    const app = document.querySelector(".stApp"), field = document.activeElement;
    let begun = false, start = 0;
    new MutationObserver(() => {
        const idle = app.dataset.testScriptState === "notRunning";
        if (begun && idle) resolve(performance.now() - start);
        begun ||= !idle;
    }).observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
    field.addEventListener("keydown", () => { start = performance.now(); }, { once: true });
})"""


def opened(page: Page, base_url: str, path: str) -> None:
    """The page, its run over."""
    page.goto(f"{base_url}/{path}")
    page.wait_for_selector("h1", timeout=60_000)
    page.wait_for_function(IDLE, timeout=60_000)
    page.wait_for_timeout(1000)


def seconds_of_change(page: Page, text: str) -> float:
    """From Enter in the page's first field to the end of the run."""
    field = page.locator(".stMain input[type=text]").first
    field.fill(text)
    page.evaluate(f"() => {{ window.changed = ({RUN})(); }}")
    field.press("Enter")
    return round(page.evaluate("window.changed") / 1000, 2)


def times_of_pages(page: Page, base_url: str, times: int) -> dict[str, Any]:
    """The least and the most of every page."""
    found = {}
    for number, name in enumerate(PAGES.split()):
        opened(page, base_url, "" if name == "start" else name)
        text = TEXT.replace("little", "___") if name == "spans" else TEXT
        changed = [
            seconds_of_change(page, text.format(f"{number}{once}")) for once in range(times + 1)
        ]
        seconds = sorted(changed[1:])  # the first one may have loaded a model
        found[name] = [seconds[0], seconds[-1]]
    return found


def round_trip(page: Page, base_url: str) -> None:
    """Every page, then every bundled model on the page of attention heads."""
    for name in [*PAGES.split()[1:], "positions", "findings", "schedules", "warm-up", "model"]:
        opened(page, base_url, name)
    for model in bundled():
        opened(page, base_url, f"attention?model={model.name}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="changes of a page's text")
    times = parser.parse_args().times
    with sync_playwright() as playwright, running_app() as (base_url, pid):
        wait_until_idle(pid)
        memory = [resident_megabytes(pid)]
        with fresh_page(playwright) as page:
            for _ in range(2):
                round_trip(page, base_url)
                memory.append(resident_megabytes(pid))
            seconds = times_of_pages(page, base_url, times)
    sys.stdout.write(json.dumps({"seconds": seconds, "memory": memory}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
