"""Parts of the first page."""
