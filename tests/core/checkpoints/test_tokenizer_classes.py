"""Tokenizers of folders as people have them, beside those that transformers makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors

from core.checkpoints.files import Folder
from core.checkpoints.tokenizer_files import load_tokenizer
from core.hugging_face.errors import DamagedFileError
from core.tokenisation import Tokenizer, TokenizerRefusedError
from core.tokenisation.training import (
    ROBERTA_FRAME,
    T5_FRAME,
    XLNET_FRAME,
    VocabularyKind,
    train_tokenizer,
)
from tests.tiny_checkpoints.llama import llama2_pieces
from tests.tiny_checkpoints.vocabularies import SENTENCES

TEXTS = (
    "The Cat École, 中文 ``quoted''  it's",
    " the  keeper\tof the lighthouse\n",
    "don't e\u0301 [E1] covid-19 Ünïcode",
)
MOLECULES = ("CC(=O)Nx Cl", " Cl#1 O", "N\n[C]")
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "The", "cat", "keeper", "ecole"]
WORDS += ["École", "école", "中", "文", "中文", "it", "'", "s", "of", "e", *"[],1", "##1"]
OWN = {
    "unk_token": "<unk>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}
SMILES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *"CON()=#1l", "Cl"]


def added(*tokens: str, special: bool = False, first: int = 0) -> dict[str, Any]:
    flags = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False)
    return {
        str(at): {"content": token, "special": special, **flags}
        for at, token in enumerate(tokens, start=first)
    }


def write(path: Path, family: str, files: dict[str, Any]) -> Folder:
    path.mkdir(exist_ok=True)
    for name, content in {"config.json": {"model_type": family}, **files}.items():
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        (path / name).write_text(text, encoding="utf-8")
    return Folder(path, within=path)


def word_list(words: list[str]) -> str:
    return "\n".join(words) + "\n"


def own_words() -> list[str]:
    names = dict(zip(WORDS, ["<pad>", "<unk>", "<s>", "</s>", "<mask>"], strict=False))
    return [names.get(word, word) for word in WORDS]


def bert_json() -> str:
    inner = tokenizers.Tokenizer(
        models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    inner.normalizer = normalizers.BertNormalizer()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    inner.add_special_tokens(WORDS[:5])
    inner.add_tokens(["covid-19"])
    return inner.to_str()


def trained(kind: VocabularyKind, frame: Any) -> str:
    size = 330 if kind is VocabularyKind.BYTE_LEVEL_BPE else 120
    return train_tokenizer(kind, SENTENCES * 4, size, frame=frame).inner.to_str()


BYTES = trained(VocabularyKind.BYTE_LEVEL_BPE, ROBERTA_FRAME)
XLNET = trained(VocabularyKind.UNIGRAM, XLNET_FRAME)
XLM_R = trained(VocabularyKind.UNIGRAM, ROBERTA_FRAME)
LLAMA = llama2_pieces().inner.to_str()
T5 = trained(VocabularyKind.UNIGRAM, T5_FRAME)


def pairs(**further: int) -> dict[str, Any]:
    vocabulary = {piece: at for at, piece in enumerate(SMILES)} | further
    return {"vocab.json": vocabulary, "merges.txt": "#version: 0.2\nC l\n"}


def named(name: str, **settings: Any) -> dict[str, Any]:
    return {"tokenizer_config.json": {"tokenizer_class": name, **settings}}


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        f"bert json {settings}": ("bert", {"tokenizer.json": bert_json(), **settings})
        for settings in (
            {},
            named("BertTokenizer", do_lower_case=False),
            named("BertTokenizerFast", strip_accents=False),
            named("DistilBertTokenizer", do_lower_case=False, strip_accents=True),
            named("ElectraTokenizerFast", tokenize_chinese_chars=False),
            named("PreTrainedTokenizerFast", do_lower_case=False),
            {"tokenizer_config.json": {"do_lower_case": False}},
            {"config.json": {"model_type": "bert", "tokenizer_class": "PreTrainedTokenizerFast"}},
            named("BertTokenizer", added_tokens_decoder=added("[E1]", first=len(WORDS))),
            named("PreTrainedTokenizerFast", added_tokens_decoder=added("[E1]", first=len(WORDS))),
        )
    },
    **{
        f"bert list {settings}": ("bert", {"vocab.txt": word_list(WORDS), **settings})
        for settings in (
            {},
            named("BertTokenizer", do_lower_case=False),
            {"added_tokens.json": {"[E1]": len(WORDS)}},
            {
                "added_tokens.json": {"[E1]": len(WORDS), "covid-19": len(WORDS) + 1},
                "special_tokens_map.json": {"additional_special_tokens": ["[E1]"]},
            },
            named("BertTokenizer", added_tokens_decoder=added("covid-19", first=len(WORDS))),
        )
    },
    "bert list, distilbert": ("distilbert", {"vocab.txt": word_list(WORDS)}),
    "own special tokens": (
        "bert",
        {"vocab.txt": word_list(own_words()), "special_tokens_map.json": OWN},
    ),
    "own special tokens in the settings": (
        "electra",
        {"vocab.txt": word_list(own_words()), **named("ElectraTokenizer", **OWN)},
    ),
    "no padding": ("bert", {"vocab.txt": word_list(WORDS[1:])}),
    "letters only": ("roberta", pairs()),
    "letters only, no merges": ("roberta", {**pairs(), "merges.txt": "#version: 0.2\n"}),
    **{
        f"gpt2 pairs {settings}": ("gpt2", {**pairs(**{"<|endoftext|>": 20}), **settings})
        for settings in (
            named("GPT2Tokenizer", add_bos_token=True),
            named("GPT2Tokenizer", add_eos_token=True, eos_token="</s>"),
            named("RobertaTokenizer"),
        )
    },
    "t5 with roberta's": ("t5", {**pairs(), **named("RobertaTokenizer")}),
    **{
        f"bytes {family} {settings}": (family, {"tokenizer.json": BYTES, **settings})
        for family, settings in (
            ("roberta", {}),
            ("roberta", named("RobertaTokenizer", add_prefix_space=True)),
            ("roberta", named("RobertaTokenizerFast", trim_offsets=False)),
            ("roberta", named("BartTokenizer", add_prefix_space=True)),
            ("gpt2", named("GPT2Tokenizer", add_prefix_space=True, add_bos_token=True)),
            ("gpt2", named("PreTrainedTokenizerFast", add_bos_token=True)),
            ("gpt2", named("GPTNeoXTokenizer", add_bos_token=True, bos_token="<s>")),
            ("llama", named("LlamaTokenizer")),
            ("llama", {}),
        )
    },
    **{
        f"llama {settings}": ("llama", {"tokenizer.json": LLAMA, **settings})
        for settings in (
            {},
            named("LlamaTokenizer"),
            named("LlamaTokenizerFast", legacy=True, add_eos_token=True),
            named("LlamaTokenizer", add_prefix_space=False),
        )
    },
    **{
        f"unigram {family} {settings}": (family, {"tokenizer.json": content, **settings})
        for family, content, settings in (
            ("xlnet", XLNET, {}),
            ("xlnet", XLNET, named("XLNetTokenizer", do_lower_case=True)),
            ("xlnet", XLNET, named("PreTrainedTokenizerFast", do_lower_case=True)),
            ("xlm-roberta", XLM_R, {}),
            ("xlm-roberta", XLM_R, named("XLMRobertaTokenizerFast", add_prefix_space=False)),
            ("roberta", XLM_R, named("XLMRobertaTokenizer")),
            ("camembert", XLM_R, {}),
            ("gpt2", T5, named("T5Tokenizer", extra_ids=0)),
            ("t5", T5, {}),
            ("mt5", T5, {}),
            ("mt5", T5, named("MT5Tokenizer")),
            ("t5", T5, named("T5Tokenizer", extra_ids=0)),
        )
    },
}


@pytest.mark.parity
@pytest.mark.parametrize("case", CASES)
def test_its_tokens_are_those_of_transformers(case: str, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    family, files = CASES[case]
    ours = load_tokenizer(write(tmp_path / "model", family, files))
    theirs = AutoTokenizer.from_pretrained(str(tmp_path / "model"))
    texts = MOLECULES if "vocab.json" in files else TEXTS
    for text in texts:
        expected = theirs(text)["input_ids"]
        assert list(ours.encode(text).ids) == expected, theirs.convert_ids_to_tokens(expected)
    assert list(ours.encode(*texts[:2]).ids) == theirs(*texts[:2])["input_ids"]


LIST = {"vocab.txt": word_list(WORDS)}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("bert", LIST | named("BertJapaneseTokenizer"), r"tokenizer_config.json .*Japanese"),
    ("bert", LIST | named("KoBertTokenizer"), r"tokenizer_config.json .*'KoBertTokenizer'"),
    ("roberta", LIST | named("PhobertTokenizer"), r"tokenizer_config.json .*'PhobertTokenizer'"),
    ("bert", {"tokenizer.json": bert_json(), **named("HerbertTokenizer")}, "Herbert"),
    (
        "bert",
        LIST | {"config.json": {"model_type": "bert", "tokenizer_class": "BertweetTokenizer"}},
        r"config.json .*BertweetTokenizer",
    ),
    ("bert", {"tokenizer.json": XLNET}, "tokenizer.json .*WordPiece.*Unigram"),
    ("roberta", LIST | {"bpe.codes": ""}, r"bpe\.codes .*Phobert"),
    ("roberta", LIST, r"vocab\.txt .*'roberta'.*BertTokenizer"),
    ("roberta", {"sentencepiece.bpe.model": ""}, r"sentencepiece\.bpe\.model"),
    ("bert", {"spiece.model": ""}, r"spiece\.model .*'bert'.*T5Tokenizer"),
    ("bert", LIST | named("BertTokenizer", do_lower_case="no"), "do_lower_case is 'no'"),
    ("bert", LIST | named("BertTokenizer", unk_token="?"), r"'\?' for the unk_token"),
    ("bert", LIST | {"tokenizer_config.json": {"tokenizer_class": 7}}, "tokenizer_class is 7"),
    ("roberta", {"vocab.json": {"a": 1}, "merges.txt": ""}, "vocab.json .*'</s>'"),
]


@pytest.mark.parametrize(("family", "files", "said"), REFUSED)
def test_what_cannot_be_followed_says_why(
    family: str, files: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(TokenizerRefusedError, match=said):
        load_tokenizer(write(tmp_path / "model", family, files))


@pytest.mark.parametrize(
    "files",
    [
        {"added_tokens.json": {"[E1]": "x"}},
        {"added_tokens.json": []},
        {"tokenizer_config.json": {"added_tokens_decoder": {"x": {}}}},
        {"tokenizer_config.json": {"added_tokens_decoder": {"7": "[E1]"}}},
        {"special_tokens_map.json": "{"},
    ],
    ids=str,
)
def test_damaged_files_beside_it(files: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError):
        load_tokenizer(write(tmp_path / "model", "bert", {"vocab.txt": word_list(WORDS), **files}))


def opened(tmp_path: Path, **files: Any) -> Tokenizer:
    names = {name.replace("_json", ".json"): content for name, content in files.items()}
    return load_tokenizer(write(tmp_path / "model", "gpt2", {"tokenizer.json": BYTES, **names}))


def test_ends_are_those_of_the_files(tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "eos_token_id": 7}
    generation = {"generation_config_json": {"eos_token_id": [5, 9]}}
    assert opened(tmp_path, config_json=config).end_ids == (7,)
    assert opened(tmp_path, config_json=config, **generation).end_ids == (5, 9)
    empty = {"generation_config_json": {"eos_token_id": None}}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<s>"}
    tokenizer = opened(tmp_path, tokenizer_config_json=settings, **empty)
    assert tokenizer.end_ids == (tokenizer.id("<s>"),)


def test_roles_are_those_of_the_files(tmp_path: Path) -> None:
    files = {"vocab.txt": word_list(own_words()), "special_tokens_map.json": OWN}
    tokenizer = load_tokenizer(write(tmp_path / "model", "bert", files))
    assert (tokenizer.mask_token, tokenizer.token(tokenizer.cls_id)) == ("<mask>", "<s>")
    assert tokenizer.encode("the [MASK]").tokens == ("<s>", "the", "<mask>", "</s>")
    assert tokenizer.encode("the </s>").plain_specials == ("</s>",)
