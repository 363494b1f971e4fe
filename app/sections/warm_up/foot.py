"""Below everything: a link, and how to read the page."""

from app.i18n import _
from app.lab.lab import SECONDS_AWAY, SECONDS_KEPT, processes_at_once
from app.parts.foot import foot
from app.settings import Value

CANVAS: dict[str, Value] = {"layer": 0, "head": 0, "token": -1, "set": "cross", "scale": "absolute"}


def draw_foot() -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read(), canvas=CANVAS)


def _how_to_read() -> str:
    return _(
        "- **The pairs** are made by a rule: 4,000 to learn from, 256 others to measure with."
        " Numbers are English words to be said in German, where the units come before the tens;"
        " letters are copied, reversed or sorted.\n"
        "- **The model** is the Transformer of “Attention Is All You Need” in small, without"
        " dropout, label smoothing and clipping; AdamW decays weights by 0.01, the others not at"
        " all.\n"
        "- **Accuracy** counts the target’s tokens that come first, each after the right ones"
        " before it. A whole answer is right when all its tokens are.\n"
        "- **Gradient norm** is taken before the weights move, per layer from dark to light, the"
        " decoder dashed. At step 1 it shows the model as it was drawn.\n"
        "- **Variance of Adam’s rate:** Adam divides each weight’s rate by the root of its mean"
        " squared gradient. After few gradients that mean is a matter of luck. Drawn is the"
        " variance of the rate’s logarithm within a matrix, averaged over all weights; dotted what"
        " luck alone would give (from Liu et al. 2020, “On the Variance of the Adaptive Learning"
        " Rate and Beyond”, section 3). Warm-up waits until it is small; RAdam corrects for"
        " it.\n"
        "- **Entropy** says how widely a head looks, in bits: 0 is one token alone.\n"
        "- **Seeds:** with the settings that the page opens with, post-norm without warm-up lagged"
        " far behind in every seed we tried; how far differs. Compare seeds before you believe"
        " one curve.\n"
        "- **Your runs** are yours: at most {processes} compute at once in this app, others wait"
        " their turn. They go on while you read another page; after {away} minutes away they stop,"
        " and after {kept} their curves are gone."
    ).format(
        processes=processes_at_once(),
        away=round(SECONDS_AWAY / 60),
        kept=round(SECONDS_KEPT / 60),
    )
