"""Tokenizers of folders without ``tokenizer.json``: pieces, and pairs that are merged."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints import DamagedFileError, LoadPolicy, NotACheckpointError, load_checkpoint
from core.checkpoints.files import Folder
from core.checkpoints.tokenizer_files import load_tokenizer, tokenizer_files
from core.tokenisation import (
    DamagedPieceFileError,
    Tokenizer,
    TokenizerFileError,
    TokenizerRefusedError,
)
from core.tokenisation.piece_file import Piece, PieceKind
from tests.core.tokenisation.piece_encoding import piece_file
from tests.tiny_checkpoints import write_tiny
from tests.tiny_checkpoints.vocabularies import SENTENCES, byte_level, continuing

TEXTS = (
    *SENTENCES,
    "  Naïve café:  ``quoted'' … 日本 🙂  ",
    "don't [MASK] <mask> (a) - b\n\tc",
)
LETTERS = sorted({letter for text in TEXTS for letter in text.lower()} - set(" \n\t"))


def pieces(*specials: Piece) -> bytes:
    words = [Piece("▁the", -2.0), Piece("▁dog", -3.0), Piece("er", -3.5), Piece("▁", -2.5)]
    letters = [Piece(letter, -6.0 - at / 100) for at, letter in enumerate(LETTERS)]
    return piece_file([*specials, *words, *letters])


def control(*texts: str) -> list[Piece]:
    return [Piece(text, 0.0, PieceKind.CONTROL) for text in texts]


UNKNOWN = Piece("<unk>", 0.0, PieceKind.UNKNOWN)
OF_FAMILY = {
    "t5": pieces(*control("<pad>", "</s>"), UNKNOWN),
    "albert": pieces(*control("<pad>"), UNKNOWN, *control("[CLS]", "[SEP]", "[MASK]")),
    "xlnet": pieces(UNKNOWN, *control("<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>")),
}


def folder_of(path: Path, family: str, files: dict[str, bytes], **settings: Any) -> Folder:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps({"model_type": family}))
    (path / "tokenizer_config.json").write_text(json.dumps(settings))
    for name, content in files.items():
        (path / name).write_bytes(content)
    return Folder(path, within=path)


def pairs_of(tokenizer: Tokenizer) -> dict[str, bytes]:
    model = json.loads(tokenizer.inner.to_str())["model"]
    merges = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"]), ""]
    return {
        "vocab.json": json.dumps(model["vocab"]).encode(),
        "merges.txt": "\n".join(merges).encode(),
    }


@pytest.mark.parametrize("family", ["t5", "mt5", "umt5"])
def test_t5s_pieces_get_their_sentinels(family, tmp_path):
    tokenizer = load_tokenizer(folder_of(tmp_path, family, {"spiece.model": OF_FAMILY["t5"]}))
    count = tokenizer.vocabulary_size
    assert tokenizer.id("<extra_id_0>") == count - 1
    assert tokenizer.id("<extra_id_99>") == count - 100
    encoding = tokenizer.encode("the dog")
    assert encoding.tokens == ("▁the", "▁dog", "</s>")
    assert encoding.offsets == ((0, 3), (3, 7), (0, 0))
    assert encoding.words == (0, 1, None)
    few = folder_of(tmp_path, family, {}, extra_ids=2)
    assert load_tokenizer(few).vocabulary_size == count - 98


def test_alberts_pieces_are_small_and_without_accents(tmp_path):
    folder = folder_of(tmp_path, "albert", {"spiece.model": OF_FAMILY["albert"]})
    tokenizer = load_tokenizer(folder)
    encoding = tokenizer.encode("THE dóg", "the")
    assert encoding.tokens == ("[CLS]", "▁the", "▁dog", "[SEP]", "▁the", "[SEP]")
    assert encoding.segments == (0, 0, 0, 0, 1, 1)
    assert tokenizer.encode("the [MASK] dog").tokens[1:-1] == ("▁the", "[MASK]", "▁dog")
    assert tokenizer.ids_of("``er''") == tokenizer.ids_of('"er"')
    as_typed = load_tokenizer(folder_of(tmp_path, "albert", {}, do_lower_case=False))
    assert as_typed.encode("THE").tokens != tokenizer.encode("THE").tokens


def test_xlnets_pieces_end_with_the_first_token(tmp_path):
    folder = folder_of(tmp_path, "xlnet", {"spiece.model": OF_FAMILY["xlnet"]})
    tokenizer = load_tokenizer(folder)
    assert tokenizer.encode("the dog").tokens == ("▁the", "▁dog", "<sep>", "<cls>")
    assert tokenizer.encode("THE").tokens != ("▁the", "<sep>", "<cls>")


@pytest.mark.parity
@pytest.mark.parametrize("family", ["t5", "albert", "xlnet"])
def test_pieces_read_as_transformers_reads_them(family, tmp_path):
    import transformers

    folder = folder_of(tmp_path, family, {"spiece.model": OF_FAMILY[family]})
    (tmp_path / "tokenizer_config.json").unlink()
    names = {"t5": "T5Tokenizer", "albert": "AlbertTokenizer", "xlnet": "XLNetTokenizer"}
    theirs = getattr(transformers, names[family]).from_pretrained(tmp_path)
    ours = load_tokenizer(folder)
    for text in SENTENCES:
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"], text


@pytest.mark.parity
@pytest.mark.parametrize(("family", "made"), [("gpt2", continuing), ("roberta", byte_level)])
@pytest.mark.parametrize("settings", [{}, {"add_prefix_space": True}], ids=str)
def test_pairs_read_as_transformers_reads_them(family, made, settings, tmp_path):
    import transformers

    files = pairs_of(made())
    ours = load_tokenizer(folder_of(tmp_path, family, files, **settings))
    name = "GPT2Tokenizer" if family == "gpt2" else "RobertaTokenizer"
    theirs = getattr(transformers, name)(
        vocab=json.loads(files["vocab.json"]),
        merges=[tuple(line.split()) for line in files["merges.txt"].decode().split("\n")[1:-1]],
        **settings,
    )
    for text in TEXTS:
        text = text.replace("[MASK]", "").replace("<mask>", "")
        assert list(ours.encode(text).ids) == theirs(text)["input_ids"], text


def test_pairs_give_back_what_they_were_taken_from(tmp_path):
    for family, made in (("gpt2", continuing), ("roberta", byte_level)):
        folder = folder_of(tmp_path / family, family, pairs_of(made()))
        tokenizer = load_tokenizer(folder)
        for text in TEXTS:
            assert tokenizer.encode(text) == made().encode(text)
            assert tokenizer.encode(text, "And more.") == made().encode(text, "And more.")


def test_a_checkpoint_with_pairs_is_opened_and_its_revision_covers_them(tmp_path):
    folder = write_tiny("roberta", tmp_path / "of-pairs")
    policy = LoadPolicy(roots=(tmp_path,))
    whole = load_checkpoint("of-pairs", device="cpu", policy=policy)
    (folder / "tokenizer.json").unlink()
    for name, content in pairs_of(byte_level()).items():
        (folder / name).write_bytes(content)
    opened = load_checkpoint("of-pairs", device="cpu", policy=policy)
    text = "The dog [MASK] in the garden."
    assert opened.tokenizer.encode(text) == whole.tokenizer.encode(text)
    assert opened.revision != whole.revision
    (folder / "merges.txt").write_bytes(b"#version: 0.2\n")
    cut_otherwise = load_checkpoint("of-pairs", device="cpu", policy=policy)
    assert cut_otherwise.revision != opened.revision


def changed(table: bytes, **changes: Any) -> bytes:
    return json.dumps({**json.loads(table), **changes}).encode()


@pytest.mark.parametrize(
    ("family", "change", "error", "said"),
    [
        ("gpt2", {"merges.txt": None}, NotACheckpointError, "merges.txt"),
        ("gpt2", {"vocab.json": b"[]"}, DamagedFileError, "JSON object"),
        ("gpt2", {"vocab.json": b"{"}, DamagedFileError, "valid JSON"),
        ("gpt2", {"vocab.json": b'{"a": "b"}'}, DamagedFileError, "no number"),
        ("gpt2", {"vocab.json": b'{"a": 10000000}'}, DamagedFileError, "too large"),
        ("gpt2", {"vocab.json": b'{"a": 1, "b": 1}'}, DamagedFileError, "one id"),
        ("gpt2", {"merges.txt": b"#version\na b c\n"}, DamagedFileError, "line 2"),
        ("roberta", {}, TokenizerRefusedError, "</s>"),
        ("openai-gpt", {}, TokenizerRefusedError, "openai-gpt"),
        ("bert", {}, TokenizerRefusedError, "bert"),
        ("bert", {"spiece.model": b"?"}, TokenizerRefusedError, "bert"),
        ("t5", {"spiece.model": b"?"}, DamagedPieceFileError, "kind 7"),
        ("t5", {"spiece.model": OF_FAMILY["albert"]}, DamagedPieceFileError, "</s>"),
        ("gpt2", {"tokenizer.json": b"{}"}, TokenizerFileError, "tokenizer.json"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(family, change, error, said, tmp_path):
    files = {**pairs_of(continuing()), **change}
    kept = {name: content for name, content in files.items() if content is not None}
    with pytest.raises(error, match=said):
        load_tokenizer(folder_of(tmp_path, family, kept))


def test_sentinels_within_bounds(tmp_path):
    folder = folder_of(tmp_path, "t5", {"spiece.model": OF_FAMILY["t5"]}, extra_ids=10**9)
    with pytest.raises(TokenizerRefusedError, match="extra_ids"):
        load_tokenizer(folder)


def test_the_first_file_that_is_there_decides(tmp_path, tiny_checkpoint_folder):
    path = Path(shutil.copytree(tiny_checkpoint_folder, tmp_path / "all"))
    folder = Folder(path, within=path)
    for name in ("vocab.txt", "vocab.json", "spiece.model"):
        (path / name).write_bytes(b"")
    assert tokenizer_files(folder) == ("tokenizer.json",)
    (path / "tokenizer.json").unlink()
    assert tokenizer_files(folder) == ("spiece.model",)
    (path / "spiece.model").unlink()
    assert tokenizer_files(folder) == ("vocab.json", "merges.txt")
    (path / "vocab.json").unlink()
    assert tokenizer_files(folder) == ("vocab.txt",)
    (path / "vocab.txt").unlink()
    assert tokenizer_files(folder) == ()
