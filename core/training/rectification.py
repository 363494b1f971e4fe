"""How far RAdam trusts the adaptive rate: its variance rectification term.

Liu et al. 2020, "On the Variance of the Adaptive Learning Rate and Beyond" (arXiv 1908.03265),
section 4. Adam divides by the root of a moving average of squared gradients. After few steps that
average rests on few gradients and its root varies widely, and with it the length of a step. RAdam
multiplies the step by a term below 1 that brings the variance down to that of the long run.
"""

from __future__ import annotations

import math

from core.errors import ConfigError

TRACTABLE = 4.0  # degrees of freedom that the variance needs to be finite


def degrees_of_freedom(step: int, beta: float) -> float:
    """Over how many gradients the moving average of their squares runs: ``rho_t``, algorithm 2.

    Args:
        step: counted from 1.
        beta: decay of the average, Adam's second one, in (0, 1).

    Raises:
        ConfigError: a number out of its range.
    """
    if step < 1:
        raise ConfigError(f"steps are counted from 1; there is none of number {step}")
    decay = beta**step
    return most_degrees_of_freedom(beta) - 2.0 * step * decay / (1.0 - decay)


def most_degrees_of_freedom(beta: float) -> float:
    """What the degrees of freedom come close to in a long run: ``rho_infinity``.

    Raises:
        ConfigError: the decay is not in (0, 1).
    """
    if not 0.0 < beta < 1.0:
        raise ConfigError(f"the decay of a moving average must be in (0, 1), not {beta}")
    return 2.0 / (1.0 - beta) - 1.0


def rectification(step: int, beta: float) -> float | None:
    """The factor ``r_t`` on an adaptive step, in (0, 1); its square is a ratio of two variances.

    ``None`` where the variance is infinite (4 degrees of freedom or fewer): RAdam then takes no
    adaptive step but one by momentum alone. With decays of use that is before step 5.
    PyTorch waits for more than 5 degrees, that is until step 6.

    Args:
        step, beta: as in :func:`degrees_of_freedom`.
    """
    now, most = degrees_of_freedom(step, beta), most_degrees_of_freedom(beta)
    if now <= TRACTABLE:
        return None
    return math.sqrt((now - 4.0) * (now - 2.0) * most / ((most - 4.0) * (most - 2.0) * now))
