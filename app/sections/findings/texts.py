"""What is claimed, in words, and what is different here. No text says how it came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.i18n import N_


@dataclass(frozen=True)
class Words:
    """A finding in English, translated where it is shown.

    Attributes:
        short: its name in the list.
        claim: one sentence.
        differs: in what our runs are unlike the paper's, and what that may do.
        smaller: what the lab trains instead, where it cannot do the same.
    """

    short: str
    claim: str
    differs: str
    smaller: str = ""


WORDS: Final[Mapping[str, Words]] = {
    "warm-up": Words(
        N_("Warm-up"),
        N_("Post-norm needs warm-up; pre-norm does not, and RAdam can do without."),
        N_(
            "2,000 steps on number words, where the papers’ warm-up alone takes 4,000, at one peak"
            " rate that falls to 0, without dropout. RAdam holds back by a factor of its own, with"
            " β₂ = 0.999 (0.9995 in its paper): 0.22 at step 100, 0.52 at step 600, 0.83 at step"
            " 2,000, and 0.98 only at step 5,000. With the falling rate it is never above 0.37 of"
            " the peak here. A run that would recover later counts as it stands at the end."
        ),
    ),
    "first-gradients": Words(
        N_("First gradients"),
        N_(
            "Before the first step, post-norm has larger gradients near the output; in pre-norm"
            " they are about even and shrink with depth."
        ),
        N_(
            "Norms of whole decoder layers, attention to the source and norms included, where the"
            " paper draws feed-forward matrices; one batch instead of an expectation over many;"
            " depths of 2 to 8 instead of 6 to 14. And another start: words are scored by the"
            " embedding table, drawn with a deviation of 1, so that a pre-norm model first repeats"
            " its input word everywhere, whatever its depth, at a loss of about 60 nats where a"
            " guess among 63 words costs 4."
        ),
        N_("twenty steps at three depths; step 1 shows the start"),
    ),
    "learning-rate": Words(
        N_("Learning rate"),
        N_("Over a wide range the rate hardly matters; far below it is slow, above it fails."),
        N_(
            "2,000 steps, in which a slower rate may have no time to catch up: the paper’s curves"
            " run for forty hours. Ours are 20 and 4 times below and 10 times above a peak of 2e-3"
            " that falls with the root of the steps, after 100 of warm-up; the paper’s are 20 and 4"
            " times below and 1.5 times above 0.20 in units of Tensor2Tensor. Its failures come"
            " from BIG, some 200 million weights; ours are 237,567, and a small model may bear"
            " more. Slower than the best counts as worse, not only diverged."
        ),
    ),
    "batch-size": Words(
        N_("Batch size"),
        N_("A batch can be too small; a larger one is never worse."),
        N_(
            "Compared after equally many steps, so that a larger batch has read more; the paper"
            " draws hours. Batches are pairs of number words, about seven tokens a side. There are"
            " 4,000 pairs in all: 2,000 steps of 128 read each 64 times, and what is learnt by"
            " heart helps no held-out pair."
        ),
    ),
    "max-length": Words(
        N_("Maximum length"),
        N_("Leaving out long sentences costs quality, the more the lower the limit."),
        N_(
            "Our limits leave out 70, 38 and 14 % of the pairs, the paper’s limit of 70 leaves out"
            " 2 %; so this shows the cost of a low limit, not that a high one is free. Long"
            " numbers are held out like short ones: what was never seen in training weighs more"
            " here than in running text. The highest limit leaves out little, whose cost may drown"
            " in the spread of three seeds."
        ),
        N_("the same model without a limit; the lab has none"),
    ),
    "averaging": Words(
        N_("Averaging"),
        N_("The mean of the last eight checkpoints is better than the last one."),
        N_(
            "Eight looks 20 steps apart, so the last 160 of 2,000 steps, instead of eight hours"
            " after days of training. The paper itself warns that early on, while a model still"
            " learns fast, fewer checkpoints should be averaged: old weights are worse weights"
            " there."
        ),
        N_("the same model with three seeds; the lab does not average"),
    ),
    "accumulation": Words(
        N_("Machines"),
        N_("More machines in data parallel, each with the same batch, learn faster by the hour."),
        N_(
            "Machines are simulated: a step adds up the gradients of so many batches of 16 pairs."
            " Compared are equal steps, as if machines cost no time to talk; the paper’s hours"
            " include that. The rate is the same for all, as in the paper. On so easy a task all"
            " may be near the end after 2,000 steps, where less is left to gain than the margin."
        ),
        N_("batches of three sizes: a step over N machines reads N batches"),
    ),
}
