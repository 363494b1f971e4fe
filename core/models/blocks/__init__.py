"""Parts that all systems share. A block receives built parts and never asks who owns it."""
