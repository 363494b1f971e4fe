import asyncio
import threading

import streamlit as st

from app import services, startup
from app.state import Settings
from core.inference import AttendRequest


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
