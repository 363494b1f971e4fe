"""What tests of several pages wait for before they act or look: a condition, never a time."""

from playwright.sync_api import Page, expect

# Run before every page: counts what it sends over its socket, where it is sent, so that nothing
# is still on its way when the count is read.
COUNT_SENT = """
    window.sent = 0;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...what) {
        window.sent += 1;
        return send.apply(this, what);
    };
"""


# A laptop and a projector, at which the essential stands above the fold.
SIZES = ((1280, 800), (1920, 1080))


def expect_idle(page: Page) -> None:
    """Wait until the page's script has ended. What was pressed just now, it may not know yet."""
    expect(page.locator(".stApp")).to_have_attribute("data-test-script-state", "notRunning")


def resize(page: Page, width: int, height: int) -> None:
    """Give the window another size, and let all that watches its own size hear of it."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def expect_address(page: Page, **wanted: object) -> None:
    """Wait until the address says this, whatever it says besides."""
    page.wait_for_function(
        """wanted => Object.entries(wanted).every(
            ([name, value]) => new URLSearchParams(location.search).get(name) === value
        )""",
        arg={name: str(value) for name, value in wanted.items()},
    )


def expect_query(page: Page, **wanted: object) -> None:
    """Wait until the address says exactly this."""
    page.wait_for_function(
        """wanted => {
            const found = Object.fromEntries(new URLSearchParams(location.search));
            const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
            return [...names].every(name => found[name] === wanted[name]);
        }""",
        arg={name: str(value) for name, value in wanted.items()},
    )


def copied_link(page: Page) -> str:
    """What the button copies; the profile has to allow the clipboard."""
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    return str(page.evaluate("navigator.clipboard.readText()"))


def sent_by(page: Page) -> int:
    """How many messages the page has sent to the server since it was loaded."""
    return int(page.evaluate("window.sent"))


def press_clicker(page: Page, key: str = "PageDown") -> None:
    """Press a key of the clicker, once the page listens to it."""
    expect(page.locator(".scenes [role=status]")).to_be_visible()
    page.keyboard.press(key)
