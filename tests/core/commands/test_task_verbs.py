"""Verbs whose options are the arguments of a task, and the commands that the documents name."""

import inspect
import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import build_parser, main
from core.commands.task_verbs import TaskVerb, read_task

ROOT = Path(__file__).resolve().parents[3]
VERBS = (  # all that ask a task
    "ablate align answer attend classify continue detect fill judge pairs restore spans tag"
    " translate"
).split()
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "assets/checkpoints/*/card.md", "Makefile")
    for path in ROOT.glob(pattern)
)
# What runs within seconds; the others time, train, or need files that nobody has.
RUN_HERE = {"attend", "fill", "restore", "pairs"}


def verb_of(name: str) -> TaskVerb:
    verb = import_module(f"core.commands.{name}").VERB
    assert isinstance(verb, TaskVerb)
    return verb


@pytest.mark.parametrize("name", VERBS)
def test_the_source_says_what_the_signature_says(name: str) -> None:
    verb = verb_of(name)
    module, _, task = verb.task.partition(":")
    signature = inspect.signature(getattr(import_module(module), task))
    _checkpoint, _text, *parameters = signature.parameters.values()
    read = read_task(verb.task).parameters
    assert [one.name for one in read] == [one.name for one in parameters]
    for one, parameter in zip(read, parameters, strict=True):
        if one.name not in verb.left_out and one.default is not None:
            assert one.default == parameter.default


@pytest.mark.parametrize("name", VERBS)
def test_every_option_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb = verb_of(name)
    for one in verb.parameters:
        assert one.help, one.name
        assert not re.search(r"[`{}]|MAX_|MOST_", one.help)
    with pytest.raises(SystemExit):
        main([name, "--help"])
    out = capsys.readouterr().out
    assert verb.note.split(".")[0].split()[-1] in out if verb.note else True
    for one in verb.parameters:
        assert f"--{verb.flags.get(one.name, one.name)}" in out


def test_an_argument_that_no_option_can_be_made_of_is_found() -> None:
    def nothing(*_: Any) -> Any: ...

    verb = TaskVerb("core.tasks.fill_mask:fill_mask", "bert", nothing, nothing)
    verbs = build_parser()._subparsers
    assert verbs is not None
    with pytest.raises(TypeError, match=r"no option can be made of off: Sequence\[tuple"):
        verb.add_parser(verbs._group_actions[0], "another")


def commands_of(document: Path) -> list[tuple[str, bool]]:
    """What follows ``python -m core``, and whether it stands on lines of its own: to be copied."""
    text = re.sub(r" *\\\n *", " ", document.read_text(encoding="utf-8"))
    whole = re.findall(r"^ *python -m core (.+)$", text, re.MULTILINE)
    named = re.findall(r"[`/]python -m core ([^`$\n]+)", text)
    return [*((one, True) for one in whole), *((one.strip(), False) for one in named)]


COMMANDS = sorted({one for document in DOCUMENTS for one in commands_of(document)})


def test_the_documents_name_commands() -> None:
    assert sum(whole for _, whole in COMMANDS) >= 8
    assert {"attend", "fill", "train"} <= {command.split()[0] for command, _ in COMMANDS}


@pytest.mark.parametrize(("command", "whole"), COMMANDS, ids=[one for one, _ in COMMANDS])
def test_what_the_documents_name_is_there(
    command: str,
    whole: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = shlex.split(command.replace("$part", "train"), comments=True)  # of a loop
    monkeypatch.chdir(tmp_path)
    if not whole:  # a verb and some of its options, in the midst of a sentence
        two = 2 if words[0] in ("train", "bench") and len(words) > 1 else 1
        with pytest.raises(SystemExit) as ended:
            main([*words[:two], "--help"])
        assert ended.value.code == 0
        said = capsys.readouterr().out
        assert all(word in said for word in words if word.startswith("--"))
    elif "--help" in words:
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
    elif words[0] in RUN_HERE:
        assert main(words) == 0
        assert capsys.readouterr().out
        if "--out" in words:
            assert (tmp_path / words[words.index("--out") + 1]).stat().st_size
    else:
        build_parser().parse_args(words)
