"""``prune``: a checkpoint with fewer pieces that opens like any other."""

from pathlib import Path

import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.training.vocabulary import SPECIALS


def run(start: Path | str, corpus: Path | str, size: str, out: Path, *options: str) -> int:
    words = ["--checkpoint", str(start), "--corpus", str(corpus), "--vocabulary", size]
    try:
        return main(["prune", *words, "--out", str(out), *options])
    except SystemExit as error:  # argparse
        return int(str(error.code))


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


def test_the_new_checkpoint_reads_the_same_text(
    tiny_checkpoint: Checkpoint,
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(tiny_checkpoint_folder, corpus_file, "110", tmp_path / "small") == 0
    out = capsys.readouterr().out
    small = opened(tmp_path / "small")
    size = small.config.embedding.vocabulary
    assert small.tokenizer.vocabulary_size == size <= 110
    assert out.startswith(f"{size} pieces kept; they cover 100.00% of ")
    assert [small.tokenizer.token(number) for number in range(5)] == list(SPECIALS)
    one = tiny_checkpoint.tokenizer.encode("The cat was open.")
    other = small.tokenizer.encode("The cat was open.")
    assert other.tokens == one.tokens
    with torch.inference_mode():
        before = tiny_checkpoint.model(torch.tensor([one.ids]))
        after = small.model(torch.tensor([other.ids]))
    pieces = [small.tokenizer.token(number) for number in range(size)]
    rows = [tiny_checkpoint.tokenizer.id(piece) for piece in pieces]
    for found, expected in (
        (after.hidden, before.hidden),
        (after.logits, before.logits[..., rows]),
        (after.pair_logits, before.pair_logits),
    ):
        torch.testing.assert_close(found, expected, atol=0.05, rtol=0.02)  # written in float16


@pytest.mark.parametrize(
    ("start", "corpus", "size", "said"),
    [
        (None, None, "5", "5 pieces cannot hold"),
        (None, None, "-5", "(--vocabulary) must be from 1 to 1,000,000, not -5"),
        (None, None, "100000", "cannot be kept of a vocabulary of"),
        (None, None, "few", "few"),
        (None, "/no/such/text.txt", "110", "/no/such/text.txt: No such file"),
        ("no such model", None, "110", "no such model"),
    ],
)
def test_bad_input_gets_one_plain_line(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    start: str | None,
    corpus: str | None,
    size: str,
    said: str,
) -> None:
    out = tmp_path / "small"
    assert run(start or tiny_checkpoint_folder, corpus or corpus_file, size, out) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert not out.exists()


def test_a_folder_of_other_things_is_not_replaced(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    assert run(tiny_checkpoint_folder, corpus_file, "110", tmp_path) == BAD_INPUT
    assert "thesis.txt" in capsys.readouterr().err
