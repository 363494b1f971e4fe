"""Parts of the page on which replaced tokens are found."""
