"""The header of a safetensors file is believed only if it adds up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from core.checkpoints import DamagedFileError, TooLargeError
from core.checkpoints.header import TensorEntry, read_header
from core.hugging_face.limits import MAX_HEADER_BYTES

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(header: Any, data: bytes = b"", *, length: int | None = None) -> Path:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        prefix = (len(text) if length is None else length).to_bytes(8, "little")
        path = tmp_path / "model.safetensors"
        path.write_bytes(prefix + text + data)
        return path

    return write_file


def entry(shape: Any, begin: Any, end: Any, dtype: Any = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def test_it_agrees_with_the_library(tmp_path: Path) -> None:
    tensors = {
        "b": torch.rand(2, 3),
        "a": torch.rand(4).to(torch.bfloat16),
        "scalar": torch.tensor(1.5, dtype=torch.float64),
        "empty": torch.rand(0, 3).half(),
        "ids": torch.arange(5)[None],
    }
    save_file(tensors, tmp_path / "x.safetensors", metadata={"format": "pt"})
    entries = read_header(tmp_path / "x.safetensors")
    assert {key: one.shape for key, one in entries.items()} == {
        key: tuple(one.shape) for key, one in tensors.items()
    }
    assert entries["a"].dtype == "BF16"
    assert [key for key, one in entries.items() if not one.is_floating] == ["ids"]
    assert {key: one.end - one.begin for key, one in entries.items()} == {
        key: one.nbytes for key, one in tensors.items()
    }


def test_a_file_without_tensors(write: Write) -> None:
    assert read_header(write({"__metadata__": {"format": "pt"}})) == {}
    assert read_header(write({"a": entry([2], 0, 8)}, bytes(8))) == {
        "a": TensorEntry("F32", (2,), 0, 8)
    }


BAD = {
    "no JSON": b"{'a': 1}",
    "no UTF-8": b"\xff\xfe{}",
    "nested without end": b"[" * 100_000,
    "a list": [],
    "a number": 7,
    "endless digits": b'{"a": ' + b"9" * 10_000 + b"}",
    "a name twice": b'{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
    b' "a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
    "no table": {"a": 3},
    "no offsets": {"a": {"dtype": "F32", "shape": [2]}},
    "one offset": {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0]}},
    "unknown type": {"a": entry([2], 0, 8, "PICKLE")},
    "type no string": {"a": entry([2], 0, 8, 32)},
    "negative shape": {"a": entry([-2, -1], 0, 8)},
    "fractional shape": {"a": entry([2.0], 0, 8)},
    "boolean shape": {"a": entry([True, 2], 0, 8)},
    "shape no list": {"a": entry(2, 0, 8)},
    "too many dimensions": {"a": entry([1] * 8 + [2], 0, 8)},
    "negative offset": {"a": entry([2], -8, 0)},
    "offsets reversed": {"a": entry([0], 8, 0)},
    "shape larger than its bytes": {"a": entry([3], 0, 8)},
    "shape that would fill the memory": {"a": entry([10**9, 10**9], 0, 8)},
    "end beyond the file": {"a": entry([4], 0, 16)},
    "begin beyond the file": {"a": entry([2], 10**15, 10**15 + 8)},
    "bytes left over": {"a": entry([1], 0, 4)},
    "a hole": {"a": entry([1], 0, 2, "F16"), "b": entry([1], 4, 8)},
    "an overlap": {"a": entry([1], 0, 4), "b": entry([2], 0, 8)},
}


@pytest.mark.parametrize("header", BAD.values(), ids=BAD.keys())
def test_a_header_that_lies_is_refused(header: Any, write: Write) -> None:
    with pytest.raises(DamagedFileError) as caught:
        read_header(write(header, bytes(8)))
    assert caught.value.file == "model.safetensors"
    assert caught.value.problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"1234567", b"\x00" * 8, b"version https://git-lfs"])
def test_files_too_short_to_be_one(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError):
        read_header(path)


def test_a_length_beyond_the_file(write: Write) -> None:
    with pytest.raises(DamagedFileError, match=f"{2**63:,}"):
        read_header(write({}, length=2**63))


def test_a_header_over_its_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write((10**11).to_bytes(8, "little"))
        file.truncate(10**11 + 100)  # sparse: takes no room on the disk
    with pytest.raises(TooLargeError) as caught:
        read_header(path)
    assert caught.value.needed == 10**11
    assert caught.value.limit == MAX_HEADER_BYTES


def test_a_cut_off_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.rand(64)}, path)
    whole = path.read_bytes()
    for kept in (3, 8, 30, len(whole) - 1):
        path.write_bytes(whole[:kept])
        with pytest.raises(DamagedFileError):
            read_header(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(DamagedFileError):
        read_header(path)
