"""Who is reading, as far as the lab needs to know."""

from streamlit.runtime.scriptrunner import get_script_run_ctx


def reader() -> str:
    """The session that this script runs for."""
    context = get_script_run_ctx()
    return context.session_id if context else ""
