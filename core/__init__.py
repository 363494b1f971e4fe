"""Transformer models, their mathematics and their training; usable without the app."""
