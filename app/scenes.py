"""Scenes: sentences with settings that a speaker goes through with a clicker.

Each page with scenes has a file in `assets/samples/`: a list of `{"name": ..., "settings": ...}`. A
scene says only what differs from the defaults of `Settings`; the colours, the language and
presenter mode stay as the reader has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from app.i18n import N_, _
from app.settings import DEFAULTS, FIELDS, Value
from app.state import is_allowed, names

SAMPLES: Final = Path(__file__).resolve().parent.parent / "assets" / "samples"
KEPT: Final = ("palette", "scene", *names("frame"))

# What a reader sees for the name of a scene.
TITLES: Final = {
    "every-head": N_("Every head at once"),
    "one-token-back": N_("One token back"),
    "three-heads": N_("Three heads of one layer"),
    "resting-place": N_("Where a head rests"),
    "what-is-left": N_("What is left without it"),
    "pronoun": N_("What “it” looks at"),
    "second-to-first": N_("From one sentence to the other"),
    "word-for-word": N_("Word for word"),
    "one-word-ahead": N_("One word ahead"),
    "one-word": N_("One word hidden"),
    "two-words": N_("Two words hidden"),
    "several-pieces": N_("One word, several masks"),
    "one-word-changed": N_("One word changed"),
    "heads-off": N_("Without four heads"),
    "masked-at-random": N_("Masked at random"),
    "parts-of-bert": N_("What BERT is made of"),
    "parts-of-structbert": N_("What StructBERT is made of"),
    "parts-of-gpt": N_("What GPT is made of"),
    "parts-of-roberta": N_("What RoBERTa is made of"),
    "parts-of-spanbert": N_("What SpanBERT is made of"),
    "parts-of-albert": N_("What ALBERT is made of"),
    "parts-of-distilbert": N_("What DistilBERT is made of"),
    "parts-of-mtdnn": N_("What MT-DNN is made of"),
    "parts-of-xlnet": N_("What XLNet is made of"),
    "parts-of-electra": N_("What ELECTRA is made of"),
    "parts-of-t5": N_("What T5 is made of"),
    "parts-of-transformer": N_("What the Transformer is made of"),
    "parts-of-seq2seq": N_("What seq2seq is made of"),
    "fifty-positions": N_("Fifty positions, 128 dimensions"),
    "sines-first": N_("All sines first"),
    "first-rise": N_("Where monotonicity fails"),
    "far-away": N_("Five thousand positions on"),
    "learned-positions": N_("What BERT has learned"),
    "rotary-positions": N_("A query, turned"),
    "relative-positions": N_("A term for each distance"),
    "shuffled-words": N_("The words shuffled"),
    "tired-or-wide": N_("One word decides what “it” is"),
    "doctor-or-nurse": N_("The doctor and the nurse"),
    "misspelt": N_("A misspelt word"),
    "two-objectives": N_("Two models, one sentence"),
    "four-heads-less": N_("With and without four heads"),
    "a-layer-less": N_("Without the first layer’s heads"),
    "one-step": N_("One step, three kinds of attention"),
    "word-order": N_("The verb goes to the end"),
    "places-changed": N_("Red car, voiture rouge"),
    "always-likeliest": N_("Always the likeliest piece"),
    "several-beams": N_("Four beams begin otherwise"),
    "beam-mistake": N_("Likelier, and wrong: une pomme vert"),
    "aligned": N_("Where each piece came from"),
    "one-alignment": N_("One step of the decoder"),
    "word-moved": N_("A word that moved to the end"),
    "ending": N_("An ending that asks its noun"),
    "long-sentence": N_("A long sentence"),
    "six-scores": N_("Six scores, the same vectors"),
    "longer-state": N_("A state twice as long"),
    "two-masks": N_("Padding and what is not written yet"),
    "five-schedules": N_("Five schedules"),
    "transformer-schedule": N_("The Transformer’s, four warm-ups in"),
    "wider-transformer": N_("Twice the width"),
    "bert-schedule": N_("BERT’s, as it was trained"),
    "restarts": N_("Restarts, each later than the last"),
    "no-warm-up": N_("With and without warm-up"),
    "four-gradients": N_("After four gradients"),
    "lab-warm-up": N_("Post-norm, with and without warm-up"),
    "lab-norms": N_("Post-norm and pre-norm"),
    "lab-optimisers": N_("Without warm-up: Adam, AdamW, RAdam"),
    "lab-rates": N_("Three peak rates"),
    "lab-seeds": N_("Three seeds"),
    "finding-warm-up": N_("Who needs warm-up"),
    "finding-first-gradients": N_("Gradients before the first step"),
    "finding-learning-rate": N_("How fast is too fast"),
    "finding-batch-size": N_("How small a batch may be"),
    "finding-max-length": N_("Without long sentences"),
    "finding-averaging": N_("Eight weights, averaged"),
    "finding-accumulation": N_("More machines"),
    "one-word-on": N_("What comes next"),
    "colder": N_("Half the temperature"),
    "five-pieces": N_("The five likeliest"),
    "nucleus": N_("The nucleus of 70 %"),
    "what-was-expected": N_("What was expected instead"),
    "surprises": N_("Surprise, piece by piece"),
    "written-on": N_("Three texts, one rule"),
    "store-and-milk": N_("The store and the milk"),
    "store-and-penguins": N_("The store and the penguins"),
    "a-life-in-order": N_("A life in its order"),
    "a-life-backwards": N_("The same life backwards"),
    "dog-and-playing": N_("My dog, term by term"),
    "terms-of-albert": N_("ALBERT’s input: 128 numbers wide"),
    "one-found-one-missed": N_("One found, one missed"),
    "drawn-again": N_("Every draw the original"),
    "hotter-draws": N_("Hotter draws, both found"),
    "two-found": N_("A longer sentence"),
    "your-own-words": N_("A word of your own"),
    "wrong-fact": N_("A wrong fact"),
    "mark-first": N_("Mark first, then see"),
    "one-blank": N_("One blank, three tries"),
    "likeliest-filling": N_("Always the likeliest piece"),
    "four-blanks": N_("Four blanks at once"),
    "eight-words": N_("Exactly eight words"),
    "free-blanks": N_("As many words as it wants"),
    "a-sentinel-writes": N_("After a sentinel"),
    "thank-you": N_("The paper’s own sentence"),
    "sixty-four-words": N_("Sixty-four words"),
    "eight-readers": N_("Eight readers of one sentence"),
    "gallon-of-milk": N_("A gallon of what?"),
    "first-layers": N_("The first layers"),
    "second-seed": N_("The second draw of seed 2"),
    "order-of-reading": N_("XLNet’s order 3-2-4-1"),
    "football": N_("SpanBERT’s football"),
}


@dataclass(frozen=True)
class Scene:
    """One picture of a page. `settings` are complete, but for what stays as the reader has it."""

    name: str
    settings: Mapping[str, Value]

    @property
    def title(self) -> str:
        """The name in the reader's language."""
        return _(TITLES[self.name])


