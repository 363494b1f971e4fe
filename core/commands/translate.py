"""``translate``: a text in another language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.attend import add_out, make_out, write_out
from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer

if TYPE_CHECKING:
    from core.tasks import Translation, WatchedTranslation


def language_of(asked: Asked) -> str | None:
    """The language to ask for; ``None`` of a model of one language."""
    from core.tokenisation.languages import languages_of

    if asked.arguments.language is not None:
        return str(asked.arguments.language)
    return next(iter(languages_of(asked.checkpoint.tokenizer)), None)


def answer(found: Translation | WatchedTranslation, asked: Asked) -> Answer:
    """``{"source", "target"}``; the attention is written where asked."""
    from core.tasks import WatchedTranslation

    answer = {"source": found.encoding.texts[0], "target": found.text}
    if asked.out is not None and isinstance(found, WatchedTranslation):
        write_out(asked.out, found.attention, asked)
        answer["out"] = str(asked.out)
    return answer


def table(answer: Answer) -> str:
    """The translation alone."""
    return str(answer["target"])


VERB = TaskVerb(
    "core.tasks.translate:translate",
    "transformer",
    answer,
    table,
    flags={"language": "to"},
    types={"language": (str, "LANGUAGE")},
    note="Without --to it is the first language that the model knows.",
    options=add_out,
    check=make_out,
    values=lambda asked: {"language": language_of(asked)},
    with_out="core.tasks.watch_translation:watch_translation",
)
