"""Writing checkpoints."""

import dataclasses
import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.checkpoints import (
    CannotSaveError,
    Checkpoint,
    VocabularyMismatchError,
    save_checkpoint,
)
from core.checkpoints.files import Folder, find_shards
from core.checkpoints.save import split_into_shards
from core.config import Head
from core.models.architectures.bert import bert_config
from core.models.registry import build

Load = Callable[..., Checkpoint]


def export(checkpoint: Checkpoint, folder: Path, **options: object) -> Path:
    parts = (checkpoint.model, checkpoint.config, checkpoint.tokenizer)
    return save_checkpoint(*parts, folder, **options)  # type: ignore[arg-type]


def test_the_files_of_a_folder(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    folder = export(tiny_checkpoint, tmp_path / "deep" / "new", card="# Größe\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        "card.md",
        "config.json",
        "model-00001-of-00001.safetensors",
        "model.safetensors.index.json",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert (folder / "card.md").read_text(encoding="utf-8") == "# Größe\n"
    settings = json.loads((folder / "config.json").read_text())
    assert settings["architectures"] == ["BertForPreTraining"]
    assert settings["dtype"] == "float16"
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert len(modes) == 1  # who may read one may read all


def test_float16_is_the_default_and_loses_only_precision(
    tiny_checkpoint: Checkpoint, tmp_path: Path, load: Load
) -> None:
    again = load(export(tiny_checkpoint, tmp_path / "new")).model.state_dict()
    for key, tensor in tiny_checkpoint.model.state_dict().items():
        assert torch.equal(again[key], tensor.half().float()), key


def test_shards_stay_below_their_limit(
    tiny_checkpoint: Checkpoint, tmp_path: Path, load: Load
) -> None:
    limit = 30_000
    folder = export(tiny_checkpoint, tmp_path / "new", shard_bytes=limit)
    shards = find_shards(Folder(folder, within=folder))
    assert len(shards) >= 3
    count = len(shards)
    for number, shard in enumerate(shards, start=1):
        assert shard.path.name == f"model-{number:05d}-of-{count:05d}.safetensors"
        assert shard.size_bytes <= limit
        assert not shard.size_bytes % 2
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    held = sum(one.end - one.begin for shard in shards for one in shard.entries.values())
    assert index["metadata"]["total_size"] == held
    assert load(folder).config == tiny_checkpoint.config


@pytest.mark.parametrize("limit", [3_000, 9_000, 14_000_000])
def test_shards_keep_the_order_and_leave_nothing_out(limit: int) -> None:
    sizes = {f"tensor {number}": 37 * number for number in range(120)}
    shards = split_into_shards(sizes, limit)
    assert [key for shard in shards for key in shard] == list(sizes)
    for shard in shards:
        assert len(shard) == 1 or sum(sizes[key] for key in shard) < limit


def test_an_oversized_tensor_is_alone() -> None:
    assert split_into_shards({"a": 10, "b": 99_999, "c": 10}, 5_000) == [["a"], ["b"], ["c"]]


def test_a_checkpoint_is_replaced_as_a_whole(
    tiny_checkpoint: Checkpoint, tmp_path: Path, load: Load
) -> None:
    folder = export(tiny_checkpoint, tmp_path / "new", shard_bytes=30_000, card="# Old")
    export(tiny_checkpoint, folder)
    assert not (folder / "card.md").exists()
    assert len(list(folder.glob("*.safetensors"))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert load(folder)


@pytest.mark.parametrize("other", ["thesis.txt", "model.py", "config.json.bak"])
def test_other_contents_are_never_replaced(
    other: str, tiny_checkpoint: Checkpoint, tmp_path: Path
) -> None:
    folder = export(tiny_checkpoint, tmp_path / "new")
    (folder / other).write_text("precious")
    with pytest.raises(CannotSaveError, match=other):
        export(tiny_checkpoint, folder)
    assert (folder / other).read_text() == "precious"


def test_a_file_or_a_link_is_not_replaced(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")
    for name in ("file", "link"):
        with pytest.raises(CannotSaveError, match="not a folder"):
            export(tiny_checkpoint, tmp_path / name)


def test_a_failure_leaves_the_old_one(
    tiny_checkpoint: Checkpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export(tiny_checkpoint, tmp_path / "new", card="# Old")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def full(*_: object, **__: object) -> bytes:
        raise OSError("no space left on device")

    monkeypatch.setattr("core.checkpoints.save.save", full)
    with pytest.raises(OSError, match="no space"):
        export(tiny_checkpoint, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize("value", [70_000.0, float("nan"), float("inf")])
def test_values_that_do_not_fit(
    value: float, tiny_checkpoint_folder: Path, load: Load, folder: Path, tmp_path: Path
) -> None:
    checkpoint = load(folder)
    with torch.no_grad():
        checkpoint.model.get_parameter("masked_language.bias")[0] = value
    with pytest.raises(CannotSaveError, match=r"cls\.predictions\.bias.*float16"):
        export(checkpoint, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_model_unlike_its_configuration(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    config = dataclasses.replace(tiny_checkpoint.config, heads=(Head.MASKED_LANGUAGE,))
    with pytest.raises(CannotSaveError, match="configuration"):
        save_checkpoint(tiny_checkpoint.model, config, tiny_checkpoint.tokenizer, tmp_path / "x")
    compiled = torch.compile(tiny_checkpoint.model)
    with pytest.raises(CannotSaveError, match="configuration"):
        save_checkpoint(
            compiled,  # type: ignore[arg-type]
            tiny_checkpoint.config,
            tiny_checkpoint.tokenizer,
            tmp_path / "x",
        )


def test_a_tokenizer_too_large_for_the_model(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    config = bert_config(vocabulary=9, layers=1, heads=2, width=4)
    with pytest.raises(VocabularyMismatchError) as caught:
        save_checkpoint(build(config), config, tiny_checkpoint.tokenizer, tmp_path / "new")
    assert caught.value.model == 9
