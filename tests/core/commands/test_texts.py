"""The command line as a person uses it: answers, one plain line on bad input, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import checkpoints
from core.__main__ import main
from core.checkpoints import load_checkpoint

ROOT = Path(__file__).resolve().parents[3]
SENTENCE = "The capital of France is [MASK]."


class Shell:
    """Runs the command line in this process."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._captured = captured
        self.errors = ""

    def __call__(self, verb: str, *options: str, code: int = 0) -> str:
        arguments = [verb, "--checkpoint", str(self.folder), *options]
        try:
            found = main(arguments)
        except SystemExit as error:  # argparse
            found = int(str(error.code))
        captured = self._captured.readouterr()
        self.errors = captured.err
        assert found == code, captured.err
        return captured.out

    def json(self, verb: str, *options: str) -> dict[str, Any]:
        out = self(verb, *options, "--json")
        assert out.count("\n") == 1
        answer = json.loads(out)
        assert isinstance(answer, dict)
        return answer

    def refusal(self, verb: str, *options: str) -> str:
        assert self(verb, *options, code=2) == ""
        assert self.errors.count("\n") == 1
        assert self.errors.endswith("\n")
        return self.errors


@pytest.fixture
def shell(tiny_checkpoint_folder: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tiny_checkpoint_folder, capsys)


def test_fill_answers_one_json_object(shell: Shell) -> None:
    answer = shell.json("fill", "--text", SENTENCE, "--top", "3")
    assert answer.keys() == {"text", "masks"}
    assert answer["text"] == SENTENCE
    (mask,) = answer["masks"]
    assert mask["position"] == 6
    assert len(mask["predictions"]) == 3
    for prediction in mask["predictions"]:
        assert prediction.keys() == {"token", "probability"}
        assert 0 < prediction["probability"] < 1


def test_fill_hides_words_by_number(shell: Shell) -> None:
    words = ("--mask-word", "1", "--mask-word", "3")
    answer = shell.json("fill", "--text", "The capital of France", *words)
    assert answer["text"] == "The [MASK] of [MASK]"
    assert [mask["position"] for mask in answer["masks"]] == [2, 4]


def test_fill_reads_pairs_and_any_number_of_masks(shell: Shell) -> None:
    answer = shell.json("fill", "--text", "[MASK] " * 300, "--pair", "the [MASK]", "--top", "1")
    assert len(answer["masks"]) == 301
    assert answer["pair"] == "the [MASK]"


def test_fill_prints_a_table_for_people(shell: Shell) -> None:
    out = shell("fill", "--text", "the [MASK] cat", "--top", "2")
    assert out.startswith("the [MASK] cat\n\nmask at token 2\n0.")
    assert len(out.splitlines()) == 5