@cache
def scenes_of(page: str) -> tuple[Scene, ...]:
    """The scenes of a page, in their order.

    Args:
        page: name of its file in `assets/samples/`, without the ending.

    Raises:
        ValueError: a scene has no title, or sets what is no setting or out of bounds.
    """
    written = json.loads((SAMPLES / f"{page}.json").read_text(encoding="utf-8"))
    return tuple(_scene(**one) for one in written)


def scene_number(page: str, written: str) -> int:
    """The number of the scene that a setting names, counted from 1; 0 where it names none.

    >>> scene_number("attention", "2"), scene_number("attention", "99")
    (2, 0)
    """
    count = len(scenes_of(page))
    return next((number for number in range(1, count + 1) if str(number) == written), 0)


def _scene(name: str, settings: Mapping[str, Value]) -> Scene:
    if name not in TITLES:
        raise ValueError(f"The scene {name!r} has no title.")
    for setting, value in settings.items():
        if setting not in FIELDS or setting in KEPT:
            raise ValueError(f"The scene {name!r} cannot set {setting!r}.")
        if not is_allowed(setting, value):
            raise ValueError(f"The scene {name!r} sets {setting!r} to {value!r}.")
    # Where a scene says nothing of a token, none is chosen.
    start = {one: value for one, value in DEFAULTS.items() if one not in KEPT} | {"token": -1}
    return Scene(name, start | dict(settings))
