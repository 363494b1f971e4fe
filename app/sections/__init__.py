"""Parts that belong to one page each."""
