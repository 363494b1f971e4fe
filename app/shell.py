"""The script that every reader's session runs: frame, navigation, page."""

from app.navigation import draw_navigation
from app.parts.frame import draw_frame
from app.state import carry_settings

draw_frame()
page = draw_navigation()
carry_settings()
page.run()
