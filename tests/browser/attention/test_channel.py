"""Channels: what an open canvas asks for while it is open, in a real browser."""

import json
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, WebSocket, expect

from app.browser_files import folder
from tests.attention_maps import identity_of
from tests.browser.apps.canvas_cases import CASES, SENTENCE
from tests.browser.apps.canvas_page import (
    OpenCanvas,
    atlas,
    expect_chosen,
    root,
)
from tests.browser.waiting import expect_idle

pytestmark = pytest.mark.browser

CHANNEL = "canvas-channel"

# Asks a channel of the page, in the script's own words, and gives back the answer.
ASK = """async ([folder, name, wish]) => {
    const { channelOf } = await import(`/${folder}/js/attention/channel.js`);
    const channel = channelOf(name);
    return new Promise((resolve) => {
        const stop = channel.listen(({ set, layers, cell }) => {
            if (!cell) return;
            stop();
            resolve({
                set,
                layers: [...layers.keys()],
                cell: { ...cell, rows: cell.rows.map((row) => Array.from(row)) },
            });
        });
        channel.ask(wish);
    });
}"""

# A channel of its own: what it carries is noted, and answered when the test says so.
BUILD = """async (folder) => {
    const { channelOf } = await import(`/${folder}/js/attention/channel.js`);
    const channel = channelOf(`test ${Math.random()}`);
    const questions = [];
    const answers = [];
    const owner = {};
    const message = (said) =>
        ({ set: "maps", layers: [], cell: null, similar: null, exact: null, points: null,
            choose: null, ...said });
    const tick = () => new Promise((resolve) => setTimeout(resolve, 20));
    window.channelTest = { channel, questions, answers, owner, message, tick,
        carry: (question) => questions.push(question),
        listen: () => channel.listen((answer) => answers.push(answer)) };
}"""


# Run before the page: the paths at which it sent something to the server.
NOTE_SENT = """
    window.sentFrom = [];
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (frame) {
        sentFrom.push(location.pathname);
        return send.call(this, frame);
    };
"""


def ask(page: Page, name: str, wish: dict[str, Any]) -> Any:
    return page.evaluate(ASK, [folder(), name, wish])


