"""The runs of the warm-up lab: their processes, what they have told, and how many there may be."""
