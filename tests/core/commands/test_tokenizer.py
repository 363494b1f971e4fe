"""``tokenizer``: a vocabulary from files, as the options ask for it."""

import lzma
from pathlib import Path

import pytest

from core.__main__ import BAD_INPUT, main
from core.tokenisation import Tokenizer
from core.tokenisation.blanks import SIZES, sentinel_ids, sizes_of
from core.tokenisation.languages import languages_of
from core.training.parallel import is_held_out

TEXT = "\n\n".join(
    f"The cat number {n} slept on the old mat, and 1{n} dogs saw it. Then all of them went home."
    for n in range(60)
)
HELD_OUT = next(f"Zebra {n} quits." for n in range(1000) if is_held_out(f"Zebra {n} quits."))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt.xz"
    path.write_bytes(lzma.compress(TEXT.encode()))
    return path


def run(out: Path, *words: str | Path) -> int:
    try:
        return main(["tokenizer", *map(str, words), "--out", str(out)])
    except SystemExit as error:  # argparse
        return int(str(error.code))


@pytest.mark.parametrize(
    ("kind", "frame", "size", "around"),
    [
        ("word_piece", "bert", 90, ("[CLS]", "[SEP]")),
        ("unigram", "bert", 70, ("[CLS]", "[SEP]")),  # ALBERT's
        ("byte_level_bpe", "roberta", 300, ("<s>", "</s>")),
        ("byte_level_bpe", "gpt", 300, ()),
        ("unigram", "t5", 70, ("</s>",)),
        ("unigram", "xlnet", 70, ("<sep>", "<cls>")),
        ("unigram", "translation", 70, ("</s>",)),
        ("bpe", "bert", 90, ("[CLS]", "[SEP]")),
    ],
)
def test_every_kind_and_frame_gives_a_file_that_opens(
    text: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    frame: str,
    size: int,
    around: tuple[str, ...],
) -> None:
    out = tmp_path / "new" / "tokenizer.json"
    assert run(out, kind, "--frame", frame, "--vocabulary", str(size), "--data", text) == 0
    tokenizer = Tokenizer.from_file(out)
    assert capsys.readouterr().out.startswith(f"{tokenizer.vocabulary_size} tokens from 0.0 MB")
    assert 0 < tokenizer.vocabulary_size <= size
    read = tokenizer.encode("The cat slept.")
    special = [token for token, is_it in zip(read.tokens, read.special, strict=True) if is_it]
    assert tuple(special) == around


def test_t5_gets_its_layout_with_sentinels_last_and_sizes_before(
    text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "tokenizer.json"
    options = ("--digits-apart", "--punctuation-apart", "--sentinels", "5", "--sizes")
    assert (
        run(out, "unigram", "--frame", "t5", "--vocabulary", "130", "--data", text, *options) == 0
    )
    tokenizer = Tokenizer.from_file(out)
    size = tokenizer.vocabulary_size
    assert (tokenizer.pad_id, tokenizer.sep_id, tokenizer.unknown_id) == (0, 1, 2)
    assert sentinel_ids(tokenizer) == tuple(range(size - 1, size - 6, -1))
    assert tuple(sorted(sizes_of(tokenizer))) == SIZES
    assert not any(len(t.strip("▁")) > 1 and "1" in t for t in tokenizer.encode("112 cats").tokens)


def test_transformers_reads_the_same_from_a_t5_file(text: Path, tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    out = tmp_path / "tokenizer.json"
    words = ("unigram", "--frame", "t5", "--vocabulary", "80", "--sentinels", "5")
    assert run(out, *words, "--data", text) == 0
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(out))
    ours = Tokenizer.from_file(out)
    assert tuple(theirs("The old mat")["input_ids"]) == ours.encode("The old mat").ids
    assert theirs.convert_tokens_to_ids(["<pad>", "</s>"]) == [0, 1]
    (blank,) = sentinel_ids(ours)[:1]
    assert blank in theirs("The <extra_id_0> mat")["input_ids"]


def test_both_sides_of_pairs_are_read_but_no_held_out_ones(tmp_path: Path) -> None:
    pairs = tmp_path / "de.tsv"
    lines = [f"The dog ran {n} times.\tDer Hund lief {n} Mal über die Straße." for n in range(60)]
    pairs.write_text("\n".join([*lines, f"{HELD_OUT}\tXylophon."]), encoding="utf-8")
    out = tmp_path / "tokenizer.json"
    words = ("unigram", "--frame", "translation", "--vocabulary", "90", "--languages", "de", "fr")
    assert run(out, *words, "--pairs", f"de={pairs}") == 0
    tokenizer = Tokenizer.from_file(out)
    assert tokenizer.id("</s>") == 0
    assert languages_of(tokenizer) == {
        "de": len(tokenizer.inner.get_vocab()) - 2,
        "fr": tokenizer.id(">>fr<<"),
    }
    unknown = tokenizer.unknown_id
    assert unknown not in tokenizer.encode("dog Hund Straße").ids
    for letter in "ZX":
        assert unknown in tokenizer.encode(letter).ids


def test_reading_stops_at_the_limit_having_taken_from_every_file(
    text: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("A quick fox.\n\nAnother quick fox.\n", encoding="utf-8")
    out = tmp_path / "tokenizer.json"
    words = ("word_piece", "--frame", "bert", "--vocabulary", "60", "--limit-mb", "0.0001")
    assert run(out, *words, "--data", text, other) == 0
    tokenizer = Tokenizer.from_file(out)
    assert tokenizer.unknown_id not in tokenizer.encode("quick fox").ids
    assert tokenizer.unknown_id in tokenizer.encode("59").ids


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("unigram", "--frame", "gpt", "--vocabulary", "70"), "needs a token for the unknown"),
        (("unigram", "--frame", "t5", "--vocabulary", "3"), "cannot hold the special tokens"),
        (("unigram", "--frame", "t5", "--vocabulary", "9", "--sentinels", "9"), "9 for blanks"),
        (
            ("unigram", "--frame", "t5", "--vocabulary", "70", "--limit-mb", "0"),
            "(--limit-mb) must be from 1e-06 to 1,000,000, not 0.0",
        ),
        (("unigram", "--frame", "t5", "--vocabulary", "70", "--languages", "a b"), "'a b'"),
        (("unigram", "--frame", "t5", "--vocabulary", "70", "--pairs", "de"), "NAME=FILE"),
        (("words", "--frame", "t5", "--vocabulary", "70"), "invalid choice: 'words'"),
    ],
)
def test_bad_input_gets_one_plain_line(
    text: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said: str,
) -> None:
    assert run(tmp_path / "tokenizer.json", *words, "--data", text) == BAD_INPUT
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "tokenizer.json").exists()


def test_no_file_and_a_folder_to_write_are_refused(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("unigram", "--frame", "t5", "--vocabulary", "70")
    assert run(tmp_path / "one.json", *words) == BAD_INPUT
    assert "--data or --pairs" in capsys.readouterr().err
    assert run(tmp_path, *words, "--data", text) == BAD_INPUT
    assert "is a folder" in capsys.readouterr().err
