import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import streamlit as st

from app import services, startup
from app.state import Settings
from core.inference import AttendRequest

ROOT = Path(__file__).resolve().parents[2]


def test_the_server_answers_while_the_model_loads(monkeypatch):
    began, let_go, ended = threading.Event(), threading.Event(), threading.Event()

    def load():
        began.set()
        assert let_go.wait(10)
        ended.set()

    monkeypatch.setattr(services, "warm_up", load)

    async def serve():
        async with startup.warm_up(st.App("shell.py")):
            assert await asyncio.to_thread(began.wait, 10)
            assert not ended.is_set()
            let_go.set()
            assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(serve())


def test_the_first_page_finds_its_answer(monkeypatch):
    services.warm_up()

    def nobody():
        raise AssertionError("The answer was not remembered.")

    monkeypatch.setattr(services, "engine", nobody)
    result = services.ask(AttendRequest(Settings.model, Settings.text), st.empty())
    assert len(result.encoding) == 16


def test_the_first_run_of_a_session_imports_next_to_nothing():
    """Else a page has begun to use what the start does not know of."""
    script = """
import gc
import sys
from app import startup
startup._load()
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
