"""Freezing what a checkpoint does: it holds, and anything that changes breaks it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.checkpoints import Checkpoint, LoadPolicy, catalogue, load_checkpoint
from core.models.blocks.attention import Attention
from core.models.blocks.feed_forward import FeedForward
from tests.frozen import trace as frozen
from tests.frozen.__main__ import main
from tests.frozen.observation import Choices, observe
from tests.frozen.trace import (
    DamagedTraceError,
    FrozenTrace,
    NotFrozenError,
    drift,
    freeze,
    read_trace,
    write_trace,
)
from tests.tiny_checkpoints import CHECKPOINTS, write_tiny


@pytest.fixture(scope="module", params=CHECKPOINTS)
def checkpoint(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    root = tmp_path_factory.mktemp("models")
    folder = write_tiny(request.param, root / request.param)
    policy = LoadPolicy(roots=(root,))
    return load_checkpoint(str(folder), device="cpu", policy=policy)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    root = tmp_path_factory.mktemp("models")
    folder = write_tiny("bert", root / "bert")
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(root,)))


@contextmanager
def changed(parameter: torch.Tensor, factor: float) -> Iterator[None]:
    before = parameter.detach().clone()
    with torch.no_grad():
        parameter.mul_(factor)
    yield
    with torch.no_grad():
        parameter.copy_(before)


def test_a_trace_holds_once_written_and_read(checkpoint: Checkpoint) -> None:
    trace = freeze(checkpoint)
    write_trace(trace, checkpoint.folder)
    again = read_trace(checkpoint.folder)
    assert again.patterns_hash == trace.patterns_hash
    assert again.tops == trace.tops
    assert drift(again, checkpoint) == ()
    assert (checkpoint.folder / "trace.json").stat().st_size < 60_000


def test_every_head_and_every_kind_of_attention_is_in_it(checkpoint: Checkpoint) -> None:
    """Unused attention or heads would drift unseen."""
    trace, config = freeze(checkpoint), checkpoint.config
    heads = {head.value for head in config.heads}
    assert {name.removesuffix(".logits") for name in trace.tops} >= heads
    stacks = [one.depth for one in (config.encoder, config.decoder) if one is not None]
    maps = sum(stacks)
    if config.encoder and config.decoder:
        maps += config.decoder.depth  # across
    if config.system == "xlnet":
        maps *= 3  # alone, and both streams
    if config.system == "seq2seq":
        maps = 1
    maps += len({"next_sentence", "sentence_order", "sentence_structure"} & heads)
    maps += "replaced_token" in heads
    if config.system == "mtdnn":
        maps += len(config.tasks)
        assert {"tasks.order", "tasks.words"} <= trace.tops.keys()
    assert len(trace.shapes) == maps
    writes = checkpoint.model.causal or checkpoint.model.text_to_text
    assert (trace.written is not None) == writes


def test_any_changed_matrix_breaks_it(checkpoint: Checkpoint) -> None:
    """Every matrix turned round, one after the other; the files' revision is left alone."""
    trace = freeze(checkpoint)
    unseen = []
    for name, parameter in checkpoint.model.named_parameters():
        if parameter.ndim >= 2:
            with changed(parameter, -1.0):
                if not drift(trace, checkpoint):
                    unseen.append(name)
    assert unseen == []
    assert drift(trace, checkpoint) == ()


def test_files_of_another_revision_break_it(bert: Checkpoint) -> None:
    """Weights may change by less than a sentence shows."""
    found = drift(freeze(bert), replace(bert, revision="another"))
    assert found == (f"its files have the revision another, not {bert.revision}",)


def test_a_changed_block_breaks_it(bert: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = freeze(bert)
    ordinary = FeedForward.forward
    with monkeypatch.context() as patch:
        patch.setattr(FeedForward, "forward", lambda self, hidden: 1.01 * ordinary(self, hidden))
        assert drift(trace, bert)
    assert drift(trace, bert) == ()


def test_a_mask_that_hides_too_little_breaks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.models import decoder
    from core.models.blocks.masks import Mask

    folder = write_tiny("gpt", tmp_path / "gpt")
    gpt = load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(tmp_path,)))
    trace = freeze(gpt)
    wide = Mask(torch.ones(1, 1, 1, 1, dtype=torch.bool))
    monkeypatch.setattr(decoder, "causal_mask", lambda *_rest: wide)
    assert drift(trace, gpt)


