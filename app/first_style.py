"""The style of the frame and of every page in the page's first bytes, so that less moves.

Streamlit serves one file for every page, and what a run of the script brings as HTML is drawn by a
part of Streamlit that comes late: the places that a page keeps would be kept too late. This puts
the style into that file on its way to the browser, where the body begins: of rules of one strength
the last counts, Streamlit's come to stand in the head, and what a run brings stands further down.

A reader goes from page to page without loading the file again, so the sheets of all pages stand
beside each other: every rule has to be one of its own page alone.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from app.browser_files import browser_files

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Server = Callable[[Message, Receive, Send], Awaitable[None]]

# The frame, what several pages share; what each page adds comes after them.
SHARED = ("frame", "fill_mask", "length_chart", "translate_page")
OF_A_PAGE = re.compile(r"sections/\w+/page\.css")
# What would bring the file compressed, or not at all because the browser has it already.
LEFT_OUT = {b"accept-encoding", b"if-modified-since", b"if-none-match"}
CHANGED = {b"content-length", b"etag", b"last-modified"}


class FirstStyle:
    """An ASGI middleware; everything but the page itself goes through untouched."""

    def __init__(self, app: Server) -> None:
        self._app = app
        self._begin = _begin_with(sheets())
        self._begin_with_sidebar = _begin_with([*sheets(), "css/sidebar_place.css"])

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not _asks_for_page(scope):
            await self._app(scope, receive, send)
            return
        # In presenter mode the sidebar is hidden.
        present = "present" in parse_qs(scope["query_string"].decode(errors="replace"))
        begin = self._begin if present else self._begin_with_sidebar
        headers = [one for one in scope["headers"] if one[0] not in LEFT_OUT]
        begun: Message | None = None
        parts: list[bytes] = []

        async def pass_on(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and _is_page(message):
                begun = message
            elif begun is None:
                await send(message)
            else:
                parts.append(message.get("body", b""))
                if not message.get("more_body", False):
                    body = b"".join(parts).replace(b"<body>", begin, 1)
                    kept = [one for one in begun["headers"] if one[0] not in CHANGED]
                    length = (b"content-length", str(len(body)).encode())
                    await send({**begun, "headers": [*kept, length]})
                    await send({"type": "http.response.body", "body": body})

        await self._app({**scope, "headers": headers}, receive, pass_on)


def sheets() -> list[str]:
    """What the page begins with, in the order of its rules; names as in `browser_files`."""
    pages = sorted(filter(OF_A_PAGE.fullmatch, browser_files()))
    return [*(f"css/{name}.css" for name in SHARED), *pages]


def _begin_with(names: Iterable[str]) -> bytes:
    """How the body begins."""
    style = "\n".join(browser_files()[name].content.decode() for name in names)
    return f"<body><style>{style}</style>".encode()


def _asks_for_page(scope: Message) -> bool:
    """Whether a browser opens an address."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _is_page(message: Message) -> bool:
    """Whether this begins Streamlit's page, and no file that a reader saves."""
    headers = dict(message["headers"])
    return (
        message["status"] == 200
        and headers.get(b"content-type", b"").startswith(b"text/html")
        and b"content-disposition" not in headers
    )
