"""``python -m tests.frozen NAME``: keep what a bundled checkpoint does with a sentence of ours.

The tests fail as soon as it does anything else. ``--again`` takes a trace anew.
"""

import argparse
import sys
from collections.abc import Sequence

from core.checkpoints import bundled, load_checkpoint
from core.checkpoints.files import TRACE
from tests.frozen.trace import freeze, write_trace


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    folders = {one.name: one.folder for one in bundled()}
    parser.add_argument("name", choices=folders, help="bundled checkpoint")
    parser.add_argument("--again", action="store_true", help="overwrite the trace that is there")
    arguments = parser.parse_args(given)
    folder = folders[arguments.name]
    if (folder / TRACE).exists() and not arguments.again:
        parser.error(f"{arguments.name} is frozen already; --again takes its trace anew")
    trace = freeze(load_checkpoint(arguments.name, device="cpu"))
    path = write_trace(trace, folder)
    print(f"{path}: revision {trace.revision}, {trace.sentence.text!r}, {trace.written!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
