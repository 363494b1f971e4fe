"""The command line: ``python -m core VERB ...``; ``python -m core --help`` lists the verbs."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import NoReturn

import core.commands
from core.errors import HeadlightError

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
BROKEN_PIPE = 141  # 128 + SIGPIPE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, _one_line(message))


def _one_line(message: str) -> str:
    return f"error: {' '.join(message.split())}\n"


def build_parser() -> argparse.ArgumentParser:
    """The parser with every module of ``core.commands`` that is a verb."""
    parser = _Parser(
        prog="python -m core",
        description="Transformer models from the shell.",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB", dest="verb")
    for found in pkgutil.iter_modules(core.commands.__path__):
        module = importlib.import_module(f"core.commands.{found.name}")
        if hasattr(module, "VERB"):
            module.VERB.add_parser(verbs, found.name)
        elif hasattr(module, "add_parser"):
            module.add_parser(verbs)
    return parser


def _run(arguments: argparse.Namespace) -> int:
    module = importlib.import_module(f"core.commands.{arguments.verb}")
    return int(getattr(module, "VERB", module).run(arguments))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code: 0, 2 after bad input, 130 after Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale; lone surrogates escaped
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = build_parser().parse_args(argv)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has left; the interpreter must not try again on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except HeadlightError as error:
        sys.stderr.write(_one_line(str(error)))
        return BAD_INPUT
    except OSError as error:
        reason = error.strerror or str(error)
        sys.stderr.write(_one_line(f"{error.filename}: {reason}" if error.filename else reason))
        return BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    return code


if __name__ == "__main__":
    sys.exit(main())
