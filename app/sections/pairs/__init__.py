"""Parts of the page "Two sentences"."""
