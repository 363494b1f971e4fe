"""What the scripts of the attention canvas read from the bytes that Python packs."""

import base64
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page

from app.components.attention_payload import CanvasSettings, encode
from tests.browser.apps.canvas_cases import CASES

pytestmark = pytest.mark.browser

DEMO = Path(__file__).parent / "apps" / "canvas_demo.py"

# Every weight of every set, read by the scripts of the canvas from bytes at an odd address.
READ_WEIGHTS = """async ([version, text]) => {
    const { decode } = await import(`/app/static/js/attention/payload.js${version}`);
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    return decode(shifted.subarray(1)).sets.map((set) => {
        const rows = [];
        for (let layer = 0; layer < set.layers; layer += 1)
            for (let head = 0; head < set.heads; head += 1)
                for (let query = 0; query < set.queries; query += 1)
                    rows.push(Array.from(set.row(layer, head, query)));
        return rows;
    });
}"""


@pytest.fixture
def page(launch_app: Callable[..., str], new_page: Callable[..., Page]) -> Page:
    page = new_page()
    page.goto(launch_app(DEMO))
    page.wait_for_selector('.attention-canvas[data-drawn="true"]')
    return page


def test_every_weight_is_read_within_half_a_step_and_every_module_has_the_version(
    page: Page,
) -> None:
    names = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    modules = [urlsplit(name) for name in names if "/static/js/attention/" in name]
    versions = {module.query for module in modules}
    assert len(modules) > 5
    assert len(versions) == 1
    version = versions.pop()
    assert version.startswith("v=")

    for case in ("sentence", "sets", "one"):
        sets = CASES[case]()
        blob = encode(sets, strings={}, settings=CanvasSettings())
        found = page.evaluate(READ_WEIGHTS, [f"?{version}", base64.b64encode(blob).decode()])
        for original, rows in zip(sets, found, strict=True):
            weights = np.asarray(original.weights)
            read = np.array(rows).reshape(weights.shape)
            half_step = weights.max(axis=-1, keepdims=True) / 510
            assert (np.abs(read - weights) <= half_step * (1 + 1e-5)).all()
