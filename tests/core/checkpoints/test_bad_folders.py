"""Every folder that is no checkpoint gets its own error, quickly, and fills no memory."""

import json
import resource
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.checkpoints import (
    Checkpoint,
    CheckpointNotAllowedError,
    DamagedFileError,
    ForeignFamilyError,
    MissingKeyError,
    MissingShardError,
    NoRowError,
    NotACheckpointError,
    NotFiniteError,
    NumberTypeError,
    PickleRefusedError,
    ShapeMismatchError,
    TooLargeError,
    UnknownKeyError,
)
from core.tasks.forward import encode
from core.tokenisation import TokenizerFileError

INDEX = "model.safetensors.index.json"
SHARD = "model-00001-of-00001.safetensors"

Load = Callable[..., Checkpoint]
ChangeJson = Callable[..., None]


@pytest.fixture(autouse=True)
def _quick_and_small() -> Iterator[None]:
    started, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - started < 5
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # kilobytes
    assert grown < 200_000


def change_tensors(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Change the tensors of the only shard; the index follows."""
    tensors = load_file(folder / SHARD)
    change(tensors)
    save_file(tensors, folder / SHARD, metadata={"format": "pt"})
    (folder / INDEX).write_text(json.dumps({"weight_map": dict.fromkeys(tensors, SHARD)}))


def test_the_folder_is_healthy_before(folder: Path, load: Load) -> None:
    assert load(folder).config.system == "bert"


@pytest.mark.parametrize("file", ["config.json", INDEX, "tokenizer.json"])
def test_a_missing_file_is_named(file: str, folder: Path, load: Load) -> None:
    (folder / file).unlink()
    missing = "model.safetensors" if file == INDEX else file
    with pytest.raises(NotACheckpointError, match=missing) as caught:
        load(folder)
    assert caught.value.missing == missing


def test_an_empty_folder(tmp_path: Path, load: Load) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotACheckpointError):
        load(tmp_path / "empty")


@pytest.mark.parametrize(
    "pickle", ["pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "model.ckpt"]
)
def test_only_a_pickle(pickle: str, folder: Path, load: Load) -> None:
    (folder / INDEX).unlink()
    (folder / SHARD).unlink()
    (folder / pickle).write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(PickleRefusedError, match="convert") as caught:
        load(folder)
    assert caught.value.file == pickle


def test_a_pickle_under_another_name(folder: Path, load: Load) -> None:
    (folder / "model.safetensors").write_bytes(b"\x80\x04\x95cos\nsystem\n(S'id'\ntR.")
    with pytest.raises(DamagedFileError):
        load(folder)


def test_a_missing_shard(folder: Path, load: Load) -> None:
    (folder / SHARD).unlink()
    with pytest.raises(MissingShardError, match=SHARD) as caught:
        load(folder)
    assert caught.value.file == SHARD


@pytest.mark.parametrize("kept", [0, 7, 100, -1])
def test_a_cut_off_shard(kept: int, folder: Path, load: Load) -> None:
    (folder / SHARD).write_bytes((folder / SHARD).read_bytes()[:kept])
    with pytest.raises(DamagedFileError, match=SHARD):
        load(folder)


def test_a_shard_overwritten_with_noise(folder: Path, load: Load) -> None:
    content = bytearray((folder / SHARD).read_bytes())
    content[-4_000:] = b"\xff" * 4_000
    (folder / SHARD).write_bytes(content)
    with pytest.raises(NotFiniteError, match="no numbers"):
        load(folder)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.safetensors",
        "/etc/passwd",
        "sub/model.safetensors",
        "..\\outside.safetensors",
        "..",
        "",
        "pytorch_model.bin",
    ],
)
def test_a_shard_elsewhere(name: str, folder: Path, load: Load) -> None:
    (folder.parent / "outside.safetensors").write_bytes((folder / SHARD).read_bytes())
    index = json.loads((folder / INDEX).read_text())
    index["weight_map"] = dict.fromkeys(index["weight_map"], name)
    (folder / INDEX).write_text(json.dumps(index))
    with pytest.raises(CheckpointNotAllowedError, match="beside its index"):
        load(folder)


@pytest.mark.parametrize("name", ["a\0.safetensors", "x" * 5_000 + ".safetensors"])
def test_an_impossible_shard_name(name: str, folder: Path, load: Load) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(MissingShardError) as caught:
        load(folder)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("file", ["config.json", INDEX, SHARD, "tokenizer.json", "card.md"])
def test_links_out_of_the_folder(file: str, folder: Path, load: Load) -> None:
    outside = folder.parent / f"outside-{file}"
    if file == "card.md":
        outside.write_text("secret")
    else:
        (folder / file).rename(outside)
    (folder / file).symlink_to(outside)
    with pytest.raises(CheckpointNotAllowedError, match="leads out"):
        load(folder)


def test_a_link_within_the_folder_is_fine(folder: Path, load: Load) -> None:
    (folder / SHARD).rename(folder / "blob")
    (folder / SHARD).symlink_to("blob")
    assert load(folder)


def test_a_link_to_itself(folder: Path, load: Load) -> None:
    (folder / SHARD).unlink()
    (folder / SHARD).symlink_to(SHARD)
    with pytest.raises(MissingShardError):
        load(folder)


def test_a_folder_in_the_place_of_a_file(folder: Path, load: Load) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").mkdir()
    with pytest.raises(NotACheckpointError):
        load(folder)


@pytest.mark.parametrize("file", ["config.json", INDEX])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'"text"', b"1" * 5000]
)
def test_json_that_is_none(file: str, content: bytes, folder: Path, load: Load) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(DamagedFileError) as caught:
        load(folder)
    assert caught.value.file == file


@pytest.mark.parametrize("places", [None, {}, [], {"a": 3}, {"a": None}])
def test_an_index_without_places(places: object, folder: Path, load: Load) -> None:
    (folder / INDEX).write_text(json.dumps({"weight_map": places}))
    with pytest.raises(DamagedFileError, match=INDEX):
        load(folder)


def test_an_index_that_contradicts_its_shards(folder: Path, load: Load) -> None:
    index = json.loads((folder / INDEX).read_text())
    del index["weight_map"]["cls.predictions.bias"]
    (folder / INDEX).write_text(json.dumps(index))
    with pytest.raises(DamagedFileError, match="1 differ"):
        load(folder)


def test_a_tensor_in_two_shards(folder: Path, load: Load) -> None:
    second = "model-00002-of-00002.safetensors"
    save_file({"cls.predictions.bias": torch.zeros(3), "more": torch.zeros(1)}, folder / second)
    index = json.loads((folder / INDEX).read_text())
    index["weight_map"]["more"] = second
    (folder / INDEX).write_text(json.dumps(index))
    with pytest.raises(DamagedFileError, match=INDEX):
        load(folder)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"model": {"type": "None"}}'])
def test_a_tokenizer_that_is_none(content: bytes, folder: Path, load: Load) -> None:
    (folder / "tokenizer.json").write_bytes(content)
    with pytest.raises(TokenizerFileError):
        load(folder)


def test_a_config_of_another_family(folder: Path, load: Load, change_json: ChangeJson) -> None:
    change_json("config.json", model_type="mamba")
    with pytest.raises(ForeignFamilyError, match=r"'mamba'.*bert") as caught:
        load(folder)
    assert caught.value.found == "mamba"


def test_a_config_without_a_size(folder: Path, load: Load, change_json: ChangeJson) -> None:
    """What is not said is what transformers takes, and the tensors then have another shape."""
    change_json("config.json", hidden_size=None)
    with pytest.raises(ShapeMismatchError, match="768"):
        load(folder)


@pytest.mark.parametrize(
    "sizes",
    [
        {"vocab_size": 10**15},
        {"vocab_size": 900_000, "hidden_size": 60_000},
        {"num_hidden_layers": 10**9},
        {"num_hidden_layers": 1000, "hidden_size": 8192, "intermediate_size": 65_536},
        {"max_position_embeddings": 10**12},
        {"type_vocab_size": 10**12},
    ],
    ids=str,
)
def test_sizes_that_would_fill_the_memory(
    sizes: dict[str, int], folder: Path, load: Load, change_json: ChangeJson
) -> None:
    change_json("config.json", **sizes)
    with pytest.raises(TooLargeError) as caught:
        load(folder)
    assert caught.value.needed > caught.value.limit
    assert f"{caught.value.limit:,}" in str(caught.value)


def test_limits_of_the_policy(folder: Path, load: Load) -> None:
    checkpoint = load(folder)
    parameters = sum(one.numel() for one in checkpoint.model.parameters())
    assert load(folder, max_bytes=checkpoint.size_bytes, max_parameters=parameters)
    with pytest.raises(TooLargeError, match="bytes"):
        load(folder, max_bytes=checkpoint.size_bytes - 1)
    with pytest.raises(TooLargeError, match="parameters"):
        load(folder, max_parameters=parameters - 1)


@pytest.mark.parametrize(
    "file", ["config.json", INDEX, "tokenizer.json", "tokenizer_config.json", "card.md"]
)
def test_small_files_have_limits(file: str, folder: Path, load: Load) -> None:
    if file == "tokenizer_config.json":  # read together with a list of words only
        (folder / "tokenizer.json").unlink()
        (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    with (folder / file).open("ab") as content:
        content.truncate(10**10)  # sparse: takes no room on the disk
    with pytest.raises(TooLargeError, match=file):
        load(folder)


def test_shapes_unlike_the_config(folder: Path, load: Load, change_json: ChangeJson) -> None:
    change_json("config.json", max_position_embeddings=319)
    with pytest.raises(ShapeMismatchError) as caught:
        load(folder)
    assert caught.value.key == "bert.embeddings.position_embeddings.weight"
    assert caught.value.found == (320, 32)
    assert caught.value.expected == (319, 32)


def test_fewer_layers_than_the_config(folder: Path, load: Load, change_json: ChangeJson) -> None:
    change_json("config.json", num_hidden_layers=4)
    with pytest.raises(MissingKeyError, match=r"bert\.encoder\.layer\.3\.") as caught:
        load(folder)
    assert len(caught.value.keys) == 16
    assert "13 more" in str(caught.value)


def test_more_layers_than_the_config(folder: Path, load: Load, change_json: ChangeJson) -> None:
    change_json("config.json", num_hidden_layers=2)
    with pytest.raises(UnknownKeyError, match=r"bert\.encoder\.layer\.2\.") as caught:
        load(folder)
    assert len(caught.value.keys) == 16


@pytest.mark.parametrize(
    "key",
    [
        "bert.pooler.dense.bias",
        "bert.encoder.layer.1.attention.self.key.weight",
        "cls.predictions.bias",
        "cls.seq_relationship.weight",
    ],
)
def test_a_missing_tensor_is_named(key: str, folder: Path, load: Load) -> None:
    change_tensors(folder, lambda tensors: tensors.pop(key))
    with pytest.raises(MissingKeyError) as caught:
        load(folder)
    assert caught.value.keys == (key,)


def test_a_head_that_is_only_promised_is_left_out(
    folder: Path, load: Load, change_json: ChangeJson
) -> None:
    def cut(tensors: dict[str, Tensor]) -> None:
        for key in [key for key in tensors if key.startswith("cls.seq_relationship")]:
            del tensors[key]

    change_tensors(folder, cut)
    change_json("config.json", architectures=["BertForPreTraining"])
    assert [head.value for head in load(folder).config.heads] == ["masked_language"]


@pytest.mark.parametrize(
    "key", ["bert.embeddings.extra", "bert.extra", "encoder.layer.0.adapter.weight"]
)
def test_an_unknown_tensor_is_named(key: str, folder: Path, load: Load) -> None:
    change_tensors(folder, lambda tensors: tensors.update({key: torch.zeros(2)}))
    with pytest.raises(UnknownKeyError) as caught:
        load(folder)
    assert caught.value.keys == (key,)


def test_repeated_weights_are_equal_or_an_output_matrix(folder: Path, load: Load) -> None:
    table, alias = "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"
    change_tensors(folder, lambda tensors: tensors.update({alias: tensors[table].clone()}))
    assert load(folder)
    change_tensors(folder, lambda tensors: tensors[alias][0, 0].add_(1))
    assert not load(folder).config.tied
    change_tensors(folder, lambda tensors: tensors.update({alias: torch.zeros(3, 32)}))
    with pytest.raises(ShapeMismatchError):
        load(folder)


def test_weights_of_whole_numbers(folder: Path, load: Load) -> None:
    key = "cls.predictions.bias"
    change_tensors(folder, lambda tensors: tensors.update({key: tensors[key].to(torch.int64)}))
    with pytest.raises(NumberTypeError, match="I64"):
        load(folder)


def test_a_header_that_lies_about_a_tensor(folder: Path, load: Load) -> None:
    content = (folder / SHARD).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header["cls.predictions.bias"]["shape"] = [10**12]
    text = json.dumps(header).encode()
    (folder / SHARD).write_bytes(struct.pack("<Q", len(text)) + text + content[8 + length :])
    with pytest.raises(DamagedFileError, match="number of bytes"):
        load(folder)


def test_a_token_without_a_row_is_refused_where_it_is_read(
    folder: Path, load: Load, change_json: ChangeJson
) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["far"] = 10**6
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    checkpoint = load(folder)
    assert encode(checkpoint, "a").ids
    with pytest.raises(NoRowError, match=r"'far'.*1,000,000") as caught:
        encode(checkpoint, "a far a")
    assert caught.value.rows == checkpoint.config.embedding.vocabulary
