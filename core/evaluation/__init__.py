"""Held-out figures of a checkpoint: one module for each thing that is measured."""
