"""How fast the attention explorer is at the size of BERT-base, and how much it sends. Linux only.

    .venv/bin/python -m tests.benchmarks.canvas [--times 5] [--texts 200] [--bertviz 64 128]

Makes a random BERT of 12 layers with 12 heads, starts the app and a Chromium, and prints one JSON
object:

- `drawn`: for each number of tokens, seconds from Enter in the field to all heads drawn, the
  forward pass included (medians over new texts), bytes of the message with the maps, for each
  weight too, and of all messages until the page is quiet
- `layer_seconds`: from the key to a layer drawn that was not in the browser, at 512 tokens
- `switch_milliseconds`: from a key to the next frame, for what is in the browser
- `drag_milliseconds`: median frame while the threshold is dragged at 128 tokens, by view
- `bertviz`: BertViz's model view of the same maps, its scripts local, from asking for its page to
  all lines drawn; ours from Enter in the open page, the forward pass included, and (`fresh`) from
  asking for the page in a fresh browser
- `memory`: the server's resident megabytes while one reader types texts of 128 tokens; it grows
  until the memory of results (`app.ask.RESULT_BYTES`) is full, after some 45 of them

Close everything else first: two cores are easily disturbed.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import torch
from playwright.sync_api import Page, Playwright, WebSocket, sync_playwright

from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.models.architectures.bert import bert_config
from core.models.registry import build
from core.tasks import attend
from tests.benchmarks import bertviz
from tests.benchmarks.start_page import (
    DRAWN,
    fresh_page,
    resident_megabytes,
    running_app,
    wait_until_idle,
)

NAME = "random-bert-base"
WORDS = "the old sea house green town road light water stone river night bird field".split()
LENGTHS = (64, 128, 512)
PICTURE = ".centre .surface:not([hidden]) canvas"
VIEWS = ("grid", "heads", "matrix", "lines")
SWITCHES = 30
PATIENCE_MILLISECONDS = 60_000
READINGS = 10  # of memory

# What is drawn is told by the identity of its maps; the next frame shows it.
WATCH = """() => {
    const drawings = () => performance.getEntriesByName("headlight:draw");
    const known = drawings().at(-1)?.detail;
    window.watched = new Promise(done => {
        addEventListener("keydown", event => {
            const start = performance.now();
            const look = () => {
                const latest = drawings().at(-1);
                if (latest?.detail && latest.detail !== known) done(performance.now() - start);
                else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        }, { capture: true, once: true });
    });
}"""
# From the key until a layer that was not here has come, been drawn, and stood for a frame.
WATCH_LAYER = """() => {
    performance.clearMarks("headlight:layers");
    window.watched = new Promise(done => {
        addEventListener("keydown", () => {
            const start = performance.now();
            const look = () => {
                const come = performance.getEntriesByName("headlight:layers").length > 0;
                if (come) requestAnimationFrame(() => done(performance.now() - start));
                else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
        }, { capture: true, once: true });
    });
}"""
WATCH_FRAME = """() => {
    window.watched = new Promise(done => {
        addEventListener("keydown", () => {
            const start = performance.now();
            requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
        }, { capture: true, once: true });
    });
}"""
# One step of the threshold a frame, there and back.
DRAG = """range => new Promise(done => {
    const frames = [];
    let before = performance.now();
    let step = 0;
    const move = () => {
        const now = performance.now();
        frames.push(now - before);
        before = now;
        step += 1;
        if (step > 120) { done(frames.slice(1)); return; }
        range.value = String(5 * Math.min(step, 120 - step));
        range.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(move);
    };
    requestAnimationFrame(move);
})"""


def save_random_model(folder: Path) -> Checkpoint:
    """A BERT-base with the bundled vocabulary and weights nobody trained."""
    tokenizer = load_checkpoint("bert", device="cpu").tokenizer
    rows = 1 + max(tokenizer.inner.get_vocab().values())
    config = bert_config(vocabulary=rows)
    torch.manual_seed(0)
    save_checkpoint(build(config).eval(), config, tokenizer, folder / NAME)
    return load_checkpoint(NAME, device="cpu", policy=LoadPolicy(roots=(folder.resolve(),)))


def text_of(tokens: int, number: int) -> str:
    """A text of so many tokens, with [CLS] and [SEP]; each number gives another one."""
    generator = np.random.default_rng(number)
    return " ".join(generator.choice(WORDS, tokens - 2))


class Traffic:
    """Sizes of the messages that came over the page's WebSockets since they were last counted."""

    def __init__(self, page: Page) -> None:
        self.sizes: list[int] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self.sizes.append(len(payload)))


def open_explorer(page: Page, base_url: str, text: str, **settings: Any) -> None:
    """The page of attention heads, drawn."""
    query = urlencode({"model": NAME, "text": text, **settings})
    page.goto(f"{base_url}/attention?{query}")
    page.wait_for_selector(DRAWN)
    page.wait_for_timeout(2000)


def pressed(page: Page, watch: str, key: str) -> float:
    """Milliseconds from a key to what is watched for."""
    page.evaluate(watch)
    page.keyboard.press(key)
    patience = f"new Promise((_, give_up) => setTimeout(give_up, {PATIENCE_MILLISECONDS}))"
    return float(page.evaluate(f"() => Promise.race([window.watched, {patience}])"))


def type_text(page: Page, traffic: Traffic, text: str) -> dict[str, float]:
    """Send a text from the open page: seconds until it is drawn, and the bytes of that."""
    page.get_by_label("Sentence", exact=True).fill(text)
    page.wait_for_timeout(1000)
    traffic.sizes.clear()
    seconds = pressed(page, WATCH, "Enter") / 1000
    page.wait_for_timeout(1500)
    return {
        "seconds": round(seconds, 3),
        "bytes": max(traffic.sizes),
        "bytes_of_page": sum(traffic.sizes),
    }


def measure_drawn(page: Page, base_url: str, times: int) -> dict[str, Any]:
    """New texts typed into the field, by their length."""
    traffic = Traffic(page)
    found: dict[str, Any] = {}
    for tokens in LENGTHS:
        open_explorer(page, base_url, text_of(tokens, 0), view="grid")
        typed = [type_text(page, traffic, text_of(tokens, n)) for n in range(1, times + 1)]
        medians = {name: statistics.median(one[name] for one in typed) for name in typed[0]}
        per_weight = round(medians["bytes"] / (144 * tokens**2), 4)
        seconds = [one["seconds"] for one in typed]
        found[str(tokens)] = {**medians, "bytes_per_weight": per_weight, "all": seconds}
    return found


def measure_layers(page: Page, base_url: str) -> list[float]:
    """Seconds for layers that were not in the browser: two further down each time."""
    seconds = []
    open_explorer(page, base_url, text_of(512, 0), view="grid", layer=0)
    page.locator(PICTURE).focus()
    for _ in range(3):
        page.wait_for_timeout(3000)  # the neighbours have come
        page.keyboard.press("ArrowDown")
        seconds.append(pressed(page, WATCH_LAYER, "ArrowDown") / 1000)
    return [round(one, 3) for one in seconds]


def measure_switches(page: Page, base_url: str) -> dict[str, Any]:
    """Median and worst milliseconds from a key to the frame after it, by tokens and view."""
    found = {}
    for tokens in LENGTHS:
        for view in VIEWS:
            open_explorer(page, base_url, text_of(tokens, 0), view=view, layer=5, head=5)
            page.locator(PICTURE).focus()
            keys = ["ArrowRight", "ArrowLeft"] * (SWITCHES // 2)
            times = [pressed(page, WATCH_FRAME, key) for key in keys]
            found[f"{view} {tokens}"] = {
                "median": round(statistics.median(times), 1),
                "worst": round(max(times), 1),
            }
    return found


def measure_drag(page: Page, base_url: str) -> dict[str, Any]:
    """Milliseconds of a median frame while the threshold moves, at 128 tokens."""
    found = {}
    for view in VIEWS:
        open_explorer(page, base_url, text_of(128, 0), view=view, layer=5, head=5, token=-1)
        frames = page.locator(".threshold input").evaluate(DRAG)
        found[view] = {
            "median": round(statistics.median(frames), 1),
            "slowest_of_ten": round(statistics.quantiles(frames, n=10)[-1], 1),
        }
    return found


def compare_with_bertviz(
    playwright: Playwright, base_url: str, model: Checkpoint, lengths: list[int]
) -> dict[str, Any]:
    """Both pictures of the same maps, each in a fresh browser."""
    found: dict[str, Any] = {}
    for tokens in lengths:
        text = text_of(tokens, 99)
        maps = attend(model, text)
        theirs = bertviz.measure(playwright, maps.patterns, maps.encoding.pieces)
        with fresh_page(playwright) as page:
            traffic = Traffic(page)
            start = time.perf_counter()
            query = urlencode({"model": NAME, "text": text_of(tokens, 98), "view": "grid"})
            page.goto(f"{base_url}/attention?{query}", wait_until="commit")
            page.wait_for_selector(DRAWN)
            page.evaluate(bertviz.A_FRAME)
            fresh = round(time.perf_counter() - start, 2)
            page.wait_for_timeout(2000)
            ours = type_text(page, traffic, text)
        found[str(tokens)] = {
            "theirs": theirs,
            "ours": {**ours, "fresh": fresh},
            "bytes_ratio": round(theirs["bytes"] / ours["bytes"], 1),
            "time_ratio": round(theirs["seconds"] / ours["seconds"], 1),
        }
    return found


def memory_over_texts(page: Page, base_url: str, pid: int, texts: int) -> list[float]:
    """Resident megabytes while a reader types one text of 128 tokens after the other."""
    open_explorer(page, base_url, text_of(128, 0), view="grid")
    readings = [resident_megabytes(pid)]
    for number in range(1, texts + 1):
        page.get_by_label("Sentence", exact=True).fill(text_of(128, number))
        pressed(page, WATCH, "Enter")
        if number % max(1, texts // READINGS) == 0:
            readings.append(resident_megabytes(pid))
    return readings


def measure(times: int, texts: int, lengths: list[int]) -> dict[str, Any]:
    """Everything, in the order of the module's docstring."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        model = save_random_model(Path(folder))
        with running_app(HEADLIGHT_MODELS=folder) as (base_url, pid):
            wait_until_idle(pid)
            with fresh_page(playwright) as page:
                found: dict[str, Any] = {"drawn": measure_drawn(page, base_url, times)}
            with fresh_page(playwright) as page:
                found["layer_seconds"] = measure_layers(page, base_url)
            with fresh_page(playwright) as page:
                found["switch_milliseconds"] = measure_switches(page, base_url)
                found["drag_milliseconds"] = measure_drag(page, base_url)
            found["bertviz"] = compare_with_bertviz(playwright, base_url, model, lengths)
        with (
            running_app(HEADLIGHT_MODELS=folder) as (base_url, pid),
            fresh_page(playwright) as page,
        ):
            megabytes = memory_over_texts(page, base_url, pid, texts)
            found["memory"] = {"texts": texts, "megabytes": megabytes}
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="new texts of each length")
    parser.add_argument("--texts", type=int, default=200, help="texts while memory is watched")
    parser.add_argument(
        "--bertviz", type=int, nargs="*", default=[64, 128], help="lengths for the comparison"
    )
    arguments = parser.parse_args()
    result = measure(arguments.times, arguments.texts, arguments.bertviz)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
