"""The tiny checkpoint of the core's tests."""

from tests.core.conftest import tiny_checkpoint, tiny_checkpoint_folder, word_pieces

__all__ = ["tiny_checkpoint", "tiny_checkpoint_folder", "word_pieces"]
