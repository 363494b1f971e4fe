"""A lecture hall at once: many readers open the page of attention heads, each with another text.

    .venv/bin/python -m tests.benchmarks.room [--readers 30] [--rounds 5] [--address URL]

Every reader is a WebSocket session as a browser has it, without the browser. All open the page
together, then all send another text together, round after round. Prints one JSON object: seconds
until each round's last reader has the maps, bytes received by a reader, and the server's resident
megabytes after each round. With `--address` an app that runs already is asked, behind a proxy for
example; its memory is then not known.
"""

import argparse
import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from tests.benchmarks.start_page import resident_megabytes, running_app, wait_until_idle

LARGEST_MESSAGE = 200_000_000
PATIENCE_SECONDS = 300
WORDS = ("river", "house", "teacher", "garden", "window", "letter", "summer", "doctor")


def text_of(reader: int, number: int) -> str:
    """A sentence nobody else sends."""
    word = WORDS[(reader + number) % len(WORDS)]
    return f"Reader {reader} says for the {number}th time that the {word} is not here yet."


async def run_page(socket: ClientConnection, text: str) -> int:
    """Ask for the page with a text; wait for the end of its script; give the bytes received."""
    message = BackMsg()
    message.rerun_script.query_string = urlencode({"text": text})
    message.rerun_script.page_name = "attention"
    await socket.send(message.SerializeToString())
    received = 0
    while True:
        data = await asyncio.wait_for(socket.recv(), PATIENCE_SECONDS)
        assert isinstance(data, bytes)
        received += len(data)
        answer = ForwardMsg.FromString(data)
        if answer.WhichOneof("type") == "script_finished":
            return received


async def fill_room(base_url: str, readers: int, rounds: int, pid: int | None) -> dict[str, Any]:
    """All rounds, one after the other."""
    address = f"ws://{urlsplit(base_url).netloc}/_stcore/stream"
    seconds, megabytes, received = [], [], []
    async with AsyncExitStack() as stack:
        sockets = [
            await stack.enter_async_context(
                connect(address, max_size=LARGEST_MESSAGE, ping_timeout=None)
            )
            for _ in range(readers)
        ]
        for number in range(1, rounds + 1):
            start = time.perf_counter()
            runs = (run_page(one, text_of(seat, number)) for seat, one in enumerate(sockets))
            received += await asyncio.gather(*runs)
            seconds.append(round(time.perf_counter() - start, 2))
            if pid is not None:
                megabytes.append(resident_megabytes(pid))
    return {
        "readers": readers,
        "seconds": seconds,
        "smallest_answer": min(received),
        "largest_answer": max(received),
        "megabytes": megabytes,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--readers", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--address", default="", help="of an app that runs already")
    arguments = parser.parse_args()
    if arguments.address:
        room = fill_room(arguments.address, arguments.readers, arguments.rounds, None)
        result = asyncio.run(room)
    else:
        with running_app() as (own_url, own_pid):
            wait_until_idle(own_pid)
            room = fill_room(own_url, arguments.readers, arguments.rounds, own_pid)
            result = asyncio.run(room)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
