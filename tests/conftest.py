"""Fixtures for every test, and a real server in a process of its own."""

import os
import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

# Workers, and the processes that they start, share the processors: one thread each. Before torch.
for _library in ("OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import torch  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
START_TIMEOUT_SECONDS = 60.0
MAIN = sys.modules["__main__"]

StartServer = Callable[..., str]


def free_port() -> int:
    """A port of this machine that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(base_url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers its health check; fail with its log when it does not."""
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"The server ended with {process.returncode}:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"{base_url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"No answer within {START_TIMEOUT_SECONDS:.0f} s:\n{log.read_text()}")


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> None:
    """Let every fixture draw the same numbers, whichever test asks for it first."""
    seed()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let every test draw the same numbers, whatever ran before it."""
    seed()


def seed() -> None:
    """Seed the generators that draw for those who bring none of their own."""
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def keep_main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's test harness leaves its script as `__main__`, which new processes would run.

    It may do so when its test is over, from a thread that a slow machine has kept.
    """
    monkeypatch.setitem(sys.modules, "__main__", MAIN)


@contextmanager
def running_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """Start servers: `start(command, env=..., cwd=..., base_path="") -> base URL`.

    The command gets the address, a free port and headless mode appended; all end with the block.
    Below a base path such as "/lectures" the server answers instead of at the root.
    """
    processes: list[subprocess.Popen[bytes]] = []

    def start(
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: Path = ROOT,
        base_path: str = "",
    ) -> str:
        port = free_port()
        options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
        if base_path:
            options.append(f"--server.baseUrlPath={base_path}")
        log = tmp_path_factory.mktemp("server") / "log.txt"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, *options],
                cwd=cwd,
                env=dict(os.environ if env is None else env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        processes.append(process)
        base_url = f"http://127.0.0.1:{port}{base_path}"
        wait_until_healthy(base_url, process, log)
        return base_url

    try:
        yield start
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """`start` of `running_servers`, for servers that end with the module."""
    with running_servers(tmp_path_factory) as start:
        yield start
