"""One short file per system: only what differs from the body it uses."""
