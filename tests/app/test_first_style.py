"""The style in the page's first bytes; that less moves then is seen in `tests/browser`."""

import asyncio
import re
from pathlib import Path

import pytest

from app.browser_files import browser_files
from app.first_style import FirstStyle, sheets
from tests.conftest import ROOT

PAGE = b"<html><head></head><body><div id='root'></div></body></html>"
BROWSER = [(b"accept", b"text/html,*/*"), (b"accept-encoding", b"gzip"), (b"if-none-match", b"x")]


def answer_to(request, *, kind, content=PAGE, status=200, further=()):
    """What a browser gets, and the headers that the server behind the middleware has seen."""
    seen, sent = [], []
    request = {"type": "http", "method": "GET", "headers": BROWSER, "query_string": b"", **request}

    async def server(scope, _receive, send):
        seen.extend(scope["headers"])
        headers = [
            (b"content-type", kind), (b"etag", b"x"), *further,
            (b"content-length", str(len(content)).encode()),
        ]  # fmt: skip
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for part, more in ((content[:20], True), (content[20:], False)):
            await send({"type": "http.response.body", "body": part, "more_body": more})

    async def receive():
        return {"type": "http.disconnect"}

    async def keep(message):
        sent.append(message)

    asyncio.run(FirstStyle(server)(request, receive, keep))
    body = b"".join(message.get("body", b"") for message in sent)
    return dict(sent[0]["headers"]), body, dict(seen)


def style_of(names):
    return b"\n".join(browser_files()[name].content for name in names)


def test_the_page_begins_with_the_style_of_the_frame_and_of_every_page():
    headers, body, seen = answer_to({}, kind=b"text/html; charset=utf-8")
    style = style_of([*sheets(), "css/sidebar_place.css"])
    assert body == PAGE.replace(b"<body>", b"<body><style>" + style + b"</style>")
    assert int(headers[b"content-length"]) == len(body)
    assert b"etag" not in headers, "it is that of another content"
    assert seen == {b"accept": b"text/html,*/*"}, "neither compressed nor taken for known"


@pytest.mark.parametrize(
    ("query", "kept"),
    [(b"present=1", False), (b"text=a&present=true", False), (b"text=present", True)],
)
def test_the_sidebar_has_a_place_unless_a_speaker_presents(query, kept):
    _headers, body, _seen = answer_to({"query_string": query}, kind=b"text/html")
    assert style_of(sheets()) in body
    assert (style_of(["css/sidebar_place.css"]) in body) == kept


def test_no_sheet_is_forgotten():
    """What comes neither with the page's first bytes nor by a name in the code, comes never."""
    paths = [path for path in ROOT.glob("app/**/*") if path.suffix in {".py", ".js"}]
    code = "".join(path.read_text(encoding="utf-8") for path in paths)
    named = set(re.findall(r'["/](\w+)(?:\.css)?"', code))
    later = {name for name in browser_files() if name.endswith(".css")} - {*sheets()}
    assert {Path(name).stem for name in later} <= named


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ({}, {"kind": b"text/javascript"}),
        ({}, {"kind": b"text/html", "further": [(b"content-disposition", b"attachment")]}),
        ({}, {"kind": b"text/html", "status": 404}),
        ({"method": "HEAD"}, {"kind": b"text/html"}),
        ({"headers": [(b"accept", b"*/*")]}, {"kind": b"text/html"}),
    ],
)
def test_everything_else_goes_through_as_it_is(request_, answer):
    headers, body, _seen = answer_to(request_, **answer)
    assert body == PAGE
    assert int(headers[b"content-length"]) == len(PAGE)
    assert headers[b"etag"] == b"x"
