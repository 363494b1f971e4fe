"""Parts of the page "Next word"."""
