"""Recorded experiments: what is compared, runs as they are kept, and what their numbers say."""
