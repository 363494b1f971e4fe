"""The systems: shared blocks, few bodies, one short file per architecture."""
