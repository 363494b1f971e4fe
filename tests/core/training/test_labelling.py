"""Labelled examples made from texts, pairs and treebanks."""

import io
import lzma
import random
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from core.__main__ import BAD_INPUT, main
from core.commands import label
from core.objectives.labelled_files import FileKind, TaskFile, read_tasks
from core.tokenisation import Tokenizer
from core.training.corpora import CorpusError
from core.training.labelling import LABELLINGS, DataSplit, Labelled

# Sentence n of document d names both, so that neighbours can be told.
DOCUMENTS = [
    [" ".join(f"Here stands sentence {n} of text {d}." for n in range(6))] for d in range(40)
]
TREE = """\
# text = We don't sleep.
1\tWe\twe\tPRON\t_\t_\t_\t_\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\t_\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\t_\t_\t_\t_\t_\t_
4\tsleep\tsleep\tVERB\t_\t_\t_\t_\t_\tSpaceAfter=No
4.1\tit\tit\tPRON\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_

1\tGood\tgood\tADJ\t_\t_\t_\t_\t_\t_
2\tbread\tbread\tNOUN\t_\t_\t_\t_\t_\t_

1\tsee\tsee\tVERB\t_\t_\t_\t_\t_\t_
2\t[1]\t[1]\tNUM\t_\t_\t_\t_\t_\t_
"""
# Five ways to say each of many things; the first two and the last two share a translation, and the
# third hangs together with both.
PAIRS = [
    (f"{way} {thing}", f"{thing} auf Deutsch, {number}")
    for thing in (f"thing{n}" for n in range(120))
    for way, numbers in (("Bring the", (1,)), ("Get the", (1, 2)), ("Fetch a", (2,)))
    for number in numbers
]


def made(
    task: str, files: list[Path], part: DataSplit = DataSplit.ALL, most: int = 1000
) -> Labelled:
    return LABELLINGS[task](files, part, random.Random(1), most)  # noqa: S311


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt.xz"
    path.write_bytes(lzma.compress("\n\n".join("\n".join(one) for one in DOCUMENTS).encode()))
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "de.tsv", tmp_path / "fr.tsv"]
    for path, some in zip(paths, (PAIRS[:120], PAIRS[120:]), strict=True):
        path.write_text("".join(f"{a}\t{b}\n" for a, b in some), encoding="utf-8")
    return paths


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        for name, content in (("a/LICENSE", "words"), ("a/one.conllu", TREE)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content.encode())
            archive.addfile(entry, io.BytesIO(content.encode()))
    return path


def test_neighbours_come_once_in_order_or_swapped(text: Path) -> None:
    found = made("order", [text])
    assert (found.kind, found.labels) == ("pair", ("right order", "swapped"))
    assert len(found.lines) == 40 * 3
    for first, second, swapped in found.lines:
        (n, d), (m, e) = (
            [int(word) for word in one.rstrip(".").split() if word.isdigit()]
            for one in (first, second)
        )
        assert d == e
        assert m - n == (-1 if swapped == "1" else 1)
        assert min(n, m) % 2 == 0, "every sentence is in one example"
    assert 40 < Counter(line[2] for line in found.lines)["1"] < 80
    few = made("order", [text], most=7)
    assert len(few.lines) == 7
    assert {line[:2] for line in few.lines} != {line[:2] for line in found.lines[:7]}


@pytest.mark.parametrize("task", ["order", "paraphrase", "ranking"])
def test_no_text_is_in_both_parts(task: str, text: Path, pairs: list[Path]) -> None:
    files = [text] if task == "order" else pairs
    texts = []
    for part in (DataSplit.TRAIN, DataSplit.HELD_OUT):
        lines = made(task, files, part).lines
        texts.append({column for line in lines for column in line if " " in column})
    assert all(texts)
    assert not texts[0] & texts[1]
    assert len(texts[0]) > 3 * len(texts[1])


def thing(sentence: str) -> str:
    return sentence.split()[-1]


def test_paraphrases_share_a_translation_and_the_others_do_not(pairs: list[Path]) -> None:
    found = made("paraphrase", pairs)
    assert (found.kind, found.labels) == ("similarity", ())
    scores = Counter(line[2] for line in found.lines)
    assert scores == {"1": 240, "0": 240}
    shared = 0
    for first, second, score in found.lines:
        assert first != second
        # Of one thing, "Bring the" and "Fetch a" share no translation, and are not told apart.
        assert (thing(first) == thing(second)) is (score == "1")
        if score == "1":
            assert first.startswith("Get") or second.startswith("Get")
        else:
            shared += bool(set(first.split()) & set(second.split()))
    assert shared > 120


