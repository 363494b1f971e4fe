"""Parts of the page "Alignment"."""
