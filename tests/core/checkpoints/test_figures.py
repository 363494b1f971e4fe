"""What a card says against what was measured."""

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.checkpoints import DamagedFileError, catalogue
from core.checkpoints.figures import figures_of_card, read_figures, says, wrong_in_card
from tests.tiny_checkpoints import write_tiny

CARD = """# A model

## Held-out figures

Text `held_out.txt`, SHA-256 `abc`.

| figure | short | long |
| --- | --- | --- |
| first guess right (`top1`) | 0.588 | 61.6 % |
| places (`places`) | 21,674 | – |

## Known weaknesses

| other (`top5`) | 0.1 |
"""
SHORT = {"checkpoint": "m", "files": {"held_out.txt": "abc"}, "top1": 0.58817, "places": 21674}
LONG = {"checkpoint": "m", "files": {}, "top1": 0.61551, "places": None}


def written(folder: Path, *runs: dict[str, object]) -> Path:
    content = [{"command": "python -m core evaluate m --json", "figures": run} for run in runs]
    (folder / "figures.json").write_text(json.dumps(content if len(content) > 1 else content[0]))
    return folder


def test_a_card_that_agrees(tmp_path: Path) -> None:
    measured = read_figures(written(tmp_path, SHORT, LONG))
    assert figures_of_card(CARD) == {"top1": ("0.588", "61.6 %"), "places": ("21,674", "–")}
    assert wrong_in_card(CARD, measured) == ()


def test_a_figure_of_a_group(tmp_path: Path) -> None:
    groups = {**SHORT, "right_by_words": {"1-4": 0.75, "15+": 0.25}}
    rows = "| short (`right_by_words.1-4`) | 0.75 |\n| long (`right_by_words.15+`) | {} |\n"
    card = CARD.partition("| first")[0].replace("| short | long |", "| short |") + rows
    measured = read_figures(written(tmp_path, groups))
    assert wrong_in_card(card.format("0.25"), measured) == ()
    assert wrong_in_card(card.format("0.75"), measured) == (
        "right_by_words.15+: the card says '0.75', measured is 0.25",
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("0.588", "0.589", "top1: the card says '0.589'"),
        ("61.6 %", "61.5 %", "top1: the card says '61.5 %'"),
        ("21,674", "21,675", "places"),
        ("| – |", "| 3 |", "places: the card says '3', measured is None"),
        ("(`top1`)", "(`top9`)", "top9"),
        ("| 0.588 |", "|", "1 columns for 2 measurements"),
        ("held_out.txt", "another.txt", "held_out.txt is not in the card"),
        ("`abc`", "`abd`", "abc is not in the card"),
        ("`", "", "no row"),
    ],
)
def test_a_card_that_does_not(tmp_path: Path, old: str, new: str, problem: str) -> None:
    measured = read_figures(written(tmp_path, SHORT, LONG))
    assert any(problem in line for line in wrong_in_card(CARD.replace(old, new), measured))


@pytest.mark.parametrize(
    ("cell", "value", "expected"),
    [
        ("0.588", 0.5884999, True),
        ("0.588", 0.5886, False),
        ("2", 2.4, True),
        ("-1.5", -1.46, True),
        ("58.8%", 0.588, True),
        ("**0.59**", 0.588, True),
        ("0.588", True, False),
        ("", None, True),
        ("0.588", "0.588", False),
        ("0.588 or so", 0.588, False),
    ],
)
def test_a_number_is_rounded_as_it_is_written(cell: str, value: object, expected: bool) -> None:
    assert says(cell, value) == expected


def test_one_run_needs_no_list_and_none_no_file(tmp_path: Path) -> None:
    assert read_figures(tmp_path) == ()
    (one,) = read_figures(written(tmp_path, SHORT))
    assert one.files == {"held_out.txt": "abc"}


BESIDE = '{"command": "x", "figures": {}, "beside": 3}'


def test_what_was_measured_beside_a_checkpoint_is_read(tmp_path: Path) -> None:
    assert read_figures(written(tmp_path, SHORT))[0].beside == {}
    path = tmp_path / "figures.json"
    beside = {"without it": {"note": "Shorter.", "top1": 0.1}}
    path.write_text(json.dumps({**json.loads(path.read_text()), "beside": beside}))
    assert read_figures(tmp_path)[0].beside == beside


@pytest.mark.parametrize("content", ["{", "{}", "[3]", '{"command": "x", "figures": 3}', BESIDE])
def test_something_else_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "figures.json").write_text(content)
    with pytest.raises(DamagedFileError):
        read_figures(tmp_path)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    write_tiny("gpt", write_tiny("electra-generator", folder / "electra-generator").parent / "gpt")
    figures = {"checkpoint": "gpt", "bits_per_byte": 1.23456, "places": 1234, "speed": 31.26}
    headline = {"bits_per_byte": "bits a byte", "places": "places", "speed": "BLEU"}
    content = {"command": "", "headline": headline, "figures": figures}
    (folder / "gpt" / "figures.json").write_text(json.dumps(content))
    monkeypatch.setattr(catalogue, "BUNDLED_FOLDER", folder)
    return folder


def test_the_verb_lists_them(shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"]) == 0
    generator, gpt = json.loads(capsys.readouterr().out)["models"]
    assert (generator["name"], generator["system"], generator["figures"]) == (
        "electra-generator",
        "ELECTRA",
        {},
    )
    assert gpt["figures"] == {"bits a byte": "1.235", "places": "1,234", "BLEU": "31.3"}
    assert main(["models"]) == 0
    assert "bits a byte 1.235, places 1,234, BLEU 31.3" in capsys.readouterr().out


def test_the_table_of_a_file_is_replaced(
    shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "--markdown"]) == 0
    table = capsys.readouterr().out.strip()
    readme = tmp_path / "README.md"
    header = table.splitlines()[0]
    readme.write_text(f"Before.\n\n{header}\n| --- |\n| old |\n\nAfter.\n")
    assert main(["models", "--into", str(readme)]) == 0
    assert readme.read_text() == f"Before.\n\n{table}\n\nAfter.\n"

    readme.write_text("no table")
    assert main(["models", "--into", str(readme)]) == 2
    assert readme.read_text() == "no table"
