"""The page of the recorded runs."""
