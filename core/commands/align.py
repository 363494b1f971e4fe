"""``align``: a translation, and what its decoder attended to for every piece of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer, rows
from core.commands.translate import language_of
from core.errors import ConfigError

if TYPE_CHECKING:
    from core.tasks import WatchedTranslation


def answer(found: WatchedTranslation, _asked: Asked) -> Answer:
    """The tokens of both sides and the weights ``[target][source]``; rows sum to 1.

    Raises:
        ConfigError: the model has several heads, each with an alignment of its own.
    """
    patterns = found.attention["cross"].patterns
    layers, heads = patterns.shape[:2]
    if layers * heads != 1:
        raise ConfigError(
            f"{layers} layers of {heads} heads have no one alignment; the verb attend has all"
        )
    return {
        "text": found.encoding.texts[0],
        "translation": found.text,
        "source": found.source.tokens,
        "target": [step.token for step in found.steps],
        "weights": [[round(float(cell), 6) for cell in row] for row in patterns[0, 0]],
    }


def table(answer: Answer) -> str:
    """The translation, then a line a written piece with its weights in hundredths."""
    lines = [("", *answer["source"])]
    for piece, weights in zip(answer["target"], answer["weights"], strict=True):
        lines.append(
            (piece, *(f"{100 * weight:.0f}" if weight >= 0.005 else "" for weight in weights))
        )
    return f"{answer['translation']}\n\n{rows(lines)}"


VERB = TaskVerb(
    "core.tasks.watch_translation:watch_translation",
    "seq2seq",
    answer,
    table,
    flags={"language": "to"},
    types={"language": (str, "LANGUAGE")},
    left_out=("followed", "padding", "top"),
    note="Without --to it is the first language that the model knows.",
    values=lambda asked: {"language": language_of(asked)},
)
