"""Parts of the page "Positional encodings"."""
