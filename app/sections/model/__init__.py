"""The parts of the page where readers bring their own models."""
