"""Replaced tokens from a BERT's body: both networks are exported."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from core.__main__ import main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.config import Head
from core.models.architectures.electra import electra_config
from core.models.electra_pair import ElectraPair
from core.models.registry import build
from core.training.fresh import GENERATOR_SHARE, generator_config, with_generator

TABLES = ("token_table.weight", "position_table.table.weight", "segment_table.weight")


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


class Train:
    """Runs the verb for both networks; ``name`` is the folder of the run."""

    def __init__(self, body: Path, corpus: Path, folder: Path) -> None:
        self.folder, self.body = folder, body
        self.words = f"--body {body} --data {corpus} --batch-tokens 640 --report-every 2"

    def __call__(self, name: str, flags: str) -> tuple[Checkpoint, Checkpoint]:
        paths = [self.folder / f"{name}{end}" for end in ("", "-electra", "-generator")]
        folders = f"--run {paths[0]} --out {paths[1]} --generator-out {paths[2]}"
        assert main(["train", "rtd", *f"{self.words} {folders} {flags}".split()]) == 0
        return opened(paths[1]), opened(paths[2])

    def events(self, name: str) -> list[Any]:
        lines = (self.folder / name / "events.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def train(
    tiny_checkpoint_folder: Path, corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Train:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    return Train(tiny_checkpoint_folder, corpus_file, tmp_path)


def test_a_third_of_12_heads_are_4_as_wide_as_they_were() -> None:
    config = electra_config(vocabulary=50, embedding_width=384, width=384, heads=12, layers=6)
    small = generator_config(config, 3)
    assert small.encoder is not None
    layer = small.encoder.layer
    assert (small.encoder.depth, layer.width, layer.feed_forward.hidden) == (6, 128, 512)
    assert (layer.attention.heads, layer.attention.head_size) == (4, 32)
    assert (small.embedding.width, small.embedding.output_width) == (384, 128)
    assert small.heads == (Head.MASKED_LANGUAGE,)
    pair = cast(ElectraPair, with_generator(build(config), GENERATOR_SHARE))
    assert pair.generator.encoder_config.layer.width == 96


def test_both_networks_are_exported_with_the_tables_that_they_shared(train: Train) -> None:
    electra, generator = train("run", "--steps 4 --generator-share 2")
    assert (electra.config.system, generator.config.system) == ("electra", "electra")
    assert electra.config.heads == (Head.REPLACED_TOKEN,)
    assert generator.config == generator_config(electra.config, 2)
    assert generator.config.embedding.dropout == 0.1, "that of the start, not of the training"
    ours, theirs = electra.model.state_dict(), generator.model.state_dict()
    for table in TABLES:
        assert torch.equal(ours[f"embedding.{table}"], theirs[f"embedding.{table}"])


def test_resuming_and_means_take_in_both(train: Train) -> None:
    flags = "--generator-share 2 --average 2 --save-steps 2 --rate 1e-2"
    whole = train("whole", f"--steps 6 {flags}")
    train("run", f"--steps 6 {flags} --stop-after 0")
    resumed = train("run", f"--steps 6 {flags} --resume")
    last = train("last", "--steps 6 --generator-share 2 --rate 1e-2 --save-steps 2")
    for one, two, three in zip(whole, resumed, last, strict=True):
        states: list[dict[str, Tensor]] = [each.model.state_dict() for each in (one, two, three)]
        assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
        changed = [name for name in states[0] if not torch.equal(states[0][name], states[2][name])]
        assert any(name.startswith("encoder.") for name in changed)


def test_a_generator_learns_alone_and_the_tables_stay(train: Train) -> None:
    electra, generator = train("alone", "--steps 4 --generator-alone --rate 1e-2")
    began = opened(train.body).model.state_dict()
    ours, theirs = electra.model.state_dict(), generator.model.state_dict()
    copied = [name for name in ours if not name.startswith("replaced_token.")]
    assert all(torch.equal(ours[name], began[name].half().float()) for name in copied)
    for table in TABLES:
        assert torch.equal(theirs[f"embedding.{table}"], ours[f"embedding.{table}"])
    assert set(train.events("alone")[0]["losses"]) == {"loss", "masked"}

    train("fresh", "--steps 1 --report-every 1")
    train("begun", f"--steps 1 --report-every 1 --generator {generator.folder}")
    fresh, begun = (train.events(name)[0]["losses"]["masked"] for name in ("fresh", "begun"))
    assert begun < fresh - 0.1, "it goes on from what it knows"


def test_a_generator_of_another_shape_is_refused(
    train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    _, generator = train("run", "--steps 1 --generator-share 2")
    words = f"{train.words} --run {train.folder}/r --out {train.folder}/o --steps 1"
    told = ["train", "rtd", *words.split(), "--generator", str(generator.folder)]
    assert main([*told, "--generator-share", "1"]) != 0
    assert "of 1 in 1 heads" in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--generator-alone", "--generator BODY", "--generator-heat 2"])
def test_only_replaced_tokens_have_a_generator(
    train: Train, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"{train.words} --run {train.folder}/run --out {train.folder}/out --steps 2"
    flags = flag.replace("BODY", str(train.body)).split()
    assert main(["train", "mlm", *words.split(), *flags]) != 0
    assert "beside a generator" in capsys.readouterr().err


@pytest.mark.parity
def test_transformers_opens_both(train: Train) -> None:
    import transformers

    electra, generator = train("run", "--steps 2 --generator-share 2")
    read = electra.tokenizer.encode("The cat sat.", "It was tired.")
    batch = {
        "input_ids": torch.tensor([read.ids]),
        "token_type_ids": torch.tensor([read.segments]),
    }
    for kind, ours, output in (
        (transformers.ElectraForPreTraining, electra, "replaced_logits"),
        (transformers.ElectraForMaskedLM, generator, "logits"),
    ):
        theirs, report = cast(Any, kind).from_pretrained(
            ours.folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
        )
        assert not report["missing_keys"]
        assert not report["unexpected_keys"]
        with torch.inference_mode():
            expected = theirs.eval()(**batch).logits
            found = getattr(ours.model(*batch.values()), output)
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=0)
