"""What activations show: plain measurements on arrays and strings."""
