import asyncio
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit as st

from app import ask as asking
from app import startup
from app.settings import Settings
from core.checkpoints import MissingShardError
from core.engine import call
from core.tasks import attend

ROOT = Path(__file__).resolve().parents[2]


def serve(seconds=10.0):
    """Start and stop the server's frame; fail where it does not start in time."""

    async def run():
        async with asyncio.timeout(seconds), startup.warm_up(st.App("shell.py")):
            return

    # On a thread of its own: where browser tests went before, this one has a running loop.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, run()).result()


def join_start_up():
    for thread in threading.enumerate():
        if thread.name == "headlight-start-up":
            thread.join(10)


def test_the_server_answers_once_the_model_is_loaded(monkeypatch):
    steps = []

    def load():
        time.sleep(0.1)
        steps.append("loaded")

    monkeypatch.setattr(asking, "warm_up", load)
    serve()
    assert steps == ["loaded"]


def test_a_slow_model_does_not_keep_the_server_from_answering(monkeypatch):
    let_go = threading.Event()
    monkeypatch.setattr(startup, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(asking, "warm_up", lambda: let_go.wait(30))
    serve(5.0)
    let_go.set()
    join_start_up()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_model_that_cannot_be_loaded_does_not_either(monkeypatch):
    def fail():
        raise MissingShardError("model-00001-of-00003.safetensors")

    monkeypatch.setattr(asking, "warm_up", fail)
    serve(5.0)
    join_start_up()


def test_the_first_page_finds_its_answer(monkeypatch):
    asking.warm_up()

    def nobody():
        raise AssertionError("The answer was not remembered.")

    monkeypatch.setattr(asking, "engine", nobody)
    result = asking.ask(call(attend, Settings.model, Settings.text), st.empty())
    assert len(result.encoding) == 16


def test_the_first_run_of_a_session_imports_next_to_nothing():
    """Else a page has begun to use what the start does not know of."""
    script = """
import gc
import sys
import threading
from core.engine import call
from core.tasks import attend
from app import startup
startup._load(threading.Event())
assert gc.get_freeze_count() > 100_000
from streamlit.testing.v1 import AppTest
testing = set(sys.modules)
page = AppTest.from_file("app/shell.py", default_timeout=60).run()
assert not page.exception
late = {name.partition(".")[0] for name in set(sys.modules) - testing}
print(*sorted(late - {"streamlit", "__main__"}))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {"app", "core", "pandas", "pyarrow", "numpy", "torch", "tokenizers"}
    assert not heavy & set(done.stdout.split()), done.stdout
