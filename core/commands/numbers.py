"""Kinds of numbers that several verbs take."""

from __future__ import annotations

import argparse

_SEEDS = 1 << 63


def seed(text: str) -> int:
    """A seed as torch takes it on every device."""
    if text.isascii() and text.isdecimal() and len(text) < 20 and int(text) < _SEEDS:
        return int(text)
    raise argparse.ArgumentTypeError(f"a seed is a whole number from 0 to 2^63 - 1, not {text}")
