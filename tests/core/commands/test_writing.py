"""The verbs of models that write: their answers, their progress, and what they refuse."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import Checkpoint, save_checkpoint
from core.decoding import Sampling
from core.decoding.blanks import MOST_FREE
from core.tasks import continue_text, fill_spans
from tests.core.commands.test_texts import Shell
from tests.core.decoding.conftest import (  # noqa: F401 - fixtures
    tiny_gpt,
    tiny_t5,
    unigram,
)

BLANKS = "The cat ___4___ on the ___."


def saved(checkpoint: Checkpoint, folder: Path) -> Path:
    save_checkpoint(
        checkpoint.model, checkpoint.config, checkpoint.tokenizer, folder, dtype=torch.float32
    )
    return folder


@pytest.fixture
def t5(
    tiny_t5: Checkpoint,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    return Shell(saved(tiny_t5, tmp_path / "t5"), capsys)


@pytest.fixture
def gpt(
    tiny_gpt: Checkpoint,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Shell:
    return Shell(saved(tiny_gpt, tmp_path / "gpt"), capsys)


def check(sample: dict[str, Any]) -> None:
    assert sample.keys() == {"text", "blanks"}
    first, second = sample["blanks"]
    assert (len(first.split()), len(second.split())) == (4, 1)
    assert sample["text"] == f"The cat {first} on the {second}."


def test_spans_have_exactly_so_many_words(
    t5: Shell,
    tiny_t5: Checkpoint,  # noqa: F811
) -> None:
    answer = t5.json("spans", "--text", BLANKS)
    assert answer.keys() == {"text", "samples"}
    assert answer["text"] == BLANKS
    (sample,) = answer["samples"]
    check(sample)
    assert tuple(sample["blanks"]) == fill_spans(tiny_t5, BLANKS).fillings[0]
    assert t5.errors == "", "no terminal, no progress"


def test_samples_differ_and_a_seed_repeats_them(t5: Shell) -> None:
    options = ("--text", BLANKS, "--samples", "3", "--temperature", "2", "--seed", "5")
    samples = t5.json("spans", *options)["samples"]
    assert len(samples) == 3
    for sample in samples:
        check(sample)
    assert len({sample["text"] for sample in samples}) == 3
    assert t5.json("spans", *options)["samples"] == samples
    assert t5.json("spans", *options, "--seed", "6")["samples"] != samples
    # Several texts are sampled unless something else is said.
    plain = t5.json("spans", "--text", BLANKS, "--samples", "3")["samples"]
    assert plain[0] != plain[1]
    sure = t5.json("spans", "--text", BLANKS, "--samples", "3", "--temperature", "0")["samples"]
    assert sure == [sure[0]] * 3
    likeliest = t5.json("spans", "--text", BLANKS, "--samples", "2", "--top-k", "1")["samples"]
    assert likeliest == sure[:2]


def test_free_blanks_are_filled_and_those_at_their_bound_are_named(
    t5: Shell,
    tiny_t5: Checkpoint,  # noqa: F811
    tmp_path: Path,
) -> None:
    text = "The cat ___*___ on the ___*___."
    answer = t5.json("spans", "--text", text)
    assert answer["samples"][0]["blanks"] == list(fill_spans(tiny_t5, text).fillings[0])
    lines = tmp_path / "lines.txt"
    lines.write_text(f"___\n{text}\n", encoding="utf-8")
    found = fill_spans(tiny_t5, text, samples=2, sampling=Sampling(1.0))
    t5("spans", "--file", str(lines), "--samples", "2")
    said = t5.errors.splitlines()
    assert said == [
        f"line 2, sample {number}: blank {blank} was ended at {MOST_FREE} words"
        for number, fillings in enumerate(found.fillings, start=1)
        for blank, filling in enumerate(fillings, start=1)
        if len(filling.split()) == MOST_FREE
    ]
    assert said
    assert f"ended at {MOST_FREE}" in " ".join(t5("spans", "--help").split())


def test_a_table_of_spans_is_the_texts(t5: Shell) -> None:
    found = t5.json("spans", "--text", BLANKS)["samples"][0]["text"]
    assert t5("spans", "--text", BLANKS) == found + "\n"


def test_progress_counts_words_where_it_is_wanted(
    t5: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    t5("spans", "--text", BLANKS, "--progress")
    assert t5.errors.endswith("\r5 of 5 words\n")
    assert t5.errors.count("\n") == 1
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    t5("spans", "--text", BLANKS)
    assert t5.errors.endswith("\r5 of 5 words\n")


def test_spans_of_a_file_are_one_line_each(t5: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text(f"{BLANKS}\nno blank\n\n___\n", encoding="utf-8")
    answers = [json.loads(line) for line in t5("spans", "--file", str(lines)).splitlines()]
    check(answers[0]["samples"][0])
    assert "no blank" in answers[1]["error"]
    assert "no blank" in answers[2]["error"]
    assert len(answers[3]["samples"][0]["blanks"]) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--text", "no blank"), "there is no blank"),
        (("--text", "___513___"), "1 to 512 words, not 513"),
        (("--text", "___0___"), "not 0"),
        (("--text", "a" * 30_000 + "___"), "20,000 are read"),
        (("--text", "___ " * 101), "101 blanks"),
        (("--text", BLANKS, "--samples", "0"), "from 1 to 10 texts"),
        (("--text", BLANKS, "--samples", "11"), "not 11"),
        (("--text", BLANKS, "--temperature", "-1"), "temperature"),
        (("--text", BLANKS, "--top-k", "0"), "top-k"),
        (("--text", BLANKS, "--top-p", "1.5"), "top-p"),
        (("--text", BLANKS, "--seed", "-1"), "seed"),
        (("--text", BLANKS, "--pair", "x"), "--pair"),
        (("--text", BLANKS, "--cut"), "--cut"),
    ],
)
def test_bad_blanks_get_one_plain_line(t5: Shell, options: tuple[str, ...], said: str) -> None:
    assert said in t5.refusal("spans", *options)


def test_a_model_without_blanks_says_so(gpt: Shell) -> None:
    assert "blanks" in gpt.refusal("spans", "--text", BLANKS)


def test_continue_goes_on_with_a_text(
    gpt: Shell,
    tiny_gpt: Checkpoint,  # noqa: F811
) -> None:
    answer = gpt.json("continue", "--text", "The cat", "--tokens", "5")
    assert answer == {
        "text": "The cat",
        "samples": list(continue_text(tiny_gpt, "The cat", most=5).texts),
    }
    assert answer["samples"][0].startswith("The cat")
    options = ("--text", "The cat", "--samples", "4", "--tokens", "8", "--seed", "3")
    samples = gpt.json("continue", *options)["samples"]
    assert len(set(samples)) == 4
    assert gpt.json("continue", *options)["samples"] == samples
    sure = gpt.json("continue", *options, "--temperature", "0")["samples"]
    assert sure == [sure[0]] * 4
    assert gpt("continue", "--text", "The cat", "--tokens", "5") == answer["samples"][0] + "\n"
    gpt("continue", *options, "--progress")
    assert gpt.errors.startswith("\r1 of 8 pieces")
    assert gpt.errors.endswith("of 8 pieces\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--text", " "), "empty"),
        (("--text", "x", "--tokens", "0"), "from 1 to 1024 pieces"),
        (("--text", "x", "--tokens", "1025"), "not 1025"),
        (("--text", "the cat " * 60), "at most 48"),
        (("--text", "x", "--samples", "0"), "not 0"),
    ],
)
def test_bad_beginnings_get_one_plain_line(gpt: Shell, options: tuple[str, ...], said: str) -> None:
    assert said in gpt.refusal("continue", *options)


def test_a_model_that_does_not_go_on_says_so(t5: Shell) -> None:
    assert "next words" in t5.refusal("continue", "--text", "The cat")
