"""Every page: from a changed text to its picture, and memory after all pages and models.

    .venv/bin/python -m tests.benchmarks.pages [--times 5]

Starts the app and a Chromium, and prints one JSON object. `drawn` by page: the median and the most
seconds from Enter to the last change of the page that it brings about, for texts of 60 to 70 tokens
that nobody has asked for before, models loaded. `again`: the same where another reader has asked
for the same text before. `memory`: the server's resident megabytes at first, and after each of two
rounds through every page and, on the page of attention heads, every bundled model. Linux only.
"""

import argparse
import json
import statistics
import sys
from typing import Any

from playwright.sync_api import Page, sync_playwright

from core.checkpoints.catalogue import bundled
from tests.benchmarks.start_page import fresh_page, resident_megabytes, running_app, wait_until_idle

TEXT = (
    "On day {} the old keeper of the small harbour took his little boat out into the grey water,"
    " because the wind had turned in the night, and before noon he came back to the town with a"
    " basket of fish, a broken oar, and a long story about a light nobody knew."
)
READ = (
    "start attention fill-mask spans replaced next-word pairs translate alignment positions family"
    " compare"
).split()
OTHERS = ["schedules", "warm-up", "findings", "model"]
FIRST_FIELD = '.stMain input[type="text"]:not([role="combobox"]), .stMain textarea'
IDLE = "() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'"
# Milliseconds from Enter to the last change of the document, which is then quiet for a second.
DRAWN = """() => new Promise(resolve => {
    const app = document.querySelector(".stApp");
    let start = 0, last = 0;
    const observer = new MutationObserver(() => { last = performance.now(); });
    document.activeElement.addEventListener("keydown", () => {
        start = last = performance.now();
        observer.observe(app, { attributes: true, childList: true, characterData: true,
            subtree: true });
        const look = setInterval(() => {
            const quiet = performance.now() - last > 1000;
            if (quiet && app.dataset.testScriptState === "notRunning") {
                clearInterval(look);
                observer.disconnect();
                resolve(last - start);
            }
        }, 50);
    }, { once: true });
})"""


def open_at(page: Page, address: str) -> None:
    """Open a page and wait until it has been still for a second."""
    page.goto(address)
    page.wait_for_selector("h1", timeout=60_000)
    page.wait_for_function(IDLE, timeout=60_000)
    page.wait_for_timeout(1000)


def seconds_until_drawn(page: Page, text: str) -> float:
    """Type a text into the page's first field, and wait for all that it changes."""
    field = page.locator(FIRST_FIELD).first
    field.fill(text)
    page.evaluate(f"() => {{ window.drawn = ({DRAWN})(); }}")
    field.press("Enter")
    return round(page.evaluate("window.drawn") / 1000, 2)


def texts_of(name: str, times: int) -> list[str]:
    """Texts that no page and no earlier change has read."""
    text = TEXT.replace("little", "___") if name == "spans" else TEXT
    return [text.format(f"{READ.index(name) + 1}{once}") for once in range(times + 1)]


def times_of(page: Page, base_url: str, name: str, times: int) -> dict[str, float]:
    """One page's seconds; the first change is left out, since it may load a model."""
    open_at(page, f"{base_url}/{'' if name == 'start' else name}")
    seconds = [seconds_until_drawn(page, text) for text in texts_of(name, times)][1:]
    return {"median": statistics.median(seconds), "most": max(seconds)}


def visit_all(page: Page, base_url: str) -> None:
    """Every page, then every bundled model on the page of attention heads."""
    for name in [*READ[1:], *OTHERS]:
        open_at(page, f"{base_url}/{name}")
    for model in bundled():
        open_at(page, f"{base_url}/attention?model={model.name}")


def measure(times: int) -> dict[str, Any]:
    """Everything, in the order of the module's docstring."""
    with sync_playwright() as playwright, running_app() as (base_url, pid):
        wait_until_idle(pid)
        memory = [resident_megabytes(pid)]
        with fresh_page(playwright) as page:
            for _ in range(2):
                visit_all(page, base_url)
                memory.append(resident_megabytes(pid))
            drawn = {name: times_of(page, base_url, name, times) for name in READ}
        with fresh_page(playwright) as page:
            again = {name: times_of(page, base_url, name, times) for name in READ}
    return {"drawn": drawn, "again": again, "memory": memory}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="changes of a page's text")
    result = measure(parser.parse_args().times)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
