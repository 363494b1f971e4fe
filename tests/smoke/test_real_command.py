"""The real commands, in a process of their own and with next to nothing in the environment."""

import os
import sys
import urllib.request
from pathlib import Path

import pytest

STREAMLIT = Path(sys.executable).with_name("streamlit")

COMMANDS = {
    "python -m streamlit": [sys.executable, "-m", "streamlit", "run", "app/main.py"],
    "streamlit": [str(STREAMLIT), "run", "app/main.py"],
}


@pytest.fixture
def bare_environment(tmp_path):
    """A home folder that no Streamlit has ever seen, so that the first start is tested."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return {"HOME": str(tmp_path), **kept}


def fetch(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_command_serves_the_app(start_server, bare_environment, command):
    """The script itself runs too: `streamlit run` alone would not find the other folders."""
    base_url = start_server(
        [*command, "--server.scriptHealthCheckEnabled=true"], env=bare_environment
    )
    assert b'<div id="root">' in fetch(f"{base_url}/")
    assert fetch(f"{base_url}/_stcore/script-health-check") == b"ok"
    # Static files are served only where the settings beside the entry point were found.
    assert fetch(f"{base_url}/app/static/fonts/inter-latin.woff2").startswith(b"wOF2")
