"""How much BertViz's model view sends, and how long it draws. 12 layers of 12 heads.

    .venv/bin/python -m tests.benchmarks.bertviz [--tokens 64 128]

Prints one JSON object: for each number of tokens the bytes of the page that BertViz 1.4.1 writes,
and the seconds from asking for it to all its lines drawn, in a fresh Chromium, its three scripts
coming from this machine. `measure` takes any maps, for a comparison in one run.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Playwright, sync_playwright

from app.sections.attention.bertviz_view import SCRIPTS
from tests.browser.conftest import CHROMIUM_FLAGS, system_chromium
from tests.conftest import ROOT

PAGE = "/model_view.html"
PATIENCE_MILLISECONDS = 600_000
# The second callback comes when the frame of the first has been drawn.
A_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def random_maps(layers: int, heads: int, tokens: int, seed: int = 0) -> NDArray[np.float32]:
    """Attention weights `[layer, head, query, key]` as a softmax over random scores gives them."""
    scores = 2 * np.random.default_rng(seed).normal(size=(layers, heads, tokens, tokens))
    weights = np.exp(scores)
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def model_view_page(maps: NDArray[np.float32], tokens: Sequence[str]) -> str:
    """What BertViz writes, as it is but for the addresses of its scripts."""
    import torch
    from bertviz import model_view

    attention = list(torch.from_numpy(maps).unsqueeze(1))
    page: str = model_view(attention, list(tokens), html_action="return").data
    for address, local in SCRIPTS.items():
        page = page.replace(address, f"/{local}")
    return page


@contextmanager
def served(files: Mapping[str, bytes]) -> Iterator[str]:
    """Files by path, from this machine; gives the base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = files.get(self.path)
            self.send_response(404 if content is None else 200)
            kind = "text/html" if self.path.endswith(".html") else "text/javascript"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its own name
            """Nothing: the standard output is for the result."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def measure(
    playwright: Playwright, maps: NDArray[np.float32], tokens: Sequence[str]
) -> dict[str, float]:
    """Bytes of BertViz's model view of these maps, and seconds until it is drawn."""
    page_bytes = model_view_page(maps, tokens).encode()
    scripts = (ROOT / "app/static/vendor").glob("*.js")
    files = {f"/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in scripts}
    browser = playwright.chromium.launch(executable_path=system_chromium(), args=CHROMIUM_FLAGS)
    with served({**files, PAGE: page_bytes}) as base_url:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        start = time.perf_counter()
        page.goto(base_url + PAGE, wait_until="commit", timeout=PATIENCE_MILLISECONDS)
        page.wait_for_function(
            "lines => document.getElementsByTagName('line').length === lines",
            arg=maps.size,
            timeout=PATIENCE_MILLISECONDS,
        )
        page.evaluate(A_FRAME)
        seconds = time.perf_counter() - start
    browser.close()
    return {"bytes": len(page_bytes), "seconds": round(seconds, 2)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[64, 128], help="lengths of text")
    arguments = parser.parse_args()
    with sync_playwright() as started:
        results = {
            count: measure(started, random_maps(12, 12, count), ["token"] * count)
            for count in arguments.tokens
        }
    sys.stdout.write(json.dumps(results, indent=2) + "\n")