def test_exact_rows_come_while_the_canvas_stays(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?case=layers")
    [maps] = CASES["layers"]()
    root(page).evaluate("node => { node.firstElementChild.marked = true; }")
    cell = {"set": identity_of(maps), "layer": 5, "head": 3, "queries": [10, 4], "key": None}
    answer = ask(page, CHANNEL, {"cell": cell, "layers": [4], "set": identity_of(maps)})
    assert answer["set"] == identity_of(maps)
    assert 4 in answer["layers"]  # beside the neighbours of the one shown, fetched ahead of need
    found = answer["cell"]
    assert {name: found[name] for name in cell} == cell
    # JSON writes a float32 exactly, so they are the same numbers.
    np.testing.assert_array_equal(np.float32(found["rows"]), maps.patterns[5, 3, [10, 4]])
    assert root(page).evaluate("node => node.firstElementChild.marked")


def test_a_question_sends_neither_the_maps_nor_the_page_again(
    open_fresh: OpenCanvas, assert_clean: Any
) -> None:
    received: list[int] = []

    def note(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page = open_fresh("/?case=long")
    page.on("websocket", note)
    page.reload()
    expect(root(page).locator("canvas[role=img]")).to_be_visible()
    expect_chosen(page, layer=2)
    page.wait_for_function("performance.getEntriesByName('headlight:layers').length > 0")
    received.clear()
    atlas(page).press("End")
    atlas(page).press("ArrowDown")
    expect_chosen(page, layer=3)
    atlas(page).press("ArrowDown")
    atlas(page).press("ArrowDown")
    expect_chosen(page, layer=5)
    expect(root(page).locator(".lines-room")).not_to_have_class(re.compile("fetching"))
    one_layer = 12 * 512 * 512
    assert sum(received) >= one_layer
    # Layers 4 and 5, each once: no thumbnails, no scales, no other component.
    assert sum(received) <= 2 * one_layer + 100_000
    assert_clean(page)


def test_nothing_is_said_once_the_reader_has_gone_back(open_fresh: OpenCanvas) -> None:
    page = open_fresh("/?case=layers")
    page.add_init_script(NOTE_SENT)
    page.reload()
    expect(root(page).locator("canvas[role=img]")).to_be_visible()
    page.wait_for_function("performance.getEntriesByName('headlight:layers').length > 0")
    maps = identity_of(CASES["layers"]()[0])
    wishes = [
        {"cell": {"set": maps, "layer": 5, "head": 3, "queries": [row], "key": None}}
        for row in (10, 4)
    ]
    ask(page, CHANNEL, wishes[0])
    page.evaluate("history.pushState(null, '', '/elsewhere')")
    question = json.dumps([folder(), CHANNEL, wishes[1]])
    page.evaluate(f"() => {{ window.answer = ({ASK})({question}); }}")
    page.wait_for_timeout(300)  # in which it would have been sent
    page.evaluate("history.back()")
    found = page.evaluate("window.answer")  # at the latest when it is asked again
    assert found["cell"]["queries"] == [4]
    assert set(page.evaluate("window.sentFrom")) == {"/"}


def test_the_channel_takes_no_room(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?case=layers")
    place = page.locator("[data-testid=stElementContainer]", has=page.locator(".attention-channel"))
    expect(place).to_have_count(1)
    assert place.evaluate("node => getComputedStyle(node).position") == "absolute"
    assert page.locator(".attention-channel").evaluate("node => node.offsetHeight") == 0


def test_two_canvases_have_each_a_channel_of_their_own(open_canvas: OpenCanvas) -> None:
    page = open_canvas("/?case=two channels")
    for index, case in ((1, "other"), (0, "layers")):
        weights = CASES[case]()[0].patterns
        canvas = page.locator(".attention-canvas").nth(index)
        for layer in (3, 4):
            canvas.locator("canvas[role=application]").press("ArrowDown")
            expect(canvas).to_have_attribute("data-layer", str(layer))
            key = SENTENCE[int(weights[layer, 1, 10].argmax())]
            expect(canvas.locator(".summary")).to_contain_text(f"“it” looks most at “{key}”")


def test_a_page_that_was_left_and_comes_back_has_its_channel_again(
    open_canvas: OpenCanvas,
) -> None:
    page = open_canvas("/?case=layers")
    expect(page.locator(".attention-channel")).to_have_count(1)
    page.get_by_role("link", name="Attention heads").click()
    page.wait_for_url("**/attention*")
    expect(page.locator(".attention-channel")).to_have_count(0)
    expect_idle(page)
    expect(root(page)).to_have_attribute("data-drawn", "true")
    page.go_back()
    expect(page.locator(".attention-channel")).to_have_count(1)
    expect(root(page)).to_have_attribute("data-drawn", "true")
    atlas(page).press("End")
    for layer in (3, 4, 5):
        atlas(page).press("ArrowDown")
        expect_chosen(page, layer=layer)
    expect(root(page).locator(".summary")).to_contain_text("“it” looks most at")


def test_questions_wait_go_together_and_are_asked_once(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    page.evaluate(BUILD, folder())
    asked = page.evaluate(
        """async () => {
            const { channel, questions, owner, carry, listen, tick } = window.channelTest;
            listen();
            const cell = (layer) => ({ set: "maps", layer, head: 0, queries: [1], key: null });
            channel.ask({ set: "maps", layers: [1] });
            channel.ask({ cell: cell(1) });
            channel.ask({ set: "maps", layers: [2, 1] });
            channel.ask({ cell: cell(2) });
            await tick();
            const before = questions.length;
            channel.connect(owner, carry);
            const during = questions.length;
            await tick();
            channel.ask({ set: "maps", layers: [2, 3], cell: cell(2) });
            await tick();
            return { before, during, questions };
        }"""
    )
    # Nothing goes out before there is a way, nor while a component is being mounted.
    assert (asked["before"], asked["during"]) == (0, 0)
    [question] = asked["questions"]
    assert question["layers"] == [1, 2]
    assert question["cell"]["layer"] == 2
    then = page.evaluate(
        """async () => {
            const { channel, questions, answers, message, tick } = window.channelTest;
            const { number } = questions[0];
            channel.receive(message({ number }));
            channel.receive(message({ number }));
            await tick();
            return { questions, answers: answers.length };
        }"""
    )
    assert then["answers"] == 1
    assert [question["layers"] for question in then["questions"]] == [[1, 2], [3]]
    assert then["questions"][1]["cell"] is None
    assert then["questions"][1]["number"] > question["number"]


def test_a_lost_question_is_asked_again_and_a_left_page_asks_nothing(
    open_canvas: OpenCanvas,
) -> None:
    page = open_canvas()
    page.evaluate(BUILD, folder())
    found = page.evaluate(
        """async () => {
            const { channel, questions, owner, carry, listen, tick } = window.channelTest;
            const realTimeout = window.setTimeout;
            // Long waits end when the test says so.
            const waits = [];
            window.setTimeout = (job, pause) =>
                pause < 1000 ? realTimeout(job, pause) : void waits.push({ job, pause });
            const stop = listen();
            channel.connect(owner, carry);
            channel.ask({ set: "maps", layers: [4] });
            await tick();
            waits.at(-1).job();
            await tick();
            const again = questions.length;
            // Another component takes over: what went out through the first is asked once more.
            const disconnect = channel.connect({}, carry);
            await tick();
            const taken = questions.length;
            stop();
            waits.at(-1).job();
            channel.connect({}, carry);
            await tick();
            disconnect();
            window.setTimeout = realTimeout;
            const pauses = waits.map(({ pause }) => pause);
            const layers = questions.map((question) => question.layers);
            return { again, taken, left: questions.length, layers, pauses };
        }"""
    )
    assert found["again"] == 2
    assert found["taken"] == found["left"] == 3
    assert found["layers"] == [[4], [4], [4]]
    # The second wait is longer: a busy server is not asked the faster for it.
    assert found["pauses"] == [5000, 10_000, 5000]


def test_a_choice_arrives_once_even_before_the_canvas(open_canvas: OpenCanvas) -> None:
    page = open_canvas()
    page.evaluate(BUILD, folder())
    found = page.evaluate(
        """async () => {
            const { channel, answers, message, listen, tick } = window.channelTest;
            const scene = (number) =>
                message({ number: 0, choose: { number, settings: { number } } });
            channel.receive(scene(1));
            listen();
            await tick();
            channel.receive(scene(1));
            channel.receive(scene(2));
            await tick();
            return answers.map(({ choose, cell, layers }) => [choose.settings, cell, layers.size]);
        }"""
    )
    assert found == [[{"number": 1}, None, 0], [{"number": 2}, None, 0]]
