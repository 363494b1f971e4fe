"""``evaluate``: the figures as JSON and as a table, and what it refuses."""

import hashlib
import json
import lzma
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import BAD_INPUT, main

KEYS = {
    *("checkpoint", "files", "top1", "top5", "loss", "places"),
    *("whole_word_top1", "whole_word_top5", "whole_word_places", "next_sentence", "pairs"),
    *("windows", "windows_available", "tokens", "seconds"),
}


class Evaluate:
    """Runs the verb in this process on the tiny model."""

    def __init__(self, name: Path, text: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.name, self.text, self._captured = str(name), text, captured

    def __call__(self, *options: str, code: int = 0) -> str:
        try:
            found = main(["evaluate", self.name, "--text", str(self.text), *options])
        except SystemExit as error:  # argparse
            found = int(str(error.code))
        captured = self._captured.readouterr()
        assert found == code, captured.err
        if code:
            assert captured.out == ""
            assert captured.err.count("\n") == 1
        return captured.err if code else captured.out

    def json(self, *options: str) -> dict[str, Any]:
        out = self("--json", *options)
        assert out.count("\n") == 1
        answer = json.loads(out)
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def evaluate(
    tiny_checkpoint_folder: Path,
    corpus_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Evaluate:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    return Evaluate(tiny_checkpoint_folder, corpus_file, capsys)


def test_the_answer_has_every_figure(evaluate: Evaluate) -> None:
    answer = evaluate.json("--length", "64", "--judged", "50")
    assert answer.keys() == KEYS
    digest = hashlib.sha256(evaluate.text.read_bytes()).hexdigest()
    assert answer["files"] == {"corpus.txt": digest}
    assert 0 <= answer["top1"] <= answer["top5"] <= 1
    assert answer["loss"] > 0
    assert answer["windows"] == answer["windows_available"] > 40
    assert (answer["tokens"], answer["pairs"]) == (64, 50)


def test_sampling_is_said_and_repeats_with_its_seed(evaluate: Evaluate) -> None:
    options = ("--windows", "10", "--length", "64", "--judged", "0")
    first, again = evaluate.json(*options), evaluate.json(*options)
    assert first["windows"] == 10 < first["windows_available"]
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    assert evaluate.json(*options, "--seed", "1")["loss"] != first["loss"]
    assert (first["pairs"], first["next_sentence"]) == (0, None)


def test_a_compressed_text_gives_the_same_figures(evaluate: Evaluate, tmp_path: Path) -> None:
    options = ("--windows", "5", "--judged", "8")
    plain = evaluate.json(*options)
    packed = tmp_path / "corpus.txt.xz"
    packed.write_bytes(lzma.compress(evaluate.text.read_bytes()))
    evaluate.text = packed
    found = evaluate.json(*options)
    assert found["loss"] == plain["loss"]
    assert found["files"].keys() != plain["files"].keys()


def test_a_table_for_people(evaluate: Evaluate) -> None:
    lines = evaluate("--windows", "5", "--judged", "8").splitlines()
    table = dict(line.split(maxsplit=1) for line in lines)
    assert table.keys() == KEYS
    assert table["windows"] == "5"
    assert 0 <= float(table["top1"]) <= 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--length", "600"), "16 to 320 tokens, not 600"),
        (("--length", "0"), "not 0"),
        (("--length", "-7"), "not -7"),
        (("--windows", "0"), "(--windows) must be from 1"),
        (("--judged", "-1"), "(--judged) must be from 0 to 1,000,000,000, not -1"),
        (("--seed", "none"), "a seed is a whole number"),
        (("--text", "/no/such/file"), "/no/such/file: No such file"),
        (("--text", "/"), "directory"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_bad_input_gets_one_plain_line(
    evaluate: Evaluate, options: tuple[str, ...], said: str
) -> None:
    assert said in evaluate(*options, code=BAD_INPUT)


def test_texts_that_are_too_short_or_damaged(evaluate: Evaluate, tmp_path: Path) -> None:
    for name, content, said in (
        ("empty.txt", b"", "holds no text"),
        ("scrap.txt", b"The cat sat.", "no document of the text has 8 tokens"),
        ("short.txt", b"The cat sat on the mat. " * 9, "shorter than one input of 128 tokens"),
        ("one.txt", b"The cat sat on the mat. " * 99, "at least two documents"),
        ("latin.txt", b"caf\xe9", "not UTF-8"),
        ("cut.txt.xz", lzma.compress(b"The cat sat. " * 99)[:-9], "damaged"),
    ):
        evaluate.text = tmp_path / name
        evaluate.text.write_bytes(content)
        assert said in evaluate(code=BAD_INPUT)


@pytest.mark.parametrize("name", ["no such model", "../..", "", "a" * 5_000])
def test_an_unknown_checkpoint(evaluate: Evaluate, name: str) -> None:
    evaluate.name = name
    assert "checkpoint" in evaluate(code=BAD_INPUT)


def test_a_long_input_is_refused_by_the_bundled_model(evaluate: Evaluate) -> None:
    evaluate.name = "bert"
    assert "16 to 512 tokens, not 600" in evaluate("--length", "600", code=BAD_INPUT)


def test_a_model_that_guesses_no_words(
    evaluate: Evaluate, tiny_checkpoint_folder: Path, tmp_path: Path
) -> None:
    from core.checkpoints import LoadPolicy, load_checkpoint, save_checkpoint
    from core.models.architectures.bert import bert_config
    from core.models.registry import build

    policy = LoadPolicy(roots=(tiny_checkpoint_folder,))
    tiny = load_checkpoint(str(tiny_checkpoint_folder), device="cpu", policy=policy)
    rows = tiny.config.embedding.vocabulary
    config = bert_config(vocabulary=rows, layers=1, heads=2, width=8, predicts=())
    save_checkpoint(build(config), config, tiny.tokenizer, tmp_path / "bare")
    evaluate.name = str(tmp_path / "bare")
    assert "no head that predicts masked words" in evaluate(code=BAD_INPUT)
    shutil.rmtree(tmp_path / "bare")