def test_attend_writes_arrays_that_load_without_pickle(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "trace.npz"
    texts = ("--text", "The café", "--pair", "sat 😀")
    answer = shell.json("attend", *texts, "--out", str(path))
    assert answer["out"] == str(path)
    assert (answer["layers"], answer["heads"]) == (3, 4)
    with np.load(path, allow_pickle=False) as trace:
        tokens = len(trace["tokens"])
        assert trace["tokens"].tolist() == answer["tokens"]
        assert trace["offsets"].tolist() == answer["offsets"]
        assert trace["segments"].tolist() == answer["segments"]
        assert trace["texts"].tolist() == ["The café", "sat 😀"]
        assert trace["words"][0] == -1
        assert trace["special"][0]
        assert trace["patterns"].shape == (3, 4, tokens, tokens)
        assert trace["patterns"].dtype == np.float32
        np.testing.assert_allclose(trace["patterns"].sum(-1), 1, atol=1e-5)
        assert trace["positions"].shape == (tokens, 32)


def test_attend_prints_a_table_for_people(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    out = shell("attend", "--text", "the cat", "--out", str(path))
    assert "1  the    0-3" in out
    assert "4 tokens, 3 layers of 4 heads" in out
    assert f"written to {path}" in out
    assert path.exists()


def test_a_file_is_answered_line_by_line_with_one_load(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []

    def counted(name: str, **options: Any) -> checkpoints.Checkpoint:
        loads.append(name)
        return load_checkpoint(name, **options)

    monkeypatch.setattr(checkpoints, "load_checkpoint", counted)
    lines = tmp_path / "lines.txt"
    markup = "</script><img src=x onerror=alert(1)> [MASK]\u2028שלום"
    lines.write_bytes(
        b"\n".join(
            [
                b"\xef\xbb\xbfthe [MASK] cat\r",
                b"",
                b"no mask here",
                b"\xff\xfe broken [MASK]",
                b"a" * 100_000,
                markup.encode(),
                b"the [MASK]",
            ]
        )
    )
    out = shell("fill", "--file", str(lines), "--top", "1")
    answers = [json.loads(line) for line in out.split("\n")[:-1]]
    assert len(loads) == 1
    assert len(answers) == 7
    assert answers[0]["text"] == "the [MASK] cat"
    assert "empty" in answers[1]["error"]
    assert "[MASK]" in answers[2]["error"]
    assert answers[3] == {"error": "line 4 is not UTF-8"}
    assert "100,000 characters" in answers[4]["error"]
    assert answers[5]["text"] == markup
    assert answers[6]["text"] == "the [MASK]"


def test_a_file_for_attend_fills_a_folder(shell: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("the cat\n\nthe mat\n")
    folder = tmp_path / "new" / "traces"
    out = shell("attend", "--file", str(lines), "--out", str(folder))
    answers = [json.loads(line) for line in out.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert sorted(path.name for path in folder.iterdir()) == ["00001.npz", "00003.npz"]


LONG_PAIR = ("--text", "the " * 300, "--pair", "cat " * 300)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--text", ""), "empty"),
        (("--text", "   "), "empty"),
        (("--text", "\x01\x02"), "empty"),
        (("--text", "a" * 100_000), "100,000 characters"),
        (("--text", "no mask"), "[MASK]"),
        (("--text", "[MASK] " * 600), "602 tokens"),
        (LONG_PAIR, "603 tokens"),
        (("--text", SENTENCE, "--pair", " "), "second text is empty"),
        (("--text", SENTENCE, "--top", "0"), "not 0"),
        (("--text", SENTENCE, "--top", "many"), "many"),
        (("--text", SENTENCE, "--mask-word", "99"), "no word 99"),
        (("--text", SENTENCE, "--mask-word", "-1"), "no word -1"),
        (("--text", SENTENCE, "--no-such-option\nat all"), "--no-such-option at all"),
        (("--text", SENTENCE, "--file", "x"), "not allowed with"),
        ((), "required"),
        (("--file", "/no/such/file"), "/no/such/file: No such file"),
        (("--file", "/"), "directory"),
        (("--text", SENTENCE, "--checkpoint", "no such model"), "no such model"),
        (("--text", SENTENCE, "--checkpoint", "../.."), "not a checkpoint"),
        (("--text", SENTENCE, "--checkpoint", "a" * 5000), "there is no checkpoint"),
        (("--text", SENTENCE, "--checkpoint", ""), "there is no checkpoint"),
    ],
)
def test_bad_input_gets_one_plain_line(shell: Shell, options: tuple[str, ...], said: str) -> None:
    assert said in shell.refusal("fill", *options)


def test_a_pair_does_not_go_with_a_file(shell: Shell, tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("the cat\n")
    assert "--pair" in shell.refusal("attend", "--file", str(lines), "--pair", "x")


def test_an_output_that_cannot_be_written(shell: Shell, tmp_path: Path) -> None:
    assert str(tmp_path) in shell.refusal("attend", "--text", "x", "--out", str(tmp_path))
    missing = str(tmp_path / "no" / "x.npz")
    assert missing in shell.refusal("attend", "--text", "x", "--out", missing)


def test_too_long_a_text_may_be_cut(shell: Shell) -> None:
    answer = shell.json("attend", *LONG_PAIR, "--cut")
    assert answer["cut"] == 603 - 320
    assert "283 tokens were cut off" in shell("attend", *LONG_PAIR, "--cut")
    masks = ("--text", "[MASK] " * 400, "--cut", "--top", "1")
    assert shell.json("fill", *masks)["cut"] == 402 - 320
    assert "82 tokens were cut off" in shell("fill", *masks)


def test_an_unknown_verb_and_none_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["bake"], []):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_interrupting_is_quiet(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "load_checkpoint", interrupted)
    assert shell("fill", "--text", SENTENCE, code=130) == ""
    assert shell.errors == "interrupted\n"


def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": ""} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_reader_who_leaves_is_not_an_error(tiny_checkpoint_folder: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.txt"
    lines.write_text("the [MASK] cat\n" * 2000)
    with start(
        "fill", "--checkpoint", str(tiny_checkpoint_folder), "--file", str(lines)
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_output_is_utf8_whatever_the_stream_says(tiny_checkpoint_folder: Path) -> None:
    text = b"caf\xc3\xa9 \xff [MASK]".decode("utf-8", "surrogateescape")
    options = ("--checkpoint", str(tiny_checkpoint_folder), "--text", text, "--json")
    process = start("fill", *options, PYTHONIOENCODING="ascii")
    out, errors = process.communicate(timeout=60)
    assert errors == b""
    assert json.loads(out.decode())["text"] == "café \N{REPLACEMENT CHARACTER} [MASK]"


def test_help_does_not_wait_for_torch() -> None:
    code = (
        "import sys, core.__main__ as m\n"
        "m.build_parser()\n"
        "sys.exit(' '.join({'torch', 'tokenizers', 'numpy'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert found.stderr == "\n"
