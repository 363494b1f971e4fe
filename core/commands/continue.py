"""``continue``: go on with a text."""  # noqa: N999 - a verb is the name of its module

from __future__ import annotations

from typing import TYPE_CHECKING

from core.commands.task_verbs import Asked, TaskVerb
from core.commands.texts import Answer
from core.commands.writing import add_writing_options, check_sampling, sampling_of

if TYPE_CHECKING:
    from core.tasks import Continuation


def answer(last: Continuation, asked: Asked) -> Answer:
    """``{"text", "samples": ["..."]}``, each sample with the person's own text in front."""
    # Greedily, all samples are one.
    samples = list(last.texts) * (asked.arguments.samples // len(last.texts))
    return {"text": last.encoding.texts[0], "samples": samples}


def table(answer: Answer) -> str:
    """Every sample's text."""
    return "\n\n".join(answer["samples"])


VERB = TaskVerb(
    "core.tasks.continue_text:continuing_text",
    "gpt",
    answer,
    table,
    flags={"most": "tokens"},
    left_out=("sampling", "top"),
    options=add_writing_options,
    check=check_sampling,
    values=lambda asked: {"sampling": sampling_of(asked.arguments)},
    told=("pieces", lambda step, arguments: (step.step.number + 1, arguments.most, step.done)),
)
