"""Parts of the page "Warm-up lab"."""
