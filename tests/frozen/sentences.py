"""The sentences that are frozen: our own, one for every kind of model."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.config import Head
from core.tokenisation.blanks import sentinel_ids
from core.tokenisation.languages import languages_of


@dataclass(frozen=True)
class Sentence:
    """What a model is given.

    Attributes:
        text: the text; of a model that fills blanks, with blanks.
        pair: a second text, for models that tell two segments apart.
        hide: numbers of the words that are hidden, for models that guess words.
        target: what the decoder of a model with two sides reads, one part for every blank.
        language: into which the text is translated, where the vocabulary has several.
    """

    text: str
    pair: str | None = None
    hide: tuple[int, ...] = ()
    target: tuple[str, ...] = ()
    language: str | None = None


_TEXT = "The keeper mends his old boat before the winter."
_PAIR = "He will need it in spring."
_HIDDEN = (1, 4)  # "keeper" and "old"
_ODD = "The keeper mends his old spoon before the winter."
_BEGINNINGS = (
    "The keeper of the lighthouse mends his old boat because",
    "In the harbour the fishermen were waiting for",
    "The first snow fell on the mountains, and",
)
_BLANKS = (
    ("The keeper of the ___ mends his ___2___ before the winter.", ("lighthouse", "old boat")),
    ("In the ___ the fishermen were waiting for ___3___.", ("harbour", "the next tide")),
)
_SOURCES = (
    ("The dog sleeps in the garden.", "Der Hund schläft im Garten."),
    ("My sister lives in a small house.", "Meine Schwester wohnt in einem kleinen Haus."),
)
_LANGUAGE = "de"


def sentences_for(checkpoint: Checkpoint) -> tuple[Sentence, ...]:
    """Sentences that show what this model can do, the one to be frozen first.

    The others stand in where the text that a model writes after the first hangs on rounding.
    """
    model, config = checkpoint.model, checkpoint.config
    if model.causal:
        return tuple(map(Sentence, _BEGINNINGS))
    if model.streams:
        return (Sentence(_TEXT, _PAIR, hide=_HIDDEN),)
    if not model.text_to_text:
        pair = _PAIR if config.embedding.segments > 1 else None
        guesses = Head.MASKED_LANGUAGE in config.heads
        return (Sentence(_TEXT, pair, hide=_HIDDEN) if guesses else Sentence(_ODD, pair),)
    if sentinel_ids(checkpoint.tokenizer):
        return tuple(Sentence(text, target=fillings) for text, fillings in _BLANKS)
    language = _LANGUAGE if _LANGUAGE in languages_of(checkpoint.tokenizer) else None
    return tuple(Sentence(text, target=(target,), language=language) for text, target in _SOURCES)
