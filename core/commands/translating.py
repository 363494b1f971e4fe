"""What the verbs that translate have in common."""

from __future__ import annotations

from core.commands.task_verbs import Asked


def language_of(asked: Asked) -> str | None:
    """The language to ask for; ``None`` of a model of one language."""
    from core.tokenisation.languages import languages_of

    if asked.arguments.language is not None:
        return str(asked.arguments.language)
    return next(iter(languages_of(asked.checkpoint.tokenizer)), None)
