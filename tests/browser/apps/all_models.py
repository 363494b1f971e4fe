"""The app with other bundled checkpoints: those in the folder that TINY_MODELS names."""

import os
import runpy
from importlib.util import find_spec
from pathlib import Path

from core.checkpoints import catalogue

catalogue.BUNDLED_FOLDER = Path(os.environ["TINY_MODELS"])
shell = find_spec("app.shell")
assert shell is not None
assert shell.origin is not None
runpy.run_path(shell.origin, run_name="__main__")