def test_another_reading_of_the_sentence_breaks_it(bert: Checkpoint) -> None:
    trace = freeze(bert)
    other = replace(trace, tokens=(*trace.tokens[:-1], "?"))
    assert drift(other, bert)[0].startswith("it reads")


def test_noise_of_rounding_does_not_break_it_even_at_borders(
    bert: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another processor computes differs in the sixth decimal, also where 1e-3 is rounded."""
    trace = freeze(bert)
    generator = np.random.default_rng(0)

    def noisy(one: Checkpoint, sentence: Any) -> Any:
        seen = observe(one, sentence)
        maps = [
            at + generator.uniform(-9e-6, 9e-6, at.shape).astype(np.float32) for at in seen.maps
        ]
        return replace(seen, maps=tuple(maps))

    plain = frozen.take(bert, trace.sentence)
    monkeypatch.setattr(frozen, "observe", noisy)
    rounded_otherwise = frozen.take(bert, trace.sentence)
    assert rounded_otherwise.patterns_hash != plain.patterns_hash  # or the test would say nothing
    assert drift(trace, bert) == ()


def test_a_weight_that_moves_further_than_noise_breaks_it(
    bert: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = freeze(bert)

    def moved(one: Checkpoint, sentence: Any) -> Any:
        seen = observe(one, sentence)
        first = seen.maps[0].copy()
        first[0, 0, 0] += 2e-3
        return replace(seen, maps=(first, *seen.maps[1:]))

    monkeypatch.setattr(frozen, "observe", moved)
    (line,) = drift(trace, bert)
    assert line.startswith(f"1 of {len(trace.levels)} attention weights moved, one by 0.00")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([3.0, 2.0, 1.0, 0.0], ("a", "b", "c")),  # as it was
        ([2.0, 2.0005, 1.0, 0.0], ("a", "b", "c")),  # tied: as it was frozen
        ([2.0, 2.005, 1.0, 0.0], ("b", "a", "c")),  # another order
        ([3.0, 2.0, 1.0, 1.0005], ("a", "b", "c")),  # tied with one that is not listed
        ([3.0, 2.0, 1.0, 1.5], ("a", "b", "d")),
    ],
)
def test_ties_keep_their_frozen_order(
    scores: list[float], expected: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frozen, "TOP", 3)
    choices = Choices(np.array([scores], dtype=np.float32), ("a", "b", "c", "d"))
    assert frozen._settled_tops(choices, (("a", "b", "c"),)) == (expected,)


def test_a_number_that_is_none_breaks_it(bert: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = freeze(bert)
    ordinary = Attention.forward
    monkeypatch.setattr(
        Attention,
        "forward",
        lambda self, *given, **named: torch.nan * ordinary(self, *given, **named),
    )
    assert drift(trace, bert)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content["patterns"].update(sha256="0"), "the patterns are not"),
        (lambda content: content["predictions"].update(top={}), "the predictions are not"),
        (lambda content: content.pop("tokens"), "it cannot be read"),
        (lambda content: content["patterns"].update(thousandths="AAAA"), "it cannot be read"),
    ],
)
def test_a_damaged_file_is_refused(
    bert: Checkpoint, tmp_path: Path, change: Any, problem: str
) -> None:
    path = write_trace(freeze(bert), tmp_path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(DamagedTraceError, match=problem):
        read_trace(tmp_path)


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFrozenError, match="has no frozen trace"):
        read_trace(tmp_path)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tiny("gpt", tmp_path / "gpt")
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", tmp_path)
    return tmp_path


def test_a_trace_is_written_once_and_again_only_when_told(
    shipped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gpt"]) == 0
    trace: FrozenTrace = read_trace(shipped / "gpt")
    assert trace.revision in capsys.readouterr().out
    before = (shipped / "gpt" / "trace.json").read_bytes()
    (shipped / "gpt" / "trace.json").write_bytes(before + b"\n")
    with pytest.raises(SystemExit):
        main(["gpt"])
    assert "--again" in capsys.readouterr().err
    assert (shipped / "gpt" / "trace.json").read_bytes() == before + b"\n"
    assert main(["gpt", "--again"]) == 0
    assert (shipped / "gpt" / "trace.json").read_bytes() == before
    with pytest.raises(SystemExit):
        main([str(shipped / "gpt")])
    assert "choose from" in capsys.readouterr().err
