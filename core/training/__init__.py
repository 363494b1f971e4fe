"""Corpora, schedules, optimisers and the one training loop."""
