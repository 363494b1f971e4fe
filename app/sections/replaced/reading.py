"""What is drawn: one sentence with words replaced, and what the models say of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from streamlit.delta_generator import DeltaGenerator

from app.ask import ask
from app.models import models
from app.parts.model_picker import HIDDEN_WORDS
from app.sections.replaced.edits import Edited, edited, read_edits
from app.sections.replaced.replaced_view import (
    EditableWord,
    Losses,
    ReplacedPicture,
    SampledPiece,
    Token,
)
from app.state import current_settings
from core.engine import call
from core.tasks import (
    DetectionResult,
    JudgedReplacements,
    Replacements,
    detect_replaced,
    judge_replacements,
    sample_replacements,
)
from core.tokenisation import Encoding

CANDIDATES = 5
READER = "reader"


@dataclass(frozen=True)
class ReplacedReading:
    """One sentence with words replaced.

    Attributes:
        picture: what the browser draws.
        text: what to type to have the discriminator read the same; ``None`` where no text is cut
            into these tokens.
        tokens: how many the discriminator read, special ones too.
        device: where it ran.
    """

    picture: ReplacedPicture
    text: str | None
    tokens: int
    device: str


@dataclass(frozen=True)
class Typed:
    """The reader's sentence, with the words that stand in it now.

    Attributes:
        encoding: of the sentence as it was typed.
        edits: of the reader; empty where the generator replaces.
    """

    encoding: Encoding
    edits: Edited = field(repr=False)


def generator_of(discriminator: str) -> str | None:
    """The generator that was trained with a discriminator, found by its name; None without one."""
    names = {f"{discriminator}-generator", discriminator.replace("discriminator", "generator")}
    fitting = (one.name for one in models() if HIDDEN_WORDS.fits(one))
    return next((name for name in fitting if name in names and name != discriminator), None)


def read_typed(checkpoint: str, text: str, status: DeltaGenerator) -> Typed:
    """Cut the sentence into words, and apply what the reader has changed.

    Raises:
        HeadlightError: as in :func:`core.tasks.detect_replaced`.
    """
    found = ask(call(detect_replaced, checkpoint, text), status)
    return Typed(found.encoding, edited(found.encoding, read_edits(current_settings().changed)))


def reading_of_edits(checkpoint: str, typed: Typed, status: DeltaGenerator) -> ReplacedReading:
    """Judge the sentence with the reader's words in it.

    Raises:
        HeadlightError: as in :func:`core.tasks.detect_replaced`.
    """
    text, edits = typed.encoding.texts[0], typed.edits
    original = text if edits.changed else None
    result = ask(call(detect_replaced, checkpoint, edits.text, original=original), status)
    tokens = _tokens_of_edits(result, typed)
    nats = [token.nats for token in tokens if token.nats is not None]
    losses = Losses(None, sum(nats) / len(nats)) if nats else None
    words = [
        EditableWord(number, edits.spelling(number), spelling)
        for number, spelling in enumerate(typed.encoding.spellings)
    ]
    picture = ReplacedPicture(_identity(checkpoint, result, tokens), tokens, (), losses, words)
    return ReplacedReading(picture, edits.text, len(result.encoding), result.device)


def reading_of_samples(
    checkpoint: str, generator: str, text: str, status: DeltaGenerator
) -> ReplacedReading:
    """Judge the sentence with the generator's samples in it.

    Raises:
        HeadlightError: as in :func:`core.tasks.replace_by_generator`.
    """
    settings = current_settings()
    question = call(
        sample_replacements,
        generator,
        text,
        seed=settings.seed,
        temperature=settings.heat / 100,
        top=CANDIDATES,
    )
    sampled = ask(question, status)
    judgement = call(
        judge_replacements,
        checkpoint,
        sampled.ids,
        sampled.encoding.ids,
        pieces=sampled.pieces,
        vocabulary=sampled.vocabulary,
    )
    judged = ask(judgement, status)
    tokens = _tokens_of_samples(sampled, judged)
    samples = [
        SampledPiece(
            token.position,
            sampled.encoding.pieces[token.position],
            sampled.pieces[token.position],
            token.sample.probability,
            token.same,
            token.nats,
            token.candidates,
        )
        for token in sampled.samples
    ]
    losses = Losses(sampled.loss, judged.loss, sampled.with_loss_of(judged))
    picture = ReplacedPicture(_identity(checkpoint, sampled, tokens), tokens, samples, losses)
    return ReplacedReading(picture, sampled.text, len(sampled.encoding), judged.device)


def _tokens_of_samples(sampled: Replacements, judged: JudgedReplacements) -> list[Token]:
    encoding = sampled.encoding
    same = {token.position: token.same for token in sampled.samples}
    return [
        Token(
            sampled.pieces[at],
            encoding.words[at],
            special=encoding.special[at],
            probability=one.probability,
            truth=one.truth,
            nats=one.nats,
            was=encoding.pieces[at] if one.truth else "",
            drawn_again=same.get(at, False),
        )
        for at, one in enumerate(judged.tokens)
    ]


def _tokens_of_edits(result: DetectionResult, typed: Typed) -> list[Token]:
    judged = {token.position: token for token in result.tokens}
    encoding, edits = result.encoding, typed.edits
    spellings = typed.encoding.spellings
    shown = set()
    tokens = []
    for at, piece in enumerate(encoding.pieces):
        one = judged.get(at)
        if one is None:
            tokens.append(Token(piece, None, special=True))
            continue
        word = edits.word_at(one.start)
        # What stood here before is said once, at the first token of the new words.
        first = word in edits.changed and word not in shown
        shown.add(word)
        tokens.append(
            Token(
                piece,
                word,
                probability=one.probability,
                truth=one.truth,
                nats=one.nats,
                was=spellings[word] if first and word is not None else "",
            )
        )
    return tokens


def _identity(checkpoint: str, ran: Replacements | DetectionResult, tokens: Sequence[Token]) -> str:
    """The same for the same tokens with the same truth: what is scored once."""
    ids = ran.ids if isinstance(ran, Replacements) else ran.encoding.ids
    facts = repr((checkpoint, ids, [token.truth for token in tokens]))
    return hashlib.sha256(facts.encode()).hexdigest()[:12]
