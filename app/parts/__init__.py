"""Reusable pieces of a page, one file each."""
