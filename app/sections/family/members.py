"""Who belongs to the family, and which model stands for each."""

from __future__ import annotations

from dataclasses import dataclass

from app.i18n import N_
from app.models import entry_of, models
from app.state import current_settings
from core.checkpoints import BundledCheckpoint
from core.config import Head
from core.models.registry import SYSTEMS


@dataclass(frozen=True)
class Member:
    """One system.

    Args:
        system: as in `core.models.registry`.
        hides: what it has to say while it learns, in few words.
        why: what that is for.
        published: what its paper found, with table; empty where we have no figure.
    """

    system: str
    hides: str
    why: str
    published: str = ""

    @property
    def title(self) -> str:
        """What people call the system."""
        return SYSTEMS[self.system].title


MEMBERS = (
    Member(
        "bert",
        N_("single tokens, one draw for good"),
        N_(
            "15 % of the tokens are to be named from both sides: of these 80 % become a mask, 10 %"
            " a random token, 10 % stay, since no mask comes later. Each text has ten masks, drawn"
            " before the training."
        ),
        N_(
            "Without the next sentence MNLI fell from 84.4 to 83.9 (Devlin et al. 2019, table 5);"
            " RoBERTa did without it."
        ),
    ),
    Member(
        "roberta",
        N_("single tokens, a new draw each time"),
        N_(
            "The same rule, drawn whenever a text is read, so that hardly a mask comes twice; no"
            " next sentence; pieces of bytes."
        ),
        N_(
            "SQuAD 2.0, base: static 78.3, dynamic 78.7; MNLI 84.3 and 84.0; SST-2 92.5 and 92.9"
            " (Liu et al. 2019, table 1)."
        ),
    ),
    Member(
        "spanbert",
        N_("whole spans of words"),
        N_(
            "Spans of one to ten words, 3.8 on average, each with one fate; a second loss names"
            " every word from the span’s two neighbours alone. Answers to questions are spans."
        ),
        N_("GLUE test 82.8, the same BERT on single texts 81.7 (Joshi et al. 2020)."),
    ),
    Member(
        "albert",
        N_("single tokens, and the order of two texts"),
        N_(
            "One layer serves twelve times; the second text of a pair is the next one or both are"
            " swapped, which topics do not give away. The paper hides one to three words at a time;"
            " ours learned from single tokens."
        ),
        N_(
            "Sharing all layers costs 2.5 points of the mean, base, E = 768: 82.3 to 79.8"
            " (Lan et al. 2020, table 4)."
        ),
    ),
    Member(
        "distilbert",
        N_("single tokens, and the teacher’s whole answer"),
        N_(
            "Half of BERT’s layers. Beside the hidden tokens it has to spread its guess at every"
            " token as its teacher does, and to keep the direction of its states."
        ),
    ),
    Member(
        "structbert",
        N_("single tokens, and shuffled trigrams"),
        N_(
            "Of the trigrams that are left, 5 % are shuffled and have to be put right: order within"
            " a sentence. Next, previous or other text: order between sentences."
        ),
        N_(
            "CoLA 85.8, without word structure 81.7; SQuAD 90.6, without sentence structure 89.1"
            " (Wang et al. 2020, base, ablation)."
        ),
    ),
    Member(
        "xlnet",
        N_("nothing: an order decides who is seen"),
        N_(
            "The words stay where they are. One token in six is predicted, in a random order, each"
            " from all others and from the predictions before it: no mask that is never met later."
        ),
        N_(
            "K = 6: SQuAD 2.0 81.0, MNLI 85.6, base (Liu et al. 2019, table 2, from XLNet’s paper)."
        ),
    ),
    Member(
        "mtdnn",
        N_("labelled tasks, with hidden tokens beside them"),
        N_(
            "A BERT goes on to learn from labelled tasks at once, each with a head of its own and"
            " one shared body. So that words are not forgotten, ours keeps hidden tokens beside"
            " them; the paper does not."
        ),
        N_(
            "GLUE 82.7 against 80.5 for BERT-large; without fine-tuning 81.7, yet lower than BERT"
            " on CoLA, SST-2, MNLI and AX (Liu et al. 2019, “MT-DNN”, table 2)."
        ),
    ),
)


def models_of_members() -> dict[str, BundledCheckpoint | None]:
    """The model of each system: the reader's own if one was chosen, else a shipped one.

    Returns:
        By system, in the order of `MEMBERS`; None where there is none that guesses hidden words.
    """
    found: dict[str, BundledCheckpoint | None] = {one.system: None for one in MEMBERS}
    for one in models():
        if found.get(one.system, one) is None and guesses(one):
            found[one.system] = one
    own = entry_of(current_settings().model)
    if own is not None and own.system in found and guesses(own):
        found[own.system] = own
    return found


def guesses(entry: BundledCheckpoint) -> bool:
    """Whether it names hidden words: from a mask, or as XLNet does."""
    return Head.MASKED_LANGUAGE in entry.heads or (
        entry.system == "xlnet" and Head.LANGUAGE in entry.heads
    )
