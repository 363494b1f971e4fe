"""Presses faster than the server answers, in a real Chromium: none is lost.

Either all come in one step of the browser, or each in one of its own while the server is busy with
the first: Streamlit would lose others in either case.
"""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.checkpoints import load_checkpoint
from tests.browser.waiting import expect_address, expect_idle

pytestmark = pytest.mark.browser

PARTY = "Thank you for inviting me to your party last"


@pytest.fixture
def open_at(app_url, new_page):
    """Open a page: `open_at("/spans", drawn=".span-view", blanks="...")`."""

    def open_page(path, drawn, **settings):
        page = new_page()
        page.goto(f"{app_url}{path}?{urlencode(settings)}")
        expect(page.locator(drawn).first).to_be_visible()
        expect_idle(page)
        return page

    return open_page


def press(buttons, *numbers):
    buttons.evaluate_all("(all, numbers) => numbers.forEach(at => all[at].click())", numbers)


def test_heads_are_turned_off_here_and_there(open_at, assert_clean):
    page = open_at("/fill-mask", ".ranking li")
    buttons = page.locator(".head-switch, .ranking [data-does='toggle']")
    switches = page.locator(".head-switch").count()
    off = page.locator(".head-switch[aria-checked='false']")
    press(buttons, switches, switches + 1)  # the first two of the ranking
    expect(off).to_have_count(2)
    expect(page.locator(".ranking ol").first.locator("li.is-off")).to_have_count(2)
    first = buttons.evaluate_all("all => all.findIndex(one => one.ariaChecked === 'true')")
    press(buttons, first, switches + 2)  # a switch, and the third of the ranking
    expect(off).to_have_count(4)
    expect(buttons.nth(switches + 2)).to_have_attribute("data-off", "false")
    press(buttons, switches, switches + 1)
    expect(off).to_have_count(2)
    assert_clean(page)


def test_a_button_that_is_held_down_while_an_answer_comes_is_pressed(open_at):
    page = open_at("/fill-mask", ".ranking li")
    toggles = page.locator(".ranking [data-does='toggle']")
    off = page.locator(".head-switch[aria-checked='false']")
    toggles.nth(1).scroll_into_view_if_needed()
    box = toggles.nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    toggles.first.evaluate("button => button.click()")
    expect(off).to_have_count(1)
    expect_idle(page)  # the answer has come, and the ranking is as it was
    expect(page.locator(".ranking li.is-off")).to_have_count(0)
    page.mouse.up()
    expect(off).to_have_count(2)
    expect(page.locator(".ranking ol").first.locator("li.is-off")).to_have_count(2)


def test_words_are_hidden_and_a_mask_is_chosen(open_at, assert_clean):
    page = open_at("/fill-mask", ".candidate", text="The [MASK] sat on the [MASK].", hide="-")
    # "sat", "on", and the second mask of the text
    page.locator(".mask-strip").evaluate(
        """async strip => {
            for (const at of [2, 3, 5]) {
                [...strip.querySelectorAll(".chip")][at + 1].click();
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
        }"""
    )
    expect_address(page, hide="2.3", mask="3")
    words = ["1 · [MASK]", "2 · sat", "3 · on", "4 · [MASK]"]
    expect(page.locator(".tabs button")).to_have_text(words)
    expect(page.locator(".tabs [aria-selected='true']")).to_have_text("4 · [MASK]")
    assert_clean(page)


def test_candidates_are_counted_and_chosen(open_at, assert_clean):
    page = open_at("/fill-mask", ".candidate", text="The [MASK] sat on the [MASK].", hide="-")
    page.locator(".predictions").evaluate(
        """async card => {
            const top = card.querySelector("select");
            const presses = [
                () => card.querySelectorAll(".tabs button")[1].click(),
                () => {
                    top.value = "5";
                    top.dispatchEvent(new Event("change", { bubbles: true }));
                },
                () => card.querySelectorAll(".candidate")[3].click(),
            ];
            for (const one of presses) {
                one();
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
        }"""
    )
    expect_address(page, top="5", mask="1")
    expect(page.locator(".candidate")).to_have_count(5)
    page.wait_for_function("new URLSearchParams(location.search).get('choice')")
    assert_clean(page)


def test_words_become_blanks(open_at, assert_clean):
    page = open_at("/spans", ".blank-strip button", blanks="The dog sleeps in the ___.", warmth=0)
    # "The", "dog", "sleeps", and the × of the blank, whose word nobody knows
    press(page.locator(".blank-strip button"), 1, 2, 5)
    field = page.get_by_label("Text with blanks")
    expect(field).to_have_value("The ___ ___ in the .")
    expect(page.locator(".blank-strip .blank")).to_have_text([re.compile("^0"), re.compile("^1")])
    press(page.locator(".blank-strip button"), 1, 2)
    expect(field).to_have_value("The dog sleeps in the .")
    assert_clean(page)


def test_words_are_replaced(open_at, assert_clean):
    page = open_at(
        "/replaced", ".replaced .chip", text="She is eating a green apple.", replacer="reader"
    )
    page.locator(".replaced .chips").evaluate(
        """chips => {
            for (const [piece, text] of [["eating", "singing"], ["green", "loud"]]) {
                const all = [...chips.querySelectorAll("button.chip")];
                all.find((one) => one.querySelector(".piece").textContent === piece).click();
                const field = chips.querySelector("input");
                field.value = text;
                field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
            }
        }"""
    )
    expect_address(page, changed="2:singing,4:loud")
    expect(page.locator(".replaced .chip .was").filter(has_text="green")).to_be_visible()
    expect(page.locator(".replaced .chip .was").filter(has_text="eating")).to_be_visible()
    # An answer that comes while the next word is written leaves the field as it is.
    page.locator(".replaced .chips").evaluate(
        """chips => {
            const all = [...chips.querySelectorAll("button.chip")];
            const write = (piece, text) => {
                all.find((one) => one.querySelector(".piece").textContent === piece).click();
                const field = chips.querySelector("input");
                field.value = text;
                return field;
            };
            const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true });
            write("loud", "small").dispatchEvent(enter);
            write("apple", "on");
        }"""
    )
    expect_address(page, changed="2:singing,4:small")
    expect(page.locator(".replaced .chip .piece").filter(has_text="small")).to_be_visible()
    field = page.locator(".replaced .chips input")
    expect(field).to_be_focused()
    expect(field).to_have_value("on")
    field.press("End")
    field.press("e")
    field.press("Enter")
    expect_address(page, changed="2:singing,4:small,5:one")
    assert_clean(page)


def test_pieces_are_taken_back(open_at, assert_clean):
    page = open_at("/next-word", ".distribution button.candidate", text=PARTY)
    back = page.get_by_role("button", name="Take back", exact=True)
    back.evaluate("button => { button.click(); button.click(); button.click(); }")
    offsets = load_checkpoint("gpt", device="cpu").tokenizer.encode(PARTY).offsets
    shorter = PARTY[: offsets[-4][1]]
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(shorter)
    assert_clean(page)
