"""The scripts and style sheets of our own pictures, under an address that names their version.

`app/static/v-HASH/js/lib/dom.js` is the file `app/static/js/lib/dom.js`. The version is a folder of
the address, so what a script imports by a relative address has the version of the script itself: a
browser never mixes old modules with new ones, and may keep each for ever.
"""

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import streamlit as st

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Server = Callable[[Message, Receive, Send], Awaitable[None]]

APP: Final = Path(__file__).resolve().parent
# What of the address leads to which folder.
FOLDERS: Final = {
    "js": APP / "static" / "js",
    "css": APP / "static" / "css",
    "sections": APP / "sections",
}
TYPES: Final = {".js": b"text/javascript; charset=utf-8", ".css": b"text/css; charset=utf-8"}
PREFIX: Final = "app/static/v-"


@dataclass(frozen=True)
class BrowserFile:
    """One file as it is served.

    Args:
        content: its bytes, in UTF-8.
        kind: its media type.
        compressed: the same bytes by gzip.
    """

    content: bytes
    kind: bytes
    compressed: bytes


@cache
def browser_files() -> Mapping[str, BrowserFile]:
    """Every file that is served, by its address after the version: "js/lib/dom.js".

    Read once, so that the files stay those of the version while a server runs.
    """
    return {
        f"{name}/{path.relative_to(folder).as_posix()}": BrowserFile(
            content := path.read_bytes(), TYPES[path.suffix], gzip.compress(content, mtime=0)
        )
        for name, folder in FOLDERS.items()
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES
    }


@cache
def version() -> str:
    """Changes with every file, and with every name of a file."""
    digest = hashlib.sha256()
    for name, file in browser_files().items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(file.content).digest())
    return digest.hexdigest()[:12]


def folder() -> str:
    """Where the files are, relative to the app's own address, without a slash at the end."""
    return f"{PREFIX}{version()}"


class BrowserFiles:
    """An ASGI middleware; what is not asked for by an address with a version goes through."""

    def __init__(self, app: Server) -> None:
        self._app = app
        base = (st.get_option("server.baseUrlPath") or "").strip("/")
        self._prefix = f"/{base}/{PREFIX}" if base else f"/{PREFIX}"
        # Not by a path on the disk: what is not in the table cannot be reached.
        self._files = {f"{version()}/{name}": file for name, file in browser_files().items()}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            await self._app(scope, receive, send)
            return
        # A page that was opened before an update gets nothing for its old version, rather than new
        # modules among its old ones: its next run brings the addresses of the new version.
        file = self._files.get(scope["path"].removeprefix(self._prefix))
        if scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, 405, [(b"allow", b"GET, HEAD")])
        elif file is None:
            await _answer(send, 404, [(b"cache-control", b"no-store")])
        else:
            await _answer(send, 200, *_content_for(file, scope))


def _content_for(file: BrowserFile, scope: Message) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body, compressed where the browser can read that."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    is_compressed = b"gzip" in accepted
    body = file.compressed if is_compressed else file.content
    headers = [
        (b"content-type", file.kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"public, max-age=31536000, immutable"),
        (b"vary", b"accept-encoding"),
    ]
    if is_compressed:
        headers.append((b"content-encoding", b"gzip"))
    return headers, b"" if scope["method"] == "HEAD" else body


async def _answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b""
) -> None:
    given = [*headers, (b"x-content-type-options", b"nosniff")]
    if not any(name == b"content-length" for name, _ in given):
        given.append((b"content-length", b"0"))
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})
