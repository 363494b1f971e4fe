"""Threads of torch sleep while they wait, unless the environment says otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("given", "expected"), [(None, "passive"), ("active", "active")])
def test_the_environment_decides_before_torch_is_loaded(given: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    if given is not None:
        environment["OMP_WAIT_POLICY"] = given
    code = "import core, os, sys; print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout.split() == [expected, "False"]
