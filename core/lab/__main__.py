"""A run of the lab in a process of its own: `python -m core.lab`.

It reads lines and writes lines, so that whoever started it needs nothing of it in memory, and no
object travels as code. The first line it reads is JSON:

    {"settings": {"task": "copy", "steps": 20}, "folder": "where/to/save", "resume": false}

It answers with one event a line (see :meth:`core.lab.run.LabRun.events`). A line ``stop`` makes it
save and end; when nobody writes to it any more, because its starter is gone, it ends at once.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from core.device import in_one_order
from core.errors import HeadlightError
from core.lab.run import LabRun
from core.lab.settings import LabSettings

STOP = "stop"
_PATIENCE = 10  # of the operating system's steps of priority: whoever serves pages comes first


def main() -> None:
    """Run what the first line asks for."""
    in_one_order()
    if hasattr(os, "nice"):
        os.nice(_PATIENCE)
    order = json.loads(sys.stdin.readline())
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(stopped,), daemon=True).start()
    try:
        _run(order, stopped)
    except HeadlightError as error:
        _write({"event": "error", "message": str(error)})
    # At once: Python would wait for the thread that still listens.
    os._exit(0)


def _run(order: dict[str, Any], stopped: threading.Event) -> None:
    folder = Path(order["folder"])
    run = LabRun(LabSettings.from_json(order["settings"]), order.get("device", ""))
    if order.get("resume"):
        run.restore(folder)
    for event in run.events():
        _write(event)
        if stopped.is_set() and event["event"] != "end":
            run.save(folder)
            _write({"event": "end", "reason": "stopped", "step": run.state.step})
            return


def _write(event: dict[str, Any]) -> None:
    # What is no number is written as nothing: JSON has no word for it.
    sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
    sys.stdout.flush()


def _listen(stopped: threading.Event) -> None:
    for line in sys.stdin:
        if line.strip() == STOP:
            stopped.set()
    os._exit(0)


if __name__ == "__main__":
    main()
