"""A sentence whose words can be hidden by a click, and what a model puts in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from app.i18n import _
from app.parts.scripts import script_component


@dataclass(frozen=True)
class Stretch:
    """A stretch of the sentence: a word that can be hidden, or what stands between words.

    `word` is the word's number, None between words; `mask` is what stands there when the word is
    hidden, empty when it is not.
    """

    text: str
    word: int | None = None
    mask: str = ""


@dataclass(frozen=True)
class Guess:
    """Candidates for one mask, the likeliest first: word, share of the probability, as text."""

    label: str
    candidates: Sequence[tuple[str, float, str]]


def word_guess(
    sentence: Sequence[Stretch],
    guesses: Sequence[Guess],
    *,
    key: str,
    on_choose: Callable[[], None],
) -> None:
    """Draw the sentence and the candidates.

    Args:
        sentence: all of it, in order.
        guesses: one for each mask.
        key: identity of this component on its page.
        on_choose: called when the reader chooses a word, which is `said` as ``word``: its `number`.
    """
    data = {
        "sentence": [asdict(stretch) for stretch in sentence],
        "guesses": [asdict(guess) for guess in guesses],
        "strings": {
            "title": _("Hide a word"),
            "hint": _("choose one, and the model says what could stand there"),
            "words": _("Words: choose one to hide"),
            "guesses": _("What the model would put there"),
        },
    }
    component = script_component(
        "sections/start/word_guess", "guess word-guess", shared_sheet=False
    )
    component(data=data, key=key, on_word_change=on_choose)
