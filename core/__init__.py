"""Transformer models, their mathematics and their training; usable without the app."""

import os

# Threads that spin while they wait take the cores from whatever else runs: beside two other
# processes on 2 cores a translation took 12 s, with threads that sleep 0.11 s. OpenMP reads this
# once, when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
