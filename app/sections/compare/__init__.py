"""The parts of the page that compares two models, two texts, or a model with itself."""
