"""The bundled checkpoints: transformers opens them and agrees in float32."""

import subprocess

import pytest

from core.checkpoints.catalogue import BUNDLED_FOLDER, bundled
from core.parity import COMPARISONS, LENGTHS, compare_bundled

pytestmark = pytest.mark.parity


def committed() -> set[str]:
    """Folders that Git knows about; in a copy without Git, those that are there."""
    listing = subprocess.run(
        ["git", "ls-files", "--", str(BUNDLED_FOLDER)],
        cwd=BUNDLED_FOLDER.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        return {path.name for path in BUNDLED_FOLDER.glob("*/")}
    return {line.split("/")[2] for line in listing.stdout.splitlines() if line.count("/") > 2}


def test_every_committed_checkpoint_is_offered() -> None:
    assert committed() <= {entry.name for entry in bundled()}


@pytest.mark.parametrize("system", COMPARISONS)
def test_transformers_agrees_on_the_bundled_checkpoints(system: str) -> None:
    """One row a checkpoint and length: none is missing, none is off."""
    rows = list(compare_bundled(COMPARISONS[system]))
    names = [entry.name for entry in bundled() if entry.system == system]
    assert [(row.part, row.length) for row in rows] == [
        (f"bundled checkpoint {name}", length) for name in names for length in LENGTHS
    ]
    assert [row for row in rows if not row.agrees] == []
