"""What the lab trains for a reader who wants to see a finding now, in a minute."""

from __future__ import annotations

from app.lab.plan import Compare, Plan
from core.experiments.run import settings_of
from core.experiments.table import Experiment
from core.lab.settings import LabSettings

STEPS = 300  # of the 2,000 of the recorded ones
WARM_UP = 75

_COMPARED = {
    "warm-up": Compare.NORMS,
    "first-gradients": Compare.DEPTH,
    "learning-rate": Compare.RATE,
    "batch-size": Compare.BATCH,
    "max-length": Compare.NOTHING,
    "averaging": Compare.SEED,
    "accumulation": Compare.BATCH,
}
_SPECIAL: dict[str, dict[str, float]] = {
    "learning-rate": {"peak_rate": 2e-3},
    "first-gradients": {"steps": 20, "warm_up": 5, "depth": 6},
}


def smaller_plan(experiment: Experiment) -> Plan:
    """A plan of the lab with an experiment's own settings, but for the length of its runs."""
    usual = settings_of(experiment, experiment.settings[0], 0).as_json()
    shared = {name: value for name, value in usual.items() if name in experiment.lab}
    changes: dict[str, float] = {
        "steps": STEPS,
        "warm_up": WARM_UP,
        **_SPECIAL.get(experiment.name, {}),
    }
    base = LabSettings.from_json({**shared, **changes})
    return Plan(_COMPARED.get(experiment.name, Compare.NOTHING), base)
