"""What is compared of each system; every file states its ``COMPARISONS``."""
