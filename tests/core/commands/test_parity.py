"""``parity``: the table, the JSON object, and the exit code."""

import json
from collections.abc import Iterator

import pytest

import core.parity
from core.__main__ import BAD_INPUT, main
from core.commands.parity import DISAGREES
from core.parity import Comparison, Row

GOOD = Row("bert", "embeddings", 9, 1e-7, 1e-5)
BAD = Row("bert", "pooler", None, 2e-5, 1e-5)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """What the comparison finds; to be filled by the test."""
    found: list[Row] = []

    def compare(_comparison: Comparison) -> Iterator[Row]:
        return iter(found)

    monkeypatch.setattr(core.parity, "compare_tiny", compare)
    monkeypatch.setattr(core.parity, "compare_bundled", lambda _comparison: iter(()))
    return found


def test_json_is_one_object_with_the_rows(
    rows: list[Row], capsys: pytest.CaptureFixture[str]
) -> None:
    rows.append(GOOD)
    assert main(["parity", "--system", "bert", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "rows": [
            {
                "system": "bert",
                "part": "embeddings",
                "length": 9,
                "difference": 1e-7,
                "tolerance": 1e-5,
            }
        ]
    }


def test_a_row_that_is_off_is_marked_and_sets_the_exit_code(
    rows: list[Row], capsys: pytest.CaptureFixture[str]
) -> None:
    rows.extend([GOOD, BAD])
    assert main(["parity", "--system", "bert"]) == DISAGREES
    header, good, bad = capsys.readouterr().out.splitlines()
    assert header.split() == ["system", "part", "tokens", "difference", "tolerance"]
    assert good.split() == ["bert", "embeddings", "9", "1.0e-07", "1.0e-05"]
    assert bad.split() == ["bert", "pooler", "2.0e-05", "1.0e-05", "off"]


def test_an_unknown_system_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parity", "--system", "bort"]) == BAD_INPUT
    known = ", ".join(core.parity.COMPARISONS)
    assert capsys.readouterr().err == f"error: there is no system 'bort'; there are: {known}\n"


def test_markdown_has_a_line_a_system_with_its_largest_differences(
    rows: list[Row], capsys: pytest.CaptureFixture[str]
) -> None:
    rows += [
        GOOD,
        Row("bert", "every pattern", 9, 3e-7, 1e-6),
        Row("bert", "every pattern", 64, 2e-7, 1e-6),
        Row("bert", "bundled checkpoint bert: token logits", 9, 2e-4, 6e-4),
        Row("bert", "bundled checkpoint bert: every pattern", 9, 1e-6, 1e-4),
        Row("gpt", "export back", None, 0.0, 0.0),
    ]
    assert main(["parity", "--system", "bert", "--markdown"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "| system | patterns | everything else | written back | bundled checkpoint |",
        "| --- | --- | --- | --- | --- |",
        "| bert | 3.0e-07 | 1.0e-07 |  | 2.0e-04 |",
        "| gpt |  |  | 0.0e+00 |  |",
    ]
