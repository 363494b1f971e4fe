"""Labelled tasks made from texts, pairs of sentences and treebanks: a table of what there is."""

from core.training.labelling.examples import DataSplit, Labelled, Labelling, write_examples
from core.training.labelling.order import order_of_sentences
from core.training.labelling.same_meaning import paraphrases, rankings
from core.training.labelling.treebanks import word_classes

LABELLINGS: dict[str, Labelling] = {
    "order": order_of_sentences,
    "paraphrase": paraphrases,
    "ranking": rankings,
    "word-class": word_classes,
}

__all__ = ["LABELLINGS", "DataSplit", "Labelled", "Labelling", "write_examples"]
