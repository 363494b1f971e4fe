"""Parts of the page "Fill in the mask"."""
