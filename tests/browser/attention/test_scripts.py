"""What the scripts of the attention canvas read from the bytes that Python packs."""

import base64
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, Route

from app.browser_files import folder
from app.parts.attention_canvas import encode
from app.parts.attention_settings import CanvasSettings
from app.parts.scripts import imported_by
from tests.browser.apps.canvas_cases import CASES
from tests.browser.apps.canvas_page import DRAWN, OpenCanvas
from tests.browser.conftest import NewPage

pytestmark = pytest.mark.browser

# Every weight of every set, read by the scripts of the canvas from bytes at an odd address.
READ_WEIGHTS = """async ([folder, text]) => {
    const { decode } = await import(`/${folder}/js/attention/map_set.js`);
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


# Of lines from height 100 to 0, 100 and 200, the one that each point means.
FIND_LINES = """async ([folder, points]) => {
    const { lineAt } = await import(`/${folder}/js/attention/line_list.js`);
    const line = { head: 0, row: 1, from: 100, weight: 0.1 };
    const lines = [0, 100, 200].map((to, column) => ({ ...line, column, to }));
    return points.map(([across, y]) => lineAt(lines, across, y)?.column ?? null);
}"""

LIST_LINES = """async ([folder, text]) => {
    const { decode } = await import(`/${folder}/js/attention/map_set.js`);
    const { linesOfHeads, strongestLines } = await import(`/${folder}/js/attention/line_list.js`);
    const { projectionOf } = await import(`/${folder}/js/attention/projection.js`);
    const [set] = decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))).sets;
    const lines = linesOfHeads(projectionOf(set, {}), 2, [1], 0.05);
    const pairs = (some) => some.map(({ row, column }) => [row, column]);
    return [pairs(lines), pairs(strongestLines(lines, 3))];
}"""


# Data by data: what was decoded, what was said to the picture, what stands there.
MOUNT = """async (folder) => {
    const { mounting } = await import(`/${folder}/js/lib/picture.js`);
    const parentElement = document.createElement("div");
    parentElement.innerHTML = "<section class='one'></section>";
    document.body.append(parentElement);
    const told = [];
    class Picture {
        constructor(root, life) {
            this.root = root;
            told.push("made");
            life.onEnd(() => told.push("ended"));
        }
        show(payload) { told.push(payload); this.root.textContent = payload; }
    }
    const decode = (data) => {
        told.push("decoded");
        if (data.broken) throw new Error("no picture.");
        return data.text;
    };
    const mount = mounting(".one", Picture, decode);
    const sentences = { unreadable: "Nicht gezeichnet: {reason}" };
    const call = (data) => mount({ data, parentElement, sentences });
    const [one, two] = [{ text: "one" }, { text: "two" }];
    const first = call(one);
    call(one);
    const last = call(two);
    first();
    last();
    told.push("still there");
    call(two);
    parentElement.remove();
    last();
    first();
    told.push("gone");
    document.body.append(parentElement);
    call({ broken: true });
    return [told, parentElement.querySelector("[role=alert]").textContent];
}"""

# What a life has begun, and what of it goes on after its end.
END = """async (folder) => {
    const { Life } = await import(`/${folder}/js/lib/life.js`);
    const [life, seen] = [new Life(), []];
    const part = life.part();
    const target = new EventTarget();
    life.listen(target, "press", () => seen.push("heard"));
    part.listen(target, "press", () => seen.push("part heard"));
    life.timeout(() => seen.push("timeout"), 30);
    life.interval(() => seen.push("interval"), 30);
    life.frame(() => seen.push("frame"));
    life.observe(document.body, () => seen.push("size"));
    target.dispatchEvent(new Event("press"));
    part.end();
    target.dispatchEvent(new Event("press"));
    life.end();
    life.end();
    target.dispatchEvent(new Event("press"));
    life.timeout(() => seen.push("late"), 0);
    await new Promise((done) => setTimeout(done, 120));
    return seen;
}"""


# What is sent at each time that something is said; two of the messages are answered in between.
SAY = """async (folder) => {
    const { Said } = await import(`/${folder}/js/lib/shared.js`);
    const said = new Said();
    const heard = [];
    const send = (name, messages) => heard.push([name, ...messages.map(({ value }) => value)]);
    const stamps = [];
    const rounds = [];
    const say = (name, value) => {
        stamps.push(said.say(send, name, { value }));
        rounds.push(heard.splice(0));
    };
    said.take({ choice: 0, mask: 0 });
    say("choice", 1);
    say("mask", 2);
    say("choice", 3);
    said.take({ choice: stamps[0], mask: stamps[1] });
    say("mask", 4);
    say("open", 5);
    say("open", 6);
    said.take({ choice: stamps[2], mask: stamps[3] });
    say("open", 7);
    const rise = stamps.every((one, at) => at === 0 || one > stamps[at - 1]);
    return [rounds, rise];
}
"""


def modules_of(page: Page) -> list[str]:
    """Addresses of the modules that a page has fetched, after the version."""
    names = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    start = f"/{folder()}/"
    paths = [urlsplit(name).path for name in names if urlsplit(name).path.startswith(start)]
    return [path.removeprefix(start) for path in paths if path.endswith(".js")]


def test_a_line_is_found_where_it_is_drawn(page: Page) -> None:
    # A quarter of the way down a line is nearer to its start than a quarter of the way across.
    points = [
        (0.5, 50),
        (0.5, 100),
        (0.5, 150),
        (1, 0),
        (1, 200),
        (0.5, 75),
        (0.25, 91),
        (0.25, 75),
    ]
    found = page.evaluate(FIND_LINES, [folder(), points])
    assert found == [0, 1, 2, 0, 2, None, 0, None]


def test_lines_of_a_head_are_its_weights_above_a_twentieth_faintest_first(page: Page) -> None:
    sets = CASES["sentence"]()
    message = encode(sets, CanvasSettings())
    text = base64.b64encode(message).decode()
    everything, to_one = page.evaluate(LIST_LINES, [folder(), text])
    weights = np.asarray(sets[0].patterns[2, 1])
    clear = np.abs(weights - 0.05) > weights.max(axis=-1, keepdims=True) / 500
    drawn = np.zeros(weights.shape, dtype=bool)
    drawn[tuple(np.transpose(everything))] = True
    assert (drawn == (weights >= 0.05))[clear].all()
    in_order = weights[tuple(np.transpose(everything))]
    assert (np.diff(in_order) > -1 / 255).all()
    assert to_one == [pair for pair in everything if pair[1] == 3]


def test_every_weight_is_read_within_half_a_step(page: Page) -> None:
    for case in ("sentence", "sets", "one"):
        sets = CASES[case]()
        message = encode(sets, CanvasSettings())
        found = page.evaluate(READ_WEIGHTS, [folder(), base64.b64encode(message).decode()])
        for original, rows in zip(sets, found, strict=True):
            weights = np.asarray(original.patterns)
            read = np.array(rows).reshape(weights.shape)
            half_step = weights.max(axis=-1, keepdims=True) / 510
            assert (np.abs(read - weights) <= half_step * (1 + 1e-5)).all()


def test_the_first_picture_fetches_what_it_imports_each_module_once(
    open_fresh: OpenCanvas,
) -> None:
    fetched = modules_of(open_fresh("/?case=sentence"))
    assert sorted(fetched) == sorted(imported_by("js/attention/main.js"))


def test_the_first_picture_fetches_its_modules_at_once(demo_url: str, new_page: NewPage) -> None:
    """Each is asked for before any has told what it imports: none is sent until then."""
    page = new_page()
    awaited = {f"/{folder()}/{name}" for name in imported_by("js/attention/main.js")}
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)
        awaited.discard(urlsplit(route.request.url).path)
        if not awaited:
            while held:
                held.pop().continue_()

    page.route("**/app/static/v-*/**/*.js", hold)
    page.goto(f"{demo_url}/?case=sentence")
    page.wait_for_selector(DRAWN)


def test_what_is_not_answered_is_said_again_with_what_is_new(page: Page) -> None:
    """Of a component's messages that wait, Streamlit hands on the last alone."""
    rounds, rise = page.evaluate(SAY, folder())
    assert rise, "later messages have larger stamps"
    assert rounds == [
        [["choice", 1]],
        [["choice", 1], ["mask", 2]],
        [["choice", 1, 3], ["mask", 2]],
        [["choice", 3], ["mask", 4]],
        [["choice", 3], ["mask", 4], ["open", 5]],
        [["choice", 3], ["mask", 4], ["open", 6]],  # nobody answers it: the last alone counts
        [["open", 7]],
    ]


def test_a_picture_lives_as_long_as_it_stands_in_the_page(page: Page) -> None:
    told, failure = page.evaluate(MOUNT, folder())
    first = ["decoded", "made", "one", "one", "decoded", "two", "still there", "two"]
    assert told == [*first, "ended", "gone", "decoded"]
    assert failure == "Nicht gezeichnet: no picture."


def test_what_a_picture_has_begun_ends_with_it(page: Page) -> None:
    assert page.evaluate(END, folder()) == ["heard", "part heard", "heard"]
