"""The checkpoints that come with the project: complete, small enough, and as they were frozen."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

from core.checkpoints import BundledCheckpoint, Checkpoint, bundled, load_checkpoint
from core.checkpoints.figures import read_figures, wrong_in_card
from core.checkpoints.files import (
    CARD,
    CONFIG,
    FIGURES,
    INDEX,
    TOKENIZER,
    TOKENIZER_CONFIG,
    TRACE,
    Folder,
    find_shards,
)
from core.commands.models import list_models, markdown
from tests.frozen.trace import drift, read_trace

SECTIONS = ("Held-out figures", "How it was made", "Data and licences", "Known weaknesses")
ROOT = Path(__file__).resolve().parents[3]
LARGEST_FILE = 15_000_000
ALL_TOGETHER = 385_000_000
FILES = {CONFIG, TOKENIZER, TOKENIZER_CONFIG, INDEX, CARD, TRACE, FIGURES}
SHARD = re.compile(r"model(-\d{5}-of-\d{5})?\.safetensors")

ENTRIES = bundled()


@pytest.fixture(params=ENTRIES, ids=lambda entry: entry.name)
def entry(request: pytest.FixtureRequest) -> BundledCheckpoint:
    found: BundledCheckpoint = request.param
    return found


@pytest.fixture(scope="module")
def open_once() -> Iterator[Callable[[str], Checkpoint]]:
    """The checkpoint of a name; the one before it is let go, so that one is in memory at a time."""
    kept: list[Checkpoint] = []

    def load(name: str) -> Checkpoint:
        if not kept or kept[0].name != name:
            kept[:] = [load_checkpoint(name, device="cpu")]
        return kept[0]

    yield load
    kept.clear()


def test_something_is_bundled() -> None:
    assert "bert" in {entry.name for entry in ENTRIES}


def test_it_does_what_it_did_when_it_was_frozen(
    entry: BundledCheckpoint, open_once: Callable[[str], Checkpoint]
) -> None:
    assert drift(read_trace(entry.folder), open_once(entry.name)) == ()


def test_a_changed_weight_would_be_seen(
    entry: BundledCheckpoint, open_once: Callable[[str], Checkpoint]
) -> None:
    """One matrix in the middle, a tenth larger: a weaker change than any training step's sum."""
    checkpoint = open_once(entry.name)
    matrices = [one for one in checkpoint.model.parameters() if one.ndim == 2]
    middle = matrices[len(matrices) // 2]
    before = middle.detach().clone()
    with torch.no_grad():
        middle.mul_(1.1)
    found = drift(read_trace(entry.folder), checkpoint)
    with torch.no_grad():
        middle.copy_(before)
    assert found


def test_its_folder_holds_safetensors_json_and_a_card(entry: BundledCheckpoint) -> None:
    names = {path.name for path in entry.folder.iterdir()}
    assert {CONFIG, TOKENIZER, CARD, TRACE, FIGURES} <= names
    assert [name for name in names if name not in FILES and not SHARD.fullmatch(name)] == []


def test_no_file_is_too_large(entry: BundledCheckpoint) -> None:
    sizes = {path.name: path.stat().st_size for path in entry.folder.iterdir()}
    assert {name: size for name, size in sizes.items() if size > LARGEST_FILE} == {}


def test_all_together_are_small_enough() -> None:
    assert sum(entry.size_bytes for entry in ENTRIES) < ALL_TOGETHER


def test_weights_are_in_float16(entry: BundledCheckpoint) -> None:
    kinds = {
        tensor.dtype
        for shard in find_shards(Folder(entry.folder, within=entry.folder))
        for tensor in shard.entries.values()
    }
    assert kinds == {"F16"}


def test_its_card_has_every_section(entry: BundledCheckpoint) -> None:
    card = (entry.folder / CARD).read_text(encoding="utf-8")
    assert card.startswith("# ")
    sections = dict(part.partition("\n")[::2] for part in card.split("\n## ")[1:])
    assert [name for name in SECTIONS if not sections.get(name, "").strip()] == []
    made = sections["How it was made"]
    assert "python -m core train" in made  # the exact command
    assert re.search(r"NVIDIA|CPU", made)  # the device
    assert re.search(r"[0-9] (s|min|h)\b", made)  # the wall time
    assert re.search(r"CC BY|Apache|public domain|MIT", sections["Data and licences"])
    assert "\n- " in sections["Known weaknesses"]


def test_its_card_says_what_was_measured(entry: BundledCheckpoint) -> None:
    card = (entry.folder / CARD).read_text(encoding="utf-8")
    measured = read_figures(entry.folder)
    assert measured
    assert wrong_in_card(card, measured) == ()
    for one in measured:
        assert one.figures["checkpoint"] == entry.name
        assert one.command.startswith(f"python -m core evaluate {entry.name} ")
        assert one.command.endswith(" --json")
    assert None not in map(measured[0].figure, measured[0].headline)
    beside = [number for one in measured for number in numbers_in(one.beside)]
    assert [number for number in beside if f"| {number:.2f} |" not in card] == []


def numbers_in(figures: Any) -> list[float]:
    if isinstance(figures, Mapping):
        return [number for one in figures.values() for number in numbers_in(one)]
    return [figures] if isinstance(figures, float) else []


def test_the_documents_have_the_table_of_models() -> None:
    """`python -m core models --into docs/models.md` writes it."""
    assert markdown(list_models()) in (ROOT / "docs" / "models.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_its_figures_come_out_again(entry: BundledCheckpoint) -> None:
    """With the folder of the data in HEADLIGHT_DATA: files are found by their names beneath it."""
    data = os.environ.get("HEADLIGHT_DATA")
    if not data:
        pytest.skip("HEADLIGHT_DATA does not name the folder of the held-out files")
    for one in read_figures(entry.folder):
        _python, *words = shlex.split(one.command)
        found = {name: str(next(Path(data).rglob(name))) for name in one.files}
        for name, path in found.items():
            words = [re.sub(rf"(^|=){re.escape(name)}$", rf"\g<1>{path}", word) for word in words]
        ran = subprocess.run(
            [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
        again: dict[str, Any] = json.loads(ran.stdout)
        figures = {key: value for key, value in one.figures.items() if key != "seconds"}
        assert {key: again[key] for key in figures} == pytest.approx(figures, rel=1e-3)
