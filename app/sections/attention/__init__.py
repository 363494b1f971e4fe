"""The parts of the page with every attention head."""
