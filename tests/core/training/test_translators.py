"""Short runs of both kinds of translators on our own pairs, through the command."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.__main__ import BAD_INPUT, main
from core.checkpoints import Checkpoint, LoadPolicy, load_checkpoint
from core.tasks import translate
from core.tokenisation import Tokenizer
from core.training.parallel import is_held_out, parallel_texts

NUMBERS = {"one": "eins", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf"}
THINGS = {"cats": "Katzen", "dogs": "Hunde", "ships": "Schiffe", "birds": "Vögel"}
PLACES = {"here": "hier", "there": "dort", "outside": "draußen", "at sea": "auf See"}
PAIRS = [
    (f"I see {number} {thing} {place}.", f"Ich sehe {zahl} {ding} {ort}.")
    for number, zahl in NUMBERS.items()
    for thing, ding in THINGS.items()
    for place, ort in PLACES.items()
]
# Nothing of these is held out, so that every word is learnt.
LEARNT = [pair for pair in PAIRS if not is_held_out(pair[0])]
HELD_OUT = next(f"Zebra {n} quits." for n in range(1000) if is_held_out(f"Zebra {n} quits."))

Train = Callable[..., int]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "de.tsv"
    lines = "\n".join("\t".join(pair) for pair in (*LEARNT, (HELD_OUT, "Zebra hört auf.")))
    path.write_text(lines, encoding="utf-8")
    return path


@pytest.fixture
def train(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    monkeypatch.setenv("HEADLIGHT_DEVICE", "cpu")
    tokenizer = tmp_path / "tokenizer.json"
    words = ["unigram", "--frame", "translation", "--vocabulary", "90", "--languages", "de"]
    assert main(["tokenizer", *words, "--pairs", f"de={pairs}", "--out", str(tokenizer)]) == 0

    def run(name: str, *flags: str, steps: int = 30, rate: str = "1e-2") -> int:
        where = ["--run", str(tmp_path / name), "--out", str(tmp_path / f"{name}-out")]
        size = ["--layers", "1", "--width", "32", "--heads", "4", "--positions", "64"]
        how = ["--steps", str(steps), "--batch-tokens", "512", "--seed", "1", "--rate", rate]
        start = ["--tokenizer", str(tokenizer), *size, "--dropout", "0.1"]
        return main(["train", "translation", *start, *where, *how, "--report-every", "5", *flags])

    return run


def opened(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder,)))


@pytest.mark.parametrize(
    ("system", "kind"),
    [
        ("transformer", "float32"),
        ("transformer", "bfloat16"),
        ("seq2seq", "float32"),
        ("seq2seq", "bfloat16"),
        ("seq2seq-without-attention", "float32"),
    ],
)
def test_the_loss_falls_and_a_resumed_run_is_the_same_run(
    system: str, kind: str, train: Train, pairs: Path, tmp_path: Path
) -> None:
    flags = ("--pairs", f"de={pairs}", "--system", system, "--dtype", kind)
    assert train("whole", *flags) == 0
    events = (tmp_path / "whole" / "events.jsonl").read_text().splitlines()
    losses = [json.loads(line)["losses"]["loss"] for line in events]
    assert losses[-1] < 0.75 * losses[0]
    assert train("run", *flags, "--stop-after", "0") == 0
    assert train("run", *flags, "--resume") == 0
    one, other = opened(tmp_path / "whole-out"), opened(tmp_path / "run-out")
    weights, resumed = one.model.state_dict(), other.model.state_dict()
    assert all(torch.equal(weights[name], resumed[name]) for name in weights)
    assert one.config.system == system.removesuffix("-without-attention")
    if one.config.recurrent is not None:
        assert (one.config.recurrent.alignment is None) == system.endswith("attention")
    assert translate(one, LEARNT[0][0], language="de", beams=1).text


@pytest.mark.parametrize("system", ["transformer", "seq2seq"])
def test_a_little_language_is_learnt(
    system: str, train: Train, pairs: Path, tmp_path: Path
) -> None:
    rate = {"transformer": "5e-3", "seq2seq": "1e-2"}[system]
    flags = ("--pairs", f"de={pairs}", "--system", system, "--dropout", "0")
    assert train("run", *flags, steps=200, rate=rate) == 0
    checkpoint = opened(tmp_path / "run-out")
    right = sum(
        translate(checkpoint, one, language="de").text == other for one, other in LEARNT[::6]
    )
    assert right >= 0.9 * len(LEARNT[::6])


def test_the_language_stands_first_and_held_out_pairs_are_not_read(
    train: Train, pairs: Path, tmp_path: Path
) -> None:
    tokenizer = Tokenizer.from_file(tmp_path / "tokenizer.json")
    end, language = tokenizer.sep_id, tokenizer.id(">>de<<")
    with_language = parallel_texts((), {"de": pairs}, tokenizer, end_id=end)
    whole = parallel_texts((pairs,), {}, tokenizer, end_id=end)
    other = parallel_texts((), {"sv": pairs}, tokenizer, end_id=end)
    assert sum(map(len, with_language.sources)) == sum(map(len, other.sources)) == len(LEARNT)
    assert sum(map(len, whole.sources)) == len(LEARNT) + 1
    assert all((table[:, 0] == language).all() for table in with_language.sources)
    assert not any((table == language).any() for table in (*other.sources, *whole.sources))
    first = next(iter(with_language.sources))[0].tolist()
    read = next(iter(with_language.source_sizes))[0]
    assert first[1 : int(read)] in [list(tokenizer.encode(one).ids) for one, _ in LEARNT]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--pairs", "de=no/file"), "cannot read no/file"),
        (("--pairs", "no/file"), "NAME=FILE"),
        ((), "all others read text files"),
        (("--pairs", "de=x", "--system", "bert"), "not by bert"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    flags: tuple[str, ...], said: str, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train("run", *flags) == BAD_INPUT
    errors = capsys.readouterr().err
    assert said in errors
    assert errors.count("\n") == 1


def test_pairs_are_for_translations_only(
    pairs: Path, tmp_path: Path, train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--run", str(tmp_path / "run"), "--out", str(tmp_path / "out"), "--steps", "1"]
    start = ["--tokenizer", str(tmp_path / "tokenizer.json"), "--pairs", f"de={pairs}"]
    assert main(["train", "clm", *start, *where]) == BAD_INPUT
    assert "pairs are for translations, not for clm" in capsys.readouterr().err
