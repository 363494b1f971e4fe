"""Folders of ByT5: bytes instead of pieces, and no file that says so."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import ByT5Tokenizer

from core.checkpoints import (
    Checkpoint,
    DamagedFileError,
    LoadPolicy,
    NotACheckpointError,
    load_checkpoint,
)
from core.checkpoints.byte_files import byte_tokenizer
from core.parity import comparison_of
from core.parity.reference import tiny_reference
from core.tasks import attend, fill_spans
from core.tokenisation import MissingTokenError, TokenizerRefusedError
from tests.parity.folders import assert_the_same, write_folder

pytestmark = pytest.mark.parity

T5_1_1 = comparison_of("t5-1.1")
TEXTS = (
    "The cat sat on the mat.",
    "Ünïcödé 日本 🙂 e\u0301 \u200d",
    " two  spaces\tand\nlines ",
    "Grüße, Straße ½",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = {**T5_1_1.settings, "vocab_size": 384}
    reference = tiny_reference(T5_1_1.reference, settings, **T5_1_1.reference_options)
    path = write_folder(reference, tmp_path_factory.mktemp("byt5") / "it")
    (path / "tokenizer.json").unlink()
    ByT5Tokenizer().save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def ours(folder: Path) -> Checkpoint:
    return load_checkpoint(str(folder), device="cpu", policy=LoadPolicy(roots=(folder.parent,)))


def test_texts_are_their_bytes(ours: Checkpoint, folder: Path) -> None:
    theirs = ByT5Tokenizer.from_pretrained(folder)
    for text in TEXTS:
        read = ours.tokenizer.encode(text)
        assert list(read.ids) == theirs(text).input_ids
        assert ours.tokenizer.decoded(read.ids[:-1]).texts == (text,)
        assert theirs.decode(read.ids[:-1]) == text
    pair = ours.tokenizer.encode(TEXTS[0], TEXTS[1])
    assert list(pair.ids) == theirs(TEXTS[0], TEXTS[1]).input_ids
    assert ours.tokenizer_files == ("tokenizer_config.json",)
    assert ours.tokenizer.encode("a </s>").ids.count(1) == 1  # what is typed is characters


def test_a_byte_is_shown_as_its_character_and_belongs_to_its_word(ours: Checkpoint) -> None:
    read = ours.tokenizer.encode("Grüße an")
    assert read.pieces[:3] == ("G", "r", "\\xc3")
    assert [read.texts[0][start:end] for start, end in read.offsets[2:6]] == ["ü", "ü", "ß", "ß"]
    assert read.words == (*[0] * 7, None, 1, 1, None)


def test_the_model_and_its_pages(ours: Checkpoint, folder: Path) -> None:
    assert_the_same(T5_1_1, folder, length=40)
    assert [one.name for one in attend(ours, TEXTS[1], target="ü").maps] == [
        "encoder",
        "decoder",
        "cross",
    ]
    with pytest.raises(MissingTokenError, match="word-beginning"):  # no byte begins a word
        fill_spans(ours, "The ___ sat on ___*___.")


def numbers(**settings: Any) -> dict[str, int]:
    vocabulary = byte_tokenizer(settings).inner.get_vocab()
    return {name: number for name, number in vocabulary.items() if number >= 259}


def test_further_tokens_follow_the_bytes() -> None:
    assert numbers() == {f"<extra_id_{at}>": 259 + at for at in range(125)}
    assert numbers(extra_ids=2) == {"<extra_id_0>": 259, "<extra_id_1>": 260}
    assert numbers(extra_ids=0) == {}
    assert numbers(additional_special_tokens=["<a>", {"content": "<b>"}]) == {
        "<a>": 259,
        "<b>": 260,
    }
    assert numbers(added_tokens_decoder={"0": "<pad>", "300": {"content": "<c>"}}) == {"<c>": 300}


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"added_tokens_decoder": {"1": "<eos>"}}, TokenizerRefusedError, "token 1 is not </s>"),
        ({"added_tokens_decoder": {"70": "<a>"}}, DamagedFileError, "number of a byte"),
        ({"added_tokens_decoder": {"x": "<a>"}}, DamagedFileError, "no number"),
        ({"additional_special_tokens": [3]}, DamagedFileError, "no text"),
        ({"extra_ids": "many"}, DamagedFileError, "extra_ids"),
    ],
)
def test_what_cannot_be_followed_is_named(settings: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        byte_tokenizer(settings)


def test_the_class_may_stand_in_config_json_alone(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "it"
    copy.mkdir()
    (copy / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    settings = json.loads((folder / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**settings, "tokenizer_class": "ByT5Tokenizer"}))
    ours = load_checkpoint(str(copy), device="cpu", policy=LoadPolicy(roots=(tmp_path,)))
    assert ours.tokenizer_files == ("config.json",)
    assert list(ours.tokenizer.encode(TEXTS[1]).ids) == ByT5Tokenizer()(TEXTS[1]).input_ids


def test_another_class_without_files_is_no_checkpoint(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "it"
    copy.mkdir()
    for name in ("config.json", "model.safetensors"):
        (copy / name).write_bytes((folder / name).read_bytes())
    (copy / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "T5Tokenizer"}))
    with pytest.raises(NotACheckpointError, match=r"no tokenizer\.json"):
        load_checkpoint(str(copy), device="cpu", policy=LoadPolicy(roots=(tmp_path,)))
