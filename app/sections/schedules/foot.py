"""Below the charts: a link, and how to read the page."""

from app.i18n import _
from app.parts.foot import foot


def draw_foot() -> None:
    """Draw the line at the bottom of the page."""
    foot(_how_to_read())


def _how_to_read() -> str:
    return _(
        "- **A curve is a factor on every update.** Step s is the update that s others"
        " came before: the first one, with a warm-up, has the rate 0.\n"
        "- **Warm-up** means a straight line up. The Transformer’s peak is where both"
        " sides of its minimum meet, at step w: it follows from width and warm-up.\n"
        "- **Why warm up:** Adam divides by the root of an average of squared"
        " gradients. While that rests on few gradients it varies widely, and so does"
        " the length of a step. Not bias correction is to blame, as is sometimes said,"
        " but the adaptive rate itself (Liu et al. 2020).\n"
        "- **RAdam** multiplies the step by r, so that this variance is what it is in a"
        " long run. r does by itself about what a warm-up of 2 / (1 − β₂) steps does"
        " (Ma and Yarats 2021).\n"
        "- **With 4 degrees of freedom or fewer** the variance is infinite and RAdam"
        " takes no adaptive step. That is before step 5; PyTorch waits for more than 5"
        " degrees, until step 6."
    )