def test_a_query_has_one_right_answer_first(pairs: list[Path]) -> None:
    found = made("ranking", pairs, most=50)
    assert (found.kind, len(found.lines)) == ("ranking", 50)
    for query, right, *others in found.lines:
        assert thing(query) == thing(right)
        assert len({thing(one) for one in (query, *others)}) == 6


def test_sentences_that_differ_in_punctuation_are_one(tmp_path: Path) -> None:
    path = tmp_path / "few.tsv"
    lines = [("Come in!", "a"), ("come in", "a"), ("Enter, please.", "a")]
    lines += [(f"Word{n} stands here.", f"w{n}") for n in range(9)]
    path.write_text("".join(f"{a}\t{b}\n" for a, b in lines), encoding="utf-8")
    found = made("paraphrase", [path]).lines
    assert {frozenset(line[:2]) for line in found if line[2] == "1"} == {
        frozenset({"Come in!", "Enter, please."})
    }
    path.write_text("Come in!\ta\nEnter.\ta\n")
    with pytest.raises(CorpusError, match="too few sentences"):
        made("ranking", [path])
    path.write_text("Come in!\ta\nEnter.\tb\n")
    with pytest.raises(CorpusError, match="nothing to make an example of"):
        made("paraphrase", [path])


def test_a_word_is_marked_where_it_stands(treebank: Path) -> None:
    found = made("word-class", [treebank])
    names = {line[0]: found.labels[int(line[1])] for line in found.lines}
    assert names == {
        "[We] don't sleep.": "PRON",
        "We don't [sleep].": "VERB",
        "[Good] bread": "ADJ",
        "Good [bread]": "NOUN",
    }
    assert found.kind == "single"


def test_damaged_sources_are_named(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.conllu"
    other.write_text("1\tword\n")
    with pytest.raises(CorpusError, match=r"no treebank in CoNLL-U: '1\\tword'"):
        made("word-class", [other])
    other.write_bytes(b"\xff\n")
    with pytest.raises(CorpusError, match="not UTF-8"):
        made("word-class", [other])
    other.write_text("")
    with pytest.raises(CorpusError, match="nothing to make an example of"):
        made("word-class", [other])
    compressed = tmp_path / "one.conllu.xz"
    compressed.write_bytes(lzma.compress(TREE.encode()))
    assert len(made("word-class", [compressed]).lines) == 4
    whole = treebank.read_bytes()
    for path, rest in (
        (treebank, whole[: len(whole) // 2]),
        (treebank, b"no archive"),
        (compressed, b"\xfd7"),
    ):
        path.write_bytes(rest)
        with pytest.raises(CorpusError, match="the compressed file is damaged"):
            made("word-class", [path])
    with pytest.raises(CorpusError, match=r"cannot read .*No such file"):
        made("word-class", [tmp_path / "none.tar.xz"])
    treebank.write_bytes(whole)
    for name, limit, said in (("_MOST_FILES", 1, "more than 1 files"), ("_LARGEST", 9, "0 MB")):
        with monkeypatch.context() as patch:
            patch.setattr(f"core.training.labelling.treebanks.{name}", limit)
            with pytest.raises(CorpusError, match=said):
                made("word-class", [treebank])


def test_the_command_writes_what_training_reads(
    text: Path, tmp_path: Path, word_pieces: Tokenizer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(label.TASKS) == set(LABELLINGS)
    assert tuple(part.value for part in DataSplit) == label.PARTS
    outs = [tmp_path / "one" / "order.tsv.xz", tmp_path / "order.tsv"]
    words = ["label", "order", "--data", str(text), "--examples", "30", "--seed", "7"]
    for out in outs:
        assert main([*words, "--out", str(out)]) == 0
    assert f"30 examples, --task NAME:pair:{outs[0]}" in capsys.readouterr().out
    assert lzma.decompress(outs[0].read_bytes()) == outs[1].read_bytes()
    (task,) = read_tasks([TaskFile("order", FileKind.PAIR, outs[0])], word_pieces, limit=64)
    assert task.config.labels == ("right order", "swapped")
    assert len(task.examples) == 30
    assert main([*words, "--out", str(tmp_path)]) == BAD_INPUT
    assert main([*words[:-4], "--examples", "0", "--out", str(outs[0])]) == BAD_INPUT
    assert "error: the number of examples" in capsys.readouterr().err
