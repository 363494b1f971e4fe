"""What a loaded checkpoint is."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from core.checkpoints import Checkpoint, LoadPolicy, fingerprint, load_checkpoint
from core.hooks import capture

Load = Callable[..., Checkpoint]


def test_a_checkpoint_is_ready_to_run(folder: Path, load: Load) -> None:
    checkpoint = load(folder)
    assert checkpoint.name == str(folder)
    assert checkpoint.folder == folder.resolve()
    assert checkpoint.card is None
    assert checkpoint.size_bytes == sum(one.stat().st_size for one in folder.glob("*.safetensors"))
    assert not any(module.training for module in checkpoint.model.modules())
    assert {one.device.type for one in checkpoint.model.parameters()} == {"cpu"}
    with capture(["encoder.layers.2.attention.pattern"]) as trace, torch.inference_mode():
        checkpoint.model(torch.tensor([[2, 5, 3]]))
    assert trace["encoder.layers.2.attention.pattern"].shape == (1, 4, 3, 3)


def test_another_precision_in_memory(tiny_checkpoint_folder: Path) -> None:
    policy = LoadPolicy(roots=(tiny_checkpoint_folder.parent,))
    checkpoint = load_checkpoint("tiny", device="cpu", dtype=torch.bfloat16, policy=policy)
    assert {one.dtype for one in checkpoint.model.parameters()} == {torch.bfloat16}


def test_one_file_loads_like_shards(folder: Path, load: Load) -> None:
    before = load(folder).model.state_dict()
    (shard,) = folder.glob("model-*.safetensors")
    shard.rename(folder / "model.safetensors")
    (folder / "model.safetensors.index.json").unlink()
    after = load(folder).model.state_dict()
    assert all(torch.equal(tensor, after[key]) for key, tensor in before.items())


def test_the_weights_do_not_hang_on_the_file(folder: Path, load: Load) -> None:
    checkpoint = load(folder)
    before = {key: one.clone() for key, one in checkpoint.model.state_dict().items()}
    (shard,) = folder.glob("model-*.safetensors")
    size = shard.stat().st_size
    with shard.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\x11" * (size // 3))
    after = checkpoint.model.state_dict()
    assert all(torch.equal(tensor, after[key]) for key, tensor in before.items())


def test_other_files_are_left_alone(folder: Path, load: Load) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04not opened")
    (folder / "modeling_evil.py").write_text("raise SystemExit")
    (folder / "onnx").mkdir()
    (folder / "card.md").write_bytes("# Tiny\n\nMäuse\xff".encode("latin-1"))
    checkpoint = load(folder)
    assert checkpoint.card is not None
    assert checkpoint.card.startswith("# Tiny\n\nM")


def test_remote_code_is_not_followed(
    folder: Path, load: Load, change_json: Callable[..., None]
) -> None:
    change_json("config.json", auto_map={"AutoModel": "modeling_evil.Evil"})
    (folder / "modeling_evil.py").write_text("raise SystemExit")
    assert load(folder).config.system == "bert"


def test_the_revision_is_that_of_the_contents(folder: Path, load: Load, tmp_path: Path) -> None:
    first = load(folder)
    copy = Path(shutil.copytree(folder, tmp_path / "elsewhere", copy_function=shutil.copyfile))
    assert load(copy).revision == first.revision
    assert len(first.revision) == 16
    (shard,) = folder.glob("model-*.safetensors")
    tensors = load_file(shard)
    tensors["cls.predictions.bias"][0] += 1
    save_file(tensors, shard, metadata={"format": "pt"})
    second = load(folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    assert len({first.revision, second.revision, load(folder).revision}) == 3


def test_the_fingerprint_changes_with_the_files(folder: Path) -> None:
    before = fingerprint(folder)
    assert fingerprint(folder) == before
    (folder / "card.md").write_text("# New")
    after = fingerprint(folder)
    (folder / "broken link").symlink_to("nowhere")
    assert len({before, after, fingerprint(folder)}) == 3
