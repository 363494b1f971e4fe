"""Folders as tools leave them: other names of files, caches with links, adapters."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from core.checkpoints import (
    AdapterError,
    Checkpoint,
    CheckpointNotAllowedError,
    LoadPolicy,
    NotACheckpointError,
    NotAFolderError,
    NotFiniteError,
    NumberTypeError,
    SeveralFilesError,
    SubfolderError,
    load_checkpoint,
    save_checkpoint,
)
from core.config import Head, LabelChoice, LabelConfig
from core.models.architectures.roberta import roberta_config
from core.models.registry import build
from core.tokenisation import Tokenizer

INDEX, SHARD = "model.safetensors.index.json", "model-00001-of-00001.safetensors"
Load = Callable[..., Checkpoint]


def rename_weights(folder: Path, name: str) -> None:
    (folder / INDEX).unlink()
    (folder / SHARD).rename(folder / name)


@pytest.mark.parametrize("name", ["model.fp16.safetensors", "pytorch_model.safetensors"])
def test_the_only_file_of_weights_may_have_any_name(name: str, folder: Path, load: Load) -> None:
    rename_weights(folder, name)
    assert load(folder).config.system == "bert"
    (folder / "adapter_model.safetensors").write_bytes(b"")
    assert load(folder)
    (folder / "other.safetensors").write_bytes(b"")
    with pytest.raises(SeveralFilesError, match=name) as caught:
        load(folder)
    assert set(caught.value.files) == {name, "other.safetensors"}


def test_one_part_of_several_is_no_model(folder: Path, load: Load) -> None:
    rename_weights(folder, "model-00001-of-00002.safetensors")
    with pytest.raises(NotACheckpointError, match=r"model\.safetensors"):
        load(folder)


def test_the_only_file_may_not_lead_out(folder: Path, load: Load) -> None:
    rename_weights(folder, "../elsewhere.safetensors")
    (folder / "weights.safetensors").symlink_to(folder.parent / "elsewhere.safetensors")
    with pytest.raises(CheckpointNotAllowedError, match="leads out"):
        load(folder)


@pytest.mark.parametrize("base", ["google/bert", None, 3])
def test_an_adapter_is_named(base: object, tmp_path: Path, load: Load) -> None:
    folder = tmp_path / "adapter"
    folder.mkdir()
    settings = {"peft_type": "LORA", "base_model_name_or_path": base}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    with pytest.raises(AdapterError, match=r"PEFT adapter.*merge") as caught:
        load(folder)
    assert ("'google/bert'" in str(caught.value)) == (base == "google/bert")


def test_a_model_in_a_folder_beneath_is_named(folder: Path, tmp_path: Path, load: Load) -> None:
    around = tmp_path / "around"
    (around / "a file").parent.mkdir()
    (around / "a file").write_text("")
    (around / "1_Pooling").mkdir()
    (around / "a link").symlink_to(folder)
    with pytest.raises(NotACheckpointError):
        load(around)
    folder.rename(around / "0_Transformer")
    with pytest.raises(SubfolderError, match="'0_Transformer'"):
        load(around)
    assert load(around / "0_Transformer")


@pytest.mark.parametrize("file", [SHARD, "config.json"])
def test_the_name_of_a_file_asks_for_its_folder(file: str, folder: Path, load: Load) -> None:
    with pytest.raises(NotAFolderError, match="give the folder"):
        load(folder / file)
    outside = LoadPolicy(roots=(folder / "below",))
    with pytest.raises(CheckpointNotAllowedError, match="may be read"):
        load_checkpoint(str(folder / file), policy=outside)


@pytest.fixture
def snapshot(folder: Path, tmp_path: Path) -> Path:
    """The folder as ``snapshot_download`` of the hub's library leaves it."""
    model = tmp_path / "hub" / "models--owner--name"
    snapshot = model / "snapshots" / "0123abc"
    snapshot.mkdir(parents=True)
    (model / "blobs").mkdir()
    for number, file in enumerate(folder.iterdir()):
        file.rename(model / "blobs" / f"{number}")
        (snapshot / file.name).symlink_to(Path("../../blobs") / f"{number}")
    return snapshot


def test_a_snapshot_of_the_cache_opens(snapshot: Path, load: Load) -> None:
    assert load(snapshot).config.system == "bert"


def test_links_of_a_snapshot_stay_in_their_model(
    snapshot: Path, tmp_path: Path, load: Load
) -> None:
    narrow = LoadPolicy(roots=(snapshot,))
    with pytest.raises(CheckpointNotAllowedError, match="leads out"):
        load_checkpoint(str(snapshot), policy=narrow)
    other = snapshot.parents[1].with_name("models--owner--other") / "blobs"
    other.mkdir(parents=True)
    shutil.copy(snapshot / "config.json", other / "config.json")
    (snapshot / "config.json").unlink()
    (snapshot / "config.json").symlink_to(other / "config.json")
    with pytest.raises(CheckpointNotAllowedError, match="leads out"):
        load(snapshot)


def test_a_folder_that_only_looks_like_a_snapshot(snapshot: Path, load: Load) -> None:
    model = snapshot.parents[1]
    renamed = model.rename(model.with_name("name"))
    with pytest.raises(CheckpointNotAllowedError, match="leads out"):
        load(renamed / "snapshots" / snapshot.name)


@pytest.mark.parametrize(
    ("dtype", "named"),
    [(torch.float8_e4m3fn, "F8_E4M3"), (torch.float8_e5m2, "F8_E5M2"), (torch.int8, "I8")],
)
def test_sound_types_are_not_called_damage(
    dtype: torch.dtype, named: str, folder: Path, load: Load
) -> None:
    key = "bert.encoder.layer.0.output.dense.weight"
    tensors = load_file(folder / SHARD)
    save_file({**tensors, key: tensors[key].to(dtype)}, folder / SHARD)
    with pytest.raises(NumberTypeError, match=f"{named}.*BF16, F32") as caught:
        load(folder)
    assert (caught.value.file, caught.value.key) == (SHARD, key)
    assert "damaged" not in str(caught.value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_what_is_not_finite_is_named(value: float, folder: Path, load: Load) -> None:
    key = "cls.predictions.bias"
    tensors = load_file(folder / SHARD)
    tensors[key][0] = value
    save_file(tensors, folder / SHARD)
    said = "no numbers" if value != value else "infinities"
    with pytest.raises(NotFiniteError, match=said) as caught:
        load(folder)
    assert caught.value.key == key


@pytest.mark.parametrize("choice", LabelChoice)
def test_labels_survive_the_way_there_and_back(
    choice: LabelChoice, word_pieces: Tokenizer, tmp_path: Path, load: Load
) -> None:
    config = roberta_config(
        vocabulary=word_pieces.vocabulary_size,
        layers=1,
        heads=2,
        width=8,
        predicts=(Head.SEQUENCE_CLASSES,),
        labels=LabelConfig(("<b>bad</b>", "gut", "très bien"), choice),
    )
    folder = save_checkpoint(build(config), config, word_pieces, tmp_path / "labels")
    assert load(folder).config == config
