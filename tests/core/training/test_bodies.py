"""Models that start from the body of another."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint, save_checkpoint
from core.config import Activation, Head
from core.errors import ConfigError
from core.models.architectures.electra import electra_config
from core.models.registry import build
from core.training.bodies import Copied, body_sizes, from_body
from core.training.recipes import RECIPES


def begun(objective: str, body: Checkpoint, **sizes: int) -> tuple[Checkpoint, Copied]:
    recipe = RECIPES[objective]
    chosen = replace(body_sizes(body.config, recipe), **cast(Any, sizes))
    return from_body(recipe, body, chosen, seed=0)


@pytest.mark.parametrize("objective", ["rtd", "structbert", "spanbert", "multitask"])
def test_the_body_reads_as_it_did(objective: str, tiny_checkpoint: Checkpoint) -> None:
    start, copied = begun(objective, tiny_checkpoint)
    assert start.config.system == RECIPES[objective].system
    assert start.config.embedding.output_width is None
    assert start.tokenizer is tiny_checkpoint.tokenizer
    RECIPES[objective].check(start.config)
    read = start.tokenizer.encode("the cat sat", "it was open")
    ids, segments = torch.tensor([read.ids]), torch.tensor([read.segments])
    one, two = cast(Any, start.model), cast(Any, tiny_checkpoint.model)
    assert torch.equal(one.encode(ids, segments), two.encode(ids, segments))
    assert {"embedding", "encoder"} <= copied.copied.keys()
    assert not {"embedding", "encoder"} & copied.fresh.keys()
    if Head.MASKED_LANGUAGE in start.config.heads:
        hidden = two.encode(ids, segments)
        assert torch.equal(one.score_words(hidden), two.score_words(hidden))
        assert "masked_language" in copied.copied


def test_what_was_copied_is_counted(tiny_checkpoint: Checkpoint) -> None:
    start, copied = begun("rtd", tiny_checkpoint)
    assert copied.fresh == {"replaced_token": 32 * 32 + 32 + 32 + 1}
    total = sum(value.numel() for value in start.model.parameters())
    assert sum(copied.copied.values()) == total - 1089
    assert str(copied).endswith("fresh: 1,089 parameters (replaced_token 1,089)")


def test_a_student_takes_every_second_layer(tiny_checkpoint: Checkpoint) -> None:
    stack = tiny_checkpoint.config.encoder
    assert stack is not None
    config = replace(tiny_checkpoint.config, encoder=replace(stack, plan=tuple(range(6))))
    torch.manual_seed(1)
    teacher = replace(tiny_checkpoint, config=config, model=build(config).eval())
    assert body_sizes(config, RECIPES["distill"]).layers == 3
    student, copied = begun("distill", teacher)
    assert copied.fresh == {}
    theirs, ours = teacher.model.state_dict(), student.model.state_dict()
    for number, of_teacher in enumerate((0, 2, 4)):
        prefix = f"encoder.layers.{number}."
        names = [name for name in ours if name.startswith(prefix)]
        assert names
        for name in names:
            other = name.replace(prefix, f"encoder.layers.{of_teacher}.")
            assert torch.equal(ours[name], theirs[other])
    read = student.tokenizer.encode("the cat sat")
    ids = torch.tensor([read.ids])
    one, two = cast(Any, student.model), cast(Any, teacher.model)
    torch.testing.assert_close(one.embedding(ids), two.embedding(ids))
    hidden = one.encode(ids)
    assert torch.equal(one.score_words(hidden), two.score_words(hidden))
    assert torch.equal(theirs["embedding.segment_table.weight"], two.embedding.segment_table.weight)


def test_other_depths_take_the_first_layers_or_start_some_anew(tiny_checkpoint: Checkpoint) -> None:
    theirs = tiny_checkpoint.model.state_dict()
    shorter, _ = begun("structbert", tiny_checkpoint, layers=2)
    for name, value in shorter.model.state_dict().items():
        if name.startswith("encoder."):
            assert torch.equal(value, theirs[name])
    longer, copied = begun("structbert", tiny_checkpoint, layers=4)
    assert longer.config.encoder is not None
    assert longer.config.encoder.depth == 4
    assert copied.fresh["encoder"] * 3 == copied.copied["encoder"]


def test_functions_and_widths_come_with_the_weights(tiny_checkpoint: Checkpoint) -> None:
    config = electra_config(
        vocabulary=tiny_checkpoint.config.embedding.vocabulary,
        embedding_width=16,
        width=32,
        heads=4,
        layers=2,
        max_positions=64,
        activation=Activation.RELU,
        norm_epsilon=1e-6,
    )
    body = replace(tiny_checkpoint, config=config, model=build(config).eval())
    start, copied = begun("rtd", body)
    assert start.config == config
    assert copied.fresh == {}
    with pytest.raises(ConfigError, match="16 wide and its layers 32"):
        begun("structbert", body)
    with pytest.raises(ConfigError, match=r"tables 16 wide .* tables of 64"):
        begun("rtd", body, width=64)


@pytest.mark.parametrize("objective", ["clm", "sop", "permutation", "translation"])
def test_systems_that_read_otherwise_are_refused(
    objective: str, tiny_checkpoint: Checkpoint
) -> None:
    with pytest.raises(ConfigError, match="the body of a bert is no beginning for a"):
        begun(objective, tiny_checkpoint)


def test_the_command_starts_from_a_body(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")

    def train(objective: str, *flags: str) -> int:
        words = f"--steps 1 --batch-tokens 640 --data {corpus_file} --run {tmp_path / 'run'}"
        out = f"--out {tmp_path / objective}"
        return main(["train", objective, *words.split(), *out.split(), *flags])

    bert = str(tiny_checkpoint_folder)
    assert train("structbert", "--body", bert, "--rate", "1e-9") == 0
    assert "fresh: 99 parameters (sentence_structure 99)" in capsys.readouterr().err
    assert train("distill", "--teacher", bert, "--layers", "1") == 0
    assert "fresh: nothing" in capsys.readouterr().err
    policy = LoadPolicy(roots=(tmp_path,))
    student = load_checkpoint(str(tmp_path / "distill"), device="cpu", policy=policy)
    assert student.config.system == "distilbert"
    assert student.config.encoder is not None
    assert student.config.encoder.depth == 1
    assert train("structbert", "--body", bert, "--start", bert) == BAD_INPUT
    assert "--start, or --body, or fresh" in capsys.readouterr().err


def test_a_model_begun_so_can_be_saved(tiny_checkpoint: Checkpoint, tmp_path: Path) -> None:
    start, _ = begun("rtd", tiny_checkpoint)
    save_checkpoint(start.model, start.config, start.tokenizer, tmp_path / "electra")
    policy = LoadPolicy(roots=(tmp_path,))
    saved = load_checkpoint(str(tmp_path / "electra"), device="cpu", policy=policy)
    expected = start.model.state_dict()
    assert saved.config.system == "electra"
    assert saved.model.state_dict().keys() == expected.keys()
    for name, value in saved.model.state_dict().items():
        assert torch.equal(value, expected[name].half().float()), name  # saved in half precision
