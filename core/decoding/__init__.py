"""Writing with a model that scores the next piece: greedily, by chance, or with beams."""

from core.decoding.beams import Beam, BeamStep, beam_search, best_texts, by_gnmt, by_length
from core.decoding.reader import OneSide, Reader, TwoSides, reader_of
from core.decoding.sampling import GREEDY, Sampling, choose, next_token
from core.decoding.writing import Candidate, Guide, Step, UntilEnd, texts_of, write

__all__ = [
    "GREEDY",
    "Beam",
    "BeamStep",
    "Candidate",
    "Guide",
    "OneSide",
    "Reader",
    "Sampling",
    "Step",
    "TwoSides",
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
