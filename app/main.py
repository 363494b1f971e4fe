"""Entry point: `python -m streamlit run app/main.py`."""

import sys
from pathlib import Path

# `streamlit run` puts only this file's folder on the path.
ROOT = str(Path(__file__).resolve().parent.parent)
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from app.components.frame import draw_frame  # noqa: E402
from app.navigation import draw_navigation  # noqa: E402
from app.state import carry_settings  # noqa: E402

draw_frame()
page = draw_navigation()
carry_settings()
page.run()
