"""Parts of the page "Fill the blanks"."""
