"""What a browser is given of our scripts and style sheets, and that it is given nothing else."""

import asyncio
import gzip
import posixpath
import re

import pytest
import streamlit as st

from app import browser_files
from app.browser_files import BrowserFiles, folder, version

IMPORT = re.compile(r'(?:from|import|import\() ?"([^"]+)"')
STATEMENT = re.compile(r'^import (?:\{([^}]*)\}|\* as \w+) from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")

SCRIPTS = {
    name: file.content.decode()
    for name, file in browser_files.browser_files().items()
    if name.endswith(".js")
}


def answer_to(path, *, method="GET", headers=(), base=""):
    """Status, headers and body; status 0 where the request goes through to the app."""
    sent = []

    async def keep(message):
        sent.append(message)

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 0, "headers": []})

    async def receive():
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": method, "path": f"{base}{path}", "headers": list(headers)}
    asyncio.run(BrowserFiles(app)(scope, receive, keep))
    body = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], dict(sent[0]["headers"]), body


@pytest.mark.parametrize(
    ("name", "kind"),
    [("js/lib/dom.js", b"text/javascript"), ("css/card.css", b"text/css")],
)
def test_a_file_is_kept_by_the_browser_for_ever(name, kind):
    status, headers, body = answer_to(f"/{folder()}/{name}")
    assert (status, body) == (200, (browser_files.APP / "static" / name).read_bytes())
    assert headers[b"cache-control"] == b"public, max-age=31536000, immutable"
    assert headers[b"content-type"] == kind + b"; charset=utf-8"
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert int(headers[b"content-length"]) == len(body)
    assert b"content-encoding" not in headers


def test_a_file_comes_compressed_to_who_can_read_that():
    accepts = [(b"accept-encoding", b"deflate, gzip")]
    _, plain, body = answer_to(f"/{folder()}/js/lib/dom.js")
    _, headers, compressed = answer_to(f"/{folder()}/js/lib/dom.js", headers=accepts)
    assert headers[b"content-encoding"] == b"gzip"
    assert plain[b"vary"] == headers[b"vary"] == b"accept-encoding"
    assert int(headers[b"content-length"]) == len(compressed) < len(body)
    assert gzip.decompress(compressed) == body


def test_who_asks_for_the_head_alone_gets_no_body():
    _, of_get, _ = answer_to(f"/{folder()}/js/lib/dom.js")
    status, of_head, body = answer_to(f"/{folder()}/js/lib/dom.js", method="HEAD")
    assert (status, of_head, body) == (200, of_get, b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_is_taken(method):
    status, headers, body = answer_to(f"/{folder()}/js/lib/dom.js", method=method)
    assert (status, body) == (405, b"")
    assert headers[b"allow"] == b"GET, HEAD"


# The server decodes an address before we see it; once more encoded dots stay as they are.
@pytest.mark.parametrize(
    "rest",
    [
        "",
        "js",
        "js/",
        "js/lib",
        "js/lib/dom.js/",
        "js/lib/../lib/dom.js",
        "js/../../main.py",
        "js/../../../app/main.py",
        "js/%2e%2e/css/card.css",
        "js//lib/dom.js",
        "js\\lib\\dom.js",
        "/js/lib/dom.js",
        "css/../js/lib/dom.js",
        "main.py",
        "browser_files.py",
        "sections/start/foot.py",
        "sections/__init__.py",
        "vendor/d3-5.7.0.min.js",
        "fonts/inter-latin.woff2",
        "js/lib/dom.js\0",
        "js/lib/DOM.JS",
    ],
)
def test_nothing_else_is_there(rest):
    status, headers, body = answer_to(f"/{folder()}/{rest}")
    assert (status, body) == (404, b"")
    assert headers[b"cache-control"] == b"no-store"


@pytest.mark.parametrize("wrong", ["v-000000000000", "v-", "v-js"])
def test_another_version_is_not_there(wrong):
    assert answer_to(f"/app/static/{wrong}/js/lib/dom.js")[0] == 404


@pytest.mark.parametrize("path", ["/", "/spans", "/app/static/js/lib/dom.js", "/app/static/fonts"])
def test_everything_else_goes_through(path):
    assert answer_to(path)[0] == 0


def test_the_files_are_below_the_base_path(monkeypatch):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": "/lectures/two/"}.get)
    path = f"/{folder()}/js/lib/dom.js"
    assert answer_to(path, base="/lectures/two")[0] == 200
    assert answer_to(path)[0] == 0


@pytest.mark.parametrize("place", ["js/attention/new.js", "js/deep/er/new.js", "css/new.css"])
def test_the_version_changes_with_every_script_and_sheet(tmp_path, monkeypatch, place):
    monkeypatch.setattr(browser_files, "FOLDERS", {n: tmp_path / n for n in ("js", "css")})
    monkeypatch.setattr(browser_files, "browser_files", browser_files.browser_files.__wrapped__)
    empty = version.__wrapped__()
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text("one")
    first = version.__wrapped__()
    path.write_text("two")
    second = version.__wrapped__()
    path.rename(path.with_stem("other"))
    assert len({empty, first, second, version.__wrapped__()}) == 4


def test_every_import_leads_to_a_file_that_is_served_and_has_what_is_wanted():
    wrong = []
    for name, written in SCRIPTS.items():
        place = posixpath.dirname(name)
        for address in IMPORT.findall(written):
            if posixpath.normpath(posixpath.join(place, address)) not in SCRIPTS:
                wrong.append(f"{name}: {address}")
        for names, address in STATEMENT.findall(written):
            module = SCRIPTS.get(posixpath.normpath(posixpath.join(place, address)), "")
            wanted = {one.strip() for one in names.split(",")} - {""}
            wrong += [f"{name}: {one}" for one in wanted - set(EXPORT.findall(module))]
    assert not wrong


def waits_at_top_level(script):
    """Whether a statement that begins a line waits, and no function in it before that may wait."""
    statements = re.split(r"\n(?=[^\s})\]])", COMMENT.sub("", script))
    return any(re.search(r"^(?:(?!\basync\b)[\s\S])*?\bawait\b", one) for one in statements)


def test_no_module_waits_at_its_top_level():
    """WebKit answers a second import of a module that still waits before its names are there."""
    assert waits_at_top_level("const { a } = await import('./a.js');\nfunction f() {}")
    assert waits_at_top_level("async function f() {\n  g();\n}\nconst [a] =\n  await f();")
    assert not waits_at_top_level("async function f() {\n  await g();\n}\n// await")
    assert not [name for name, written in SCRIPTS.items() if waits_at_top_level(written)]
    assert any("await" in written for written in SCRIPTS.values())
