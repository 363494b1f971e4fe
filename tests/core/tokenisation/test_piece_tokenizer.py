"""Files that SentencePiece's own library made, read by it and by us."""

import io
import random
from typing import Any

import numpy as np
import pytest
import tokenizers
from tokenizers import models, normalizers

from core.tokenisation import CharacterMapError, Tokenizer
from core.tokenisation.character_map import check_character_map
from core.tokenisation.piece_file import read_piece_file
from core.tokenisation.piece_tokenizer import piece_tokenizer
from core.tokenisation.training import Frame
from tests.tiny_checkpoints.vocabularies import SENTENCES

FRAME = Frame(specials=("<unk>",), unknown="<unk>")
ODD = (
    "",
    "The keeper  of the  lighthouse ",
    "ＦＵＬＬ width ﬁ ½ ² ﷺ",
    "naïve café e\u0301 가나다 각",
    "x\u00a0y\u2003z\n\tw\u00ad\u200bv",
    "日本語のテキスト 🙂👨‍👩‍👧",
    "(a) - b – c. £5 €6 … “q”",
    "▁under▁score▁",
    "<s> hi </s> <unk>",
    "zzzqqq ЖЖЖ xx",
)
SYMBOLS = "(,),-,.,–,£,€"


def texts() -> list[str]:
    letters = [
        *"abcdeghiklmnoprstuwy THS .,()-–£'éﬁ½ 日本🙂Ж\u00a0\u200bａＡ▁",
        "e\u0301",
        "o\u0308",
    ]
    generator = random.Random(0)  # noqa: S311 - no secret
    drawn = ["".join(generator.choices(letters, k=generator.randint(1, 40))) for _ in range(150)]
    return [*ODD, *SENTENCES, *drawn]


def trained(**options: Any) -> bytes:
    sentencepiece = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 5),
        model_writer=written,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return written.getvalue()


@pytest.mark.parity
@pytest.mark.parametrize("rules", ["nmt_nfkc", "nfkc", "identity"])
@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "unigram", "vocab_size": 250},
        {"model_type": "unigram", "vocab_size": 250, "user_defined_symbols": SYMBOLS},
        {"model_type": "unigram", "vocab_size": 250, "add_dummy_prefix": False},
        {"model_type": "unigram", "vocab_size": 250, "remove_extra_whitespaces": False},
        {"model_type": "unigram", "vocab_size": 250, "split_by_whitespace": False},
        {"model_type": "bpe", "vocab_size": 180},
        {"model_type": "bpe", "vocab_size": 430, "byte_fallback": True},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_it_cuts_as_sentencepiece_does(rules, options):
    import sentencepiece

    content = trained(normalization_rule_name=rules, **options)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
    ours = piece_tokenizer(read_piece_file(content), FRAME)
    for text in texts():
        assert list(ours.ids_of(text)) == theirs.encode(text), text


@pytest.fixture(scope="module")
def table() -> bytes:
    content = trained(model_type="unigram", vocab_size=200, normalization_rule_name="nmt_nfkc")
    return read_piece_file(content).before.character_map


def test_a_sound_table_of_characters(table):
    check_character_map(table)


def test_tables_that_a_lookup_would_leave(table):
    size = int.from_bytes(table[:4], "little")
    units = np.frombuffer(table[4 : 4 + size], dtype="<u4").copy()
    generator = np.random.default_rng(0)
    refused = 0
    for _attempt in range(20):
        broken = units.copy()
        indices = generator.integers(0, len(units), 200)
        broken[indices] = generator.integers(0, 2**32, 200, dtype=np.uint32)
        content = table[:4] + broken.tobytes() + table[4 + size :]
        try:
            check_character_map(content)
        except CharacterMapError:
            refused += 1
            continue
        for text in texts():  # what is let through must not end the thread
            normalizers.Precompiled(content).normalize_str(text)
    assert refused > 10


@pytest.mark.parametrize(
    "content",
    [b"", b"\x08\0\0\0", b"\x03\0\0\0abcdefg", b"\x04\0\0\0\0\0\0\0\xff", b"x" * 5_000_000],
)
def test_what_is_no_table(content):
    with pytest.raises(CharacterMapError):
        check_character_map(content)


def test_a_tokenizer_with_a_damaged_table_is_refused_before_it_reads():
    far = (4).to_bytes(4, "little") + (0xFFFFFC00).to_bytes(4, "little") + b"a"
    inner = tokenizers.Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Precompiled(far)])
    with pytest.raises(CharacterMapError, match="leave it"):
        Tokenizer(inner)
