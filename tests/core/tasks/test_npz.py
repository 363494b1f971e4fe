"""The file of all numbers of a pass: what is there is written, what is not is left out."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.checkpoints import Checkpoint
from core.tasks import AttendResult, attend
from core.tasks.npz import write_npz

TEXT = "The cat sat."
COLUMNS = "texts spellings tokens pieces ids offsets segments words special".split()


def written(result: AttendResult) -> dict[str, Any]:
    file = io.BytesIO()
    write_npz(file, result, checkpoint="mine", revision="r1")
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return dict(read)


def test_a_model_of_one_kind(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    result = attend(tiny_checkpoint, TEXT, "A \N{CAT}")
    found = written(result)
    arrays = {"patterns", "masked", "positions"}
    assert found.keys() == {*COLUMNS, "checkpoint", "revision", "kinds", *arrays}
    for name in arrays:
        np.testing.assert_array_equal(found[name], getattr(result.maps[0], name))
    assert (str(found["checkpoint"]), str(found["revision"])) == ("mine", "r1")
    assert found["texts"].tolist() == [TEXT, "A \N{CAT}"]
    assert found["ids"].tolist() == list(result.encoding.ids)
    assert found["words"][0] == -1
    write_npz(tmp_path / "named", result, checkpoint="mine", revision="r1")  # without a suffix
    with np.load(tmp_path / "named", allow_pickle=False) as read:
        np.testing.assert_array_equal(read["patterns"], found["patterns"])


def test_an_order_and_two_streams(xlnet: Checkpoint) -> None:
    result = attend(xlnet, TEXT, order="random", seed=3)
    found = written(result)
    assert tuple(found["order"].tolist()) == result.order
    assert found["kinds"].tolist() == ["content", "query"]
    for name in found["kinds"]:
        np.testing.assert_array_equal(found[f"patterns.{name}"], result[name].patterns)
        np.testing.assert_array_equal(found[f"masked.{name}"], result[name].masked)
    assert not any(name.startswith("positions") for name in found)  # it has no table


@pytest.mark.parametrize("system", ["t5", "transformer"])
def test_text_to_text(system: str, request: pytest.FixtureRequest) -> None:
    result = attend(request.getfixturevalue(system), TEXT, target="A dog.")
    found = written(result)
    assert result.target is not None
    assert tuple(found["target.ids"].tolist()) == result.target.ids
    assert {f"target.{name}" for name in COLUMNS} <= found.keys()
    assert ("bias.encoder" in found) == ("bias.decoder" in found) == (system == "t5")
    assert ("positions.encoder" in found) == ("positions.decoder" in found) == (system != "t5")
    assert "positions.cross" not in found
    assert found["patterns.cross"].shape == result["cross"].patterns.shape
