"""Pre-training objectives: corruption of batches, with explicit generators, and losses."""
