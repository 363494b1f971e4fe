"""The parts of the page about BERT's family."""
