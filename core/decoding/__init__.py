"""Writing with a model that scores the next piece: greedily, by sampling, or with beams."""

from core.decoding.beams import Beam, BeamStep, beam_search, best_texts, by_gnmt, by_length
from core.decoding.reader import CausalReader, Reader, TextToTextReader, reader_of
from core.decoding.sampling import GREEDY, Sampling, choose, next_token
from core.decoding.writing import CandidatePiece, Guide, Step, UntilEnd, texts_of, write

__all__ = [
    "GREEDY",
    "Beam",
    "BeamStep",
    "CandidatePiece",
    "CausalReader",
    "Guide",
    "Reader",
    "Sampling",
    "Step",
    "TextToTextReader",
    "UntilEnd",
    "beam_search",
    "best_texts",
    "by_gnmt",
    "by_length",
    "choose",
    "next_token",
    "reader_of",
    "texts_of",
    "write",
]
