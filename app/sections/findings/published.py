"""What the papers report of each finding: their figures, never ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.i18n import N_

_LIU: Final = "Liu et al. 2020"
_XIONG: Final = "Xiong et al. 2020"
_POPEL: Final = "Popel, Bojar 2018"


@dataclass(frozen=True)
class Figure:
    """One figure, in English and translated where it is shown.

    Attributes:
        what: was measured.
        value: as printed, or in the paper's words where it gives none.
        where: paper and place.
    """

    what: str
    value: str
    where: str


@dataclass(frozen=True)
class Published:
    """The figures of one finding, and what they were measured on."""

    setting: str
    figures: tuple[Figure, ...]


def _table_6(machines: str, hours: str, pieces: str) -> Figure:
    return Figure(machines, f"{hours} h · {pieces} M", f"{_POPEL}, table 6")


PUBLISHED: Final[Mapping[str, Published]] = {
    "warm-up": Published(
        N_("German to English, IWSLT’14, BLEU; six layers a side"),
        (
            Figure(N_("post-norm, Adam, no warm-up"), "8.45", f"{_XIONG}, section 3.2"),
            Figure(N_("post-norm, Adam, warm-up"), N_("about 34"), f"{_XIONG}, section 3.2"),
            Figure(N_("Adam, warm-up, five seeds"), "34.66 ± 0.014", f"{_LIU}, table 2"),
            Figure(N_("RAdam, five seeds"), "34.76 ± 0.003", f"{_LIU}, table 2"),
            Figure(N_("pre-norm, no warm-up"), N_("“comparable”"), f"{_XIONG}, abstract"),
        ),
    ),
    "first-gradients": Published(
        N_("feed-forward matrices at the start, 6 to 14 layers a side"),
        (
            Figure(N_("post-norm, last layer"), N_("around 1.6"), f"{_XIONG}, figure 3c"),
            Figure(N_("pre-norm, last layer"), N_("falls with depth"), f"{_XIONG}, figure 3d"),
            Figure(N_("post-norm, by layer"), N_("grows"), f"{_XIONG}, figure 3a"),
            Figure(N_("pre-norm, by layer"), N_("almost the same"), f"{_XIONG}, figure 3b"),
        ),
    ),
    "learning-rate": Published(
        N_("English to Czech, BIG, one GPU, batch 1500, warm-up 16k"),
        (
            Figure(N_("rate 0.01"), N_("notably slower"), f"{_POPEL}, section 4.6"),
            Figure(N_("0.05 to 0.25"), N_("almost no difference"), f"{_POPEL}, section 4.6"),
            Figure(N_("rate 0.30"), N_("diverged"), f"{_POPEL}, section 4.6"),
        ),
    ),
    "batch-size": Published(
        N_("English to Czech, one GPU; batches in subwords"),
        (
            Figure(N_("BASE, 3000: to 18 BLEU"), N_("7 hours"), f"{_POPEL}, section 4.5"),
            Figure(N_("BASE, 1500: to 18 BLEU"), N_("about 3 days"), f"{_POPEL}, section 4.5"),
            Figure(N_("BIG, 1450 to 2000"), N_("almost the same"), f"{_POPEL}, section 4.5"),
            Figure(N_("BIG, 1400"), N_("drops after 2 hours"), f"{_POPEL}, section 4.5"),
        ),
    ),
    "max-length": Published(
        N_("English to Czech, BIG, one GPU; limits in subwords"),
        (
            Figure(N_("25, 50, 70"), N_("drop after an hour"), f"{_POPEL}, section 4.4"),
            Figure(N_("150, 200"), N_("worse than 400"), f"{_POPEL}, section 4.4"),
            Figure("400", N_("as without a limit"), f"{_POPEL}, figure 4"),
            Figure(N_("70, batch 2000"), N_("as without a limit"), f"{_POPEL}, section 4.4"),
        ),
    ),
    "averaging": Published(
        N_("English to Czech, BIG, six GPUs, around 26.5 BLEU"),
        (
            Figure(N_("8 checkpoints, usually"), N_("about +0.2 BLEU"), f"{_POPEL}, section 4.10"),
            Figure(N_("in some set-ups"), N_("over +1 BLEU"), f"{_POPEL}, section 4.10"),
        ),
    ),
    "accumulation": Published(
        N_("English to Czech, BIG: hours and subwords until BLEU stays over 25.6"),
        (
            _table_6(N_("1 GPU"), "> 600", "> 9000"),
            _table_6(N_("2 GPUs"), "203", "4644"),
            _table_6(N_("6 GPUs"), "56", "2706"),
            _table_6(N_("8 GPUs"), "40", "2728"),
        ),
    ),
}
