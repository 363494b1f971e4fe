"""``sentencepiece.bpe.model`` of XLM-R and CamemBERT, beside transformers."""

import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from transformers import AutoTokenizer

from core.checkpoints.files import Folder
from core.checkpoints.tokenizer_files import load_tokenizer, tokenizer_files
from core.tokenisation import TokenizerRefusedError
from tests.tiny_checkpoints.vocabularies import SENTENCES

TEXTS = (
    "The keeper mends his old boat.",
    "Der Hund schläft im kleinen Haus (25 Jahre).",
    " two  spaces and\ta tab ",
    "日本 ½ ﬁne zebra",
    "She is eating a <mask> apple.",
)


def trained(path: Path, **options: Any) -> Path:
    path.mkdir(exist_ok=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20),
        model_prefix=str(path / "it"),
        vocab_size=120,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    (path / "it.model").rename(path / "sentencepiece.bpe.model")
    return path


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("pieces"))


def folder_of(pieces: Path, model_type: str) -> Folder:
    (pieces / "config.json").write_text(json.dumps({"model_type": model_type}))
    return Folder(pieces, within=pieces)


@pytest.mark.parametrize("model_type", ["xlm-roberta", "camembert"])
def test_ids_are_counted_as_in_transformers(model_type: str, pieces: Path) -> None:
    folder = folder_of(pieces, model_type)
    ours, theirs = load_tokenizer(folder), AutoTokenizer.from_pretrained(pieces)
    assert tokenizer_files(folder) == ("sentencepiece.bpe.model",)
    assert ours.inner.get_vocab() == theirs.get_vocab()
    for text in TEXTS:
        assert list(ours.encode(text).ids) == theirs(text).input_ids, text
    assert list(ours.encode(*TEXTS[:2]).ids) == theirs(*TEXTS[:2]).input_ids
    ids = (ours.pad_id, ours.mask_id, ours.cls_id, ours.sep_id, ours.unknown_id)
    names = ("pad", "mask", "cls", "sep", "unk")
    assert ids == tuple(getattr(theirs, f"{name}_token_id") for name in names)


def test_other_families_and_other_beginnings_are_refused(pieces: Path, tmp_path: Path) -> None:
    with pytest.raises(TokenizerRefusedError, match="family bert"):
        load_tokenizer(folder_of(pieces, "bert"))
    other = trained(tmp_path / "it", bos_id=-1)
    with pytest.raises(TokenizerRefusedError, match=r"sentencepiece\.bpe\.model.*begin with"):
        load_tokenizer(folder_of(other, "xlm-roberta"))
