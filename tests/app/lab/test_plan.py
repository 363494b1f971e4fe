"""Plans: how they stand in the address, and the runs they make."""

import pytest

from app.lab.lab import MOST_OF_ONE_READER
from app.lab.plan import Compare, Plan, differences, read_plan, write_plan
from app.scenes import scenes_of
from app.sections.warm_up.words import names_of
from core.config import NormPlacement
from core.errors import ConfigError
from core.lab.settings import LabSettings
from core.lab.tasks import Task
from core.training.optimisers import Method
from core.training.schedules import Shape


@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        Plan(Compare.SEED, LabSettings(seed=3, warm_up=0)),
        Plan(Compare.NORMS, LabSettings(task=Task.SORT, peak_rate=5e-4, steps=2_000, depth=2)),
        Plan(Compare.NOTHING, LabSettings(steps=20, warm_up=6, shape=Shape.INVERSE_ROOT)),
        Plan(Compare.WIDTH, LabSettings(steps=1_000, warm_up=900, method=Method.RADAM)),
    ],
)
def test_what_is_written_is_read_again(plan):
    assert read_plan(write_plan(plan)) == plan


def test_the_default_is_written_as_nothing():
    assert write_plan(Plan()) == ""


@pytest.mark.parametrize(
    "junk",
    ["x", "steps-", "steps-1e9", "depth-99", "norm-sideways", "warm_up-700", "...", "compare-x"],
)
def test_junk_is_passed_over(junk):
    assert read_plan(f"{junk}.task-copy").base.task in (Task.COPY, Task.NUMBERS)
    assert read_plan(junk) == Plan()


@pytest.mark.parametrize("compare", Compare)
def test_every_comparison_makes_runs_that_differ(compare):
    runs = Plan(compare).runs()
    assert len(set(runs)) == len(runs) <= MOST_OF_ONE_READER
    assert (len(runs) > 1) == (compare is not Compare.NOTHING)
    names = names_of(runs)
    assert len(set(names)) == len(names)


def test_the_runs_of_the_lecture():
    runs = Plan(Compare.NORMS).runs()
    assert [(run.norm, run.warm_up) for run in runs] == [
        (NormPlacement.POST, 0),
        (NormPlacement.POST, 200),
        (NormPlacement.PRE, 0),
        (NormPlacement.PRE, 200),
    ]
    assert names_of(runs)[0] == "post-norm, no warm-up"
    assert set(differences(runs)[0]) == {"norm", "warm_up"}


def test_without_a_warm_up_there_is_nothing_to_compare():
    assert len(Plan(Compare.WARM_UP, LabSettings(warm_up=0)).runs()) == 1


def test_a_run_without_warm_up_cannot_fall_with_the_root():
    with pytest.raises(ConfigError, match="needs a warm-up"):
        Plan(Compare.WARM_UP, LabSettings(shape=Shape.INVERSE_ROOT)).runs()


def test_every_scene_of_the_page_describes_a_plan():
    written = [str(scene.settings["lab"]) for scene in scenes_of("warm_up")]
    plans = [read_plan(one) for one in written]
    assert len(set(plans)) == len(plans)
    for plan, one in zip(plans, written, strict=True):
        assert set(write_plan(plan).split(".")) == set(one.split("."))
        assert plan.runs()
